package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.Place;
import io.reactivetransfer.weights.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What must be prepared before it is sent: cast, quantised, transposed, or loaded from memory that
 * NICs cannot reach. A step prepares whole units, once, for all inference ranks that need them.
 * Where all bytes of a unit lie with one rank, that one does, or one of its replicas. Where they do
 * not, the rank that has most of them does, and the others write theirs into its temporary.
 */
final class Preparations {

  /** Where each input begins in what is gathered: a line of the cache. */
  private static final long ALIGNMENT = 64;

  private final Loads loads;
  private final List<List<Step>> steps;
  private final double targetsPerSource;
  private final long stepBytes;
  private final long shareBytes;
  private final RunCutter cutter = new RunCutter();
  private final Runs.Builder runs = Runs.builder();
  private long order;

  /** Elements that another rank writes, and where they come to lie. */
  private record Gathered(Holding from, TensorPlan.Origin origin, Box box, long offset) {}

  Preparations(
      Loads loads,
      List<List<Step>> steps,
      double targetsPerSource,
      long stepBytes,
      long shareBytes) {
    this.loads = loads;
    this.steps = steps;
    this.targetsPerSource = targetsPerSource;
    this.stepBytes = stepBytes;
    this.shareBytes = shareBytes;
  }

  /** Takes down what only one rank can prepare without gathering. */
  void addFixed(TensorPlan plan) {
    List<@Nullable Box> inner = plan.inner();
    for (int i = 0; i < inner.size(); i++) {
      List<Holding> holdings = plan.origins.get(i).cell().holdings();
      Box box = inner.get(i);
      if (box != null && holdings.size() == 1) {
        loads.add(holdings.getFirst().rank(), outgoing(plan, box));
      }
    }
  }

  /** Decides for one tensor; the next number of the order. */
  long route(TensorPlan plan, long next) {
    order = next;
    List<@Nullable Box> inner = plan.inner();
    long most = elementsOfStep(plan);
    long shared = Math.min(most, elementsOfShare(plan));
    for (int i = 0; i < inner.size(); i++) {
      TensorPlan.Origin origin = plan.origins.get(i);
      Box whole = inner.get(i);
      if (whole != null) {
        boolean isShared = origin.cell().holdings().size() > 1;
        for (Box box : plan.grid.split(whole, isShared ? shared : most)) {
          prepare(plan, box, preparer(plan, origin, box), List.of(origin));
        }
      }
    }
    for (Box whole : plan.between(inner)) {
      for (Box box : plan.grid.split(whole, shared)) {
        List<TensorPlan.Origin> origins =
            plan.origins.stream().filter(origin -> origin.box().meets(box)).toList();
        int preparer = preparer(origins, box);
        loads.add(preparer, outgoing(plan, box));
        prepare(plan, box, preparer, origins);
      }
    }
    return order;
  }

  /** So that what is made, and what is gathered for it, are not too many bytes. */
  private long elementsOfStep(TensorPlan plan) {
    return Math.max(1, stepBytes * Byte.SIZE / plan.preparedBits());
  }

  /** So that what all inference ranks want of it is not too much for one rank. */
  private long elementsOfShare(TensorPlan plan) {
    long wanted = Math.max(1, outgoing(plan, Box.whole(plan.tensor.shape())));
    double share = (double) shareBytes / wanted * plan.tensor.shape().elements();
    return Math.max(1, (long) share);
  }

  private static long outgoing(TensorPlan plan, Box box) {
    return Routes.wantedBytes(plan, box);
  }

  private int preparer(TensorPlan plan, TensorPlan.Origin origin, Box box) {
    List<Holding> holdings = origin.cell().holdings();
    return holdings.size() == 1
        ? holdings.getFirst().rank()
        : loads.addToLeast(holdings, outgoing(plan, box));
  }

  /** Who has most of a box; of these, who has the least to do. */
  private int preparer(List<TensorPlan.Origin> origins, Box box) {
    long[] held = new long[steps.size()];
    for (TensorPlan.Origin origin : origins) {
      Box common = Objects.requireNonNull(origin.box().intersect(box));
      long bytes = common.elements() * origin.type().bits();
      origin.cell().holdings().forEach(holding -> held[holding.rank()] += bytes);
    }
    int best = 0;
    for (int rank = 1; rank < held.length; rank++) {
      if (held[rank] > held[best] || (held[rank] == held[best] && loads.isLess(rank, best))) {
        best = rank;
      }
    }
    return best;
  }

  private void prepare(TensorPlan plan, Box box, int preparer, List<TensorPlan.Origin> origins) {
    List<Input> inputs = new ArrayList<>(origins.size());
    List<Gathered> gathered = new ArrayList<>(0);
    long bytes = 0;
    for (TensorPlan.Origin origin : origins) {
      Box common = Objects.requireNonNull(origin.box().intersect(box));
      Holding own = origin.cell().of(preparer);
      if (own != null) {
        inputs.add(new Input(origin.type(), common, false, origin.place(own, common)));
      } else {
        bytes = Math.ceilDiv(bytes, ALIGNMENT) * ALIGNMENT;
        inputs.add(new Input(origin.type(), common, true, packed(origin, common, bytes)));
        long length = origin.type().bytes(common.elements());
        int from = loads.addToLeast(origin.cell().holdings(), length);
        Holding holding = Objects.requireNonNull(origin.cell().of(from));
        gathered.add(new Gathered(holding, origin, common, bytes));
        bytes += length;
      }
    }
    long writes = gather(plan, preparer, gathered, bytes);
    write(plan, box, preparer);
    if (plan.scales != null) {
      writeScales(plan, plan.scales, box, preparer);
    }
    steps
        .get(preparer)
        .add(new Step.Prepare(order, plan.index, box, inputs, bytes, writes, runs.build()));
    order++;
  }

  /** Without gaps, in the order in which the trainer has them: so they come in long runs. */
  private static Place packed(TensorPlan.Origin origin, Box box, long offset) {
    Shape shape = Shape.of(origin.link().toSource(box).sizes());
    return Place.of(0, offset, origin.link().toTarget(Place.dense(0, offset, shape)));
  }

  /** The others' steps; how many runs they have. */
  private long gather(TensorPlan plan, int preparer, List<Gathered> gathered, long bytes) {
    gathered.sort(Comparator.comparingInt(one -> one.from().rank()));
    long writes = 0;
    for (int i = 0; i < gathered.size(); i++) {
      Gathered one = gathered.get(i);
      int bits = one.origin().type().bits();
      Place place = one.origin().place(one.from(), one.box());
      writes +=
          cutter
              .between(place.region(), new int[] {preparer}, 0)
              .cut(
                  one.box(),
                  bits,
                  place.offset(),
                  place.strides(),
                  one.offset(),
                  packed(one.origin(), one.box(), one.offset()).strides(),
                  runs);
      int rank = one.from().rank();
      if (i + 1 == gathered.size() || gathered.get(i + 1).from().rank() != rank) {
        Runs ofRank = runs.build();
        steps.get(rank).add(new Step.Gather(order, plan.index, preparer, bytes, ofRank));
      }
    }
    return writes;
  }

  private void write(TensorPlan plan, Box box, int preparer) {
    long[] strides = Shape.of(box.sizes()).denseStrides();
    write(Runs.OUTPUT, plan.wanted, box, plan.tensor.type().bits(), strides, preparer);
  }

  /** The scales of the units of a box; dimensions of size 1 may be missing at the targets. */
  private void writeScales(TensorPlan plan, TensorPlan.Scales scales, Box box, int preparer) {
    Box units = plan.grid.units(box);
    Shape all = plan.grid.units();
    Shape shape = scales.tensor().shape();
    long[] starts = new long[shape.dimensions()];
    long[] sizes = new long[shape.dimensions()];
    long[] strides = new long[shape.dimensions()];
    Arrays.fill(sizes, 1);
    Arrays.fill(strides, 1);
    long[] dense = Shape.of(units.sizes()).denseStrides();
    int from = 0;
    for (int i = 0; i < sizes.length; i++) {
      if (shape.size(i) > 1) {
        while (all.size(from) == 1) {
          from++;
        }
        starts[i] = units.start(from);
        sizes[i] = units.size(from);
        strides[i] = dense[from++];
      }
    }
    int bits = scales.tensor().type().bits();
    write(Runs.SCALES, scales.wanted(), Box.of(starts, sizes), bits, strides, preparer);
  }

  private void write(
      int region, List<Targets.Wish> wanted, Box box, int bits, long[] strides, int preparer) {
    // Ranks begin with different targets, so that not all write to the first one at once.
    int first = (int) (preparer * targetsPerSource) % wanted.size();
    for (int i = 0; i < wanted.size(); i++) {
      Targets.Wish wish = wanted.get((first + i) % wanted.size());
      Box common = wish.box().intersect(box);
      if (common == null) {
        continue;
      }
      long elements = 0;
      for (int j = 0; j < strides.length; j++) {
        elements += (common.start(j) - box.start(j)) * strides[j];
      }
      Place to = wish.piece().place();
      cutter
          .between(region, wish.ranks(), to.region())
          .cut(
              common,
              bits,
              elements * bits / Byte.SIZE,
              strides,
              wish.offset(common, bits),
              to.strides(),
              runs);
    }
  }
}
