package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Place;
import io.reactivetransfer.weights.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What has to be done for one inference tensor: which cells of the trainer it consists of. */
final class TensorPlan {

  final int index;
  final Tensor tensor;
  final List<Targets.Wish> wanted;
  final int group;
  final Grid grid;

  /** In the order of the links, and of the cells of each. */
  final List<Origin> origins;

  /** Whether bytes go as they lie. */
  final boolean isDirect;

  /** The tensor of the scales, if it is quantised. */
  @Nullable Scales scales;

  private final List<Link> links;
  private final Sources sources;

  /**
   * A cell of the trainer.
   *
   * @param box which elements of the inference tensor it becomes
   */
  record Origin(Box box, Link link, Cell cell, DataType type) {

    /** Where a rank has the elements that become these, which are of this origin. */
    Place place(Holding holding, Box of) {
      long offset = holding.offset(link.toSource(of), type.bits());
      Place place = holding.piece().place();
      return Place.of(place.region(), offset, link.toTarget(place));
    }
  }

  /** Where the scales go. */
  record Scales(int index, Tensor tensor, List<Targets.Wish> wanted) {}

  TensorPlan(
      int index, Targets.Wanted of, Content.Values values, Sources sources, long wholeBytes) {
    this.index = index;
    this.tensor = of.tensor();
    this.wanted = of.places();
    this.sources = sources;
    this.links = links(values);
    this.group = links.stream().mapToInt(link -> source(link).group).max().orElse(0);
    requireTypes(values);
    this.origins = origins();
    boolean isWhole = values.quantization() == null && isWhole(wholeBytes);
    this.grid = isWhole ? Grid.whole(tensor) : Grid.of(tensor, values, links);
    this.isDirect = values.quantization() == null && !isWhole && isDirect();
  }

  private Sources.Source source(Link link) {
    return sources.get(link.source());
  }

  private List<Link> links(Content.Values values) {
    Links made;
    try {
      made = Links.of(values.recipe(), sources);
      if (values.quantization() != null) {
        values.quantization().unit(tensor.shape());
      }
    } catch (PlanRefusedException e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw refused(String.valueOf(e.getMessage()));
    }
    if (!made.shape().equals(tensor.shape())) {
      throw refused("expected a shape of " + tensor.shape() + ", got " + made.shape());
    }
    return made.links();
  }

  private PlanRefusedException refused(String why) {
    return new PlanRefusedException(
        tensor.name(), "tensor " + tensor.name() + " cannot be made: " + why);
  }

  private void requireTypes(Content.Values values) {
    DataType to = tensor.type();
    boolean isQuantized = values.quantization() != null;
    if (isQuantized && !to.isQuantized()) {
      throw refused("expected a type of 8 bits or less to quantise to, got " + to);
    }
    for (Link link : links) {
      DataType from = source(link).tensor.type();
      boolean fits =
          isQuantized
              ? from.isFloating() && !from.isQuantized()
              : from == to || (from.isFloating() && to.isFloating());
      if (!fits) {
        throw refused(
            "expected "
                + (isQuantized ? "FP32, BF16 or FP16 to quantise" : to + ", or what is cast to it,")
                + " of tensor "
                + source(link).tensor.name()
                + ", got "
                + from);
      }
      if (from.isPacked() && !link.keepsLast()) {
        throw refused(
            "expected "
                + from
                + " to keep its last dimension, along which it is packed, got tensor "
                + source(link).tensor.name()
                + " with another one");
      }
      if (from.isPacked() && link.sourceBox().start(link.starts().length - 1) % 2 != 0) {
        throw refused(
            "expected parts of tensor "
                + source(link).tensor.name()
                + " that begin at whole bytes, got "
                + link.sourceBox());
      }
    }
  }

  private List<Origin> origins() {
    List<Origin> found = new ArrayList<>();
    for (Link link : links) {
      Box of = link.sourceBox();
      DataType type = source(link).tensor.type();
      for (Cell cell : sources.cells(link.source())) {
        Box common = cell.box().intersect(of);
        if (common != null) {
          found.add(new Origin(link.toTarget(common), link, cell, type));
        }
      }
    }
    return found;
  }

  /** Whether so few bytes are better brought together than written to all ranks in small parts. */
  private boolean isWhole(long most) {
    long ranks = 0;
    for (Targets.Wish wish : wanted) {
      ranks += wish.ranks().length;
    }
    return tensor.bytes() <= most
        && origins.size() > 1
        && ranks > 1
        && origins.stream().noneMatch(origin -> origin.box.elements() == tensor.shape().elements());
  }

  /** The same type, in memory that NICs can reach, with the same dimension fastest everywhere. */
  private boolean isDirect() {
    int fastest = 0;
    for (Origin origin : origins) {
      if (origin.type != tensor.type()) {
        return false;
      }
      for (Holding holding : origin.cell.holdings()) {
        if (!holding.isRegistered()) {
          return false;
        }
        fastest |= fastest(origin.box, origin.link.toTarget(holding.piece().place()));
      }
    }
    for (Targets.Wish wish : wanted) {
      fastest |= fastest(wish.box(), wish.piece().place().strides());
    }
    return Integer.bitCount(fastest) <= 1;
  }

  /** One bit for the dimension with the smallest stride; none, if only one dimension counts. */
  private static int fastest(Box box, long[] strides) {
    int found = -1;
    int dimensions = 0;
    for (int i = 0; i < strides.length; i++) {
      if (box.size(i) > 1) {
        dimensions++;
        found = found < 0 || strides[i] < strides[found] ? i : found;
      }
    }
    return dimensions < 2 ? 0 : 1 << found;
  }

  /** The bits of an element as it is made, and of the widest type that it is made from. */
  int preparedBits() {
    int from = origins.stream().mapToInt(origin -> origin.type.bits()).max().orElse(0);
    return tensor.type().bits() + from;
  }

  /**
   * The largest parts of each origin that need no other one, in its order; null if there is none.
   */
  List<@Nullable Box> inner() {
    List<@Nullable Box> inner = new ArrayList<>(origins.size());
    for (Origin origin : origins) {
      inner.add(grid.inner(origin.box));
    }
    return inner;
  }

  /**
   * What needs several origins: all but the inner parts. Cut where the origins of inner parts end,
   * so that what is far from a rank is not gathered there.
   */
  List<Box> between(List<@Nullable Box> inner) {
    List<Box> taken = new ArrayList<>(inner.size());
    for (Box box : inner) {
      if (box != null) {
        taken.add(box);
      }
    }
    if (Boxes.elements(taken) == tensor.shape().elements()) {
      return List.of();
    }
    List<Box> found = new ArrayList<>();
    for (Box left : Boxes.without(Box.whole(tensor.shape()), taken)) {
      found.addAll(cutAt(inner, left));
    }
    found.sort(Boxes.ORDER);
    return found;
  }

  private List<Box> cutAt(List<@Nullable Box> inner, Box left) {
    List<Box> parts = List.of(left);
    for (int dimension = 0; dimension < left.dimensions(); dimension++) {
      TreeSet<Long> cuts = new TreeSet<>();
      for (int i = 0; i < inner.size(); i++) {
        Box box = inner.get(i);
        if (box != null && origins.get(i).box.meets(left)) {
          cuts.add(box.start(dimension));
          cuts.add(box.end(dimension));
        }
      }
      List<Box> next = new ArrayList<>();
      for (Box part : parts) {
        long from = part.start(dimension);
        for (long cut : cuts.subSet(from + 1, part.end(dimension))) {
          next.add(part.with(dimension, from, cut));
          from = cut;
        }
        next.add(part.with(dimension, from, part.end(dimension)));
      }
      parts = next;
    }
    return parts;
  }
}
