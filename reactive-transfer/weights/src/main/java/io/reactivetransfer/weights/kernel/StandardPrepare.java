package io.reactivetransfer.weights.kernel;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.plan.Input;
import io.reactivetransfer.weights.plan.Step;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import reactor.util.Logger;
import reactor.util.Loggers;

/** Prepares steps in memory of the host, on the thread that calls it. */
final class StandardPrepare implements PrepareFunction {

  private static final Logger LOG = Loggers.getLogger(StandardPrepare.class);

  /** Of the whole process. No class that has vectors in it is loaded where their module is not. */
  static final Vectors VECTORS =
      new Vectors(
          () -> new Trial(new Tile()),
          () -> VectorTile.isOfUse() ? new Trial(new VectorTile(new Tile())) : null);

  static final StandardPrepare INSTANCE = new StandardPrepare(VECTORS::areUsed);

  /** Of each thread; nothing is allocated for a step. */
  private final ThreadLocal<Work> work = ThreadLocal.withInitial(Work::new);

  private final BooleanSupplier hasVectors;

  /** With vectors from the first step on of which this is said. */
  StandardPrepare(BooleanSupplier hasVectors) {
    this.hasVectors = hasVectors;
  }

  @Override
  public void prepare(PrepareTask task) {
    if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
      throw new UnsupportedOperationException(
          "expected a machine whose byte order is little-endian, as that of weights is");
    }
    work.get().prepare(task, hasVectors.getAsBoolean());
  }

  /** What one thread needs to do it. */
  private static final class Work {

    private final Tile tile = new Tile();

    /** The tile, or what does the same with vectors. */
    private Kernels kernels = tile;

    /** Whether there was memory for that, as far as it is known. */
    private boolean mayHaveVectors = true;

    private final Walk walk = new Walk();

    /** Elements of the output from one to the next along each dimension. */
    private final long[] dense = new long[Shape.MAX_DIMENSIONS];

    /** The part that is looked at: the first index along each dimension, and how many. */
    private final long[] from = new long[Shape.MAX_DIMENSIONS];

    private final long[] sizes = new long[Shape.MAX_DIMENSIONS];

    /** The unit that is looked at, as its index along each dimension. */
    private final long[] unitIndex = new long[Shape.MAX_DIMENSIONS];

    /** Whether vectors are the faster ones. */
    private boolean isWithVectors;

    /** The input whose walk is in the tile alone, or -1. */
    private int loaded;

    void prepare(PrepareTask task, boolean withVectors) {
      isWithVectors = withVectors;
      Box box = task.step().box();
      long stride = 1;
      for (int i = box.dimensions() - 1; i >= 0; i--) {
        dense[i] = stride;
        stride *= box.size(i);
      }
      Shape unit = task.tensor().unit();
      if (unit == null) {
        cast(task);
      } else {
        quantize(task, unit, Objects.requireNonNull(task.scaleType()));
      }
    }

    /** When there is something to compute; what is only copied needs none of it. */
    private void choose() {
      if (isWithVectors && kernels == tile && mayHaveVectors) {
        try {
          kernels = new VectorTile(tile);
        } catch (OutOfMemoryError e) {
          mayHaveVectors = false; // the tile does the same, and an update does not fail for it
          LOG.warn("there is no memory to prepare weights with vectors on this thread", e);
        }
      }
    }

    // Without scales

    private void cast(PrepareTask task) {
      List<Input> inputs = task.step().inputs();
      DataType to = task.tensor().tensor().type();
      for (int i = 0; i < inputs.size(); i++) {
        Input input = inputs.get(i);
        whole(input.box());
        if (input.type() == to) {
          copy(task.step(), input, task.inputs().get(i), task.output());
        } else {
          cast(task.step(), input, task.inputs().get(i), to, task.output());
        }
      }
    }

    private void copy(Step.Prepare step, Input input, MemorySegment source, MemorySegment target) {
      boolean isPacked = input.type().isPacked();
      // Packed elements are parted at whole bytes: so their bytes are copied.
      DataType type = isPacked ? DataType.INT8 : input.type();
      walk(step.box(), input, isPacked ? 2 : 1);
      long offset = input.place().offset();
      if (walk.isOneRow()) {
        long width = type.bits() / Byte.SIZE;
        long elements = 1;
        for (int i = 0; i < input.box().dimensions(); i++) {
          elements *= input.box().size(i);
        }
        long length = input.type().bytes(elements);
        MemorySegment.copy(
            source, offset + walk.sourceFirst * width, target, walk.targetFirst * width, length);
        return;
      }
      walk.start(Tile.CAPACITY, Transposer.CAPACITY);
      while (walk.next()) {
        tile.copy(type, source, offset, target, walk);
      }
    }

    private void cast(
        Step.Prepare step, Input input, MemorySegment source, DataType to, MemorySegment target) {
      choose();
      walk(step.box(), input, 1);
      walk.start(Tile.CAPACITY);
      while (walk.next()) {
        kernels.convert(input.type(), source, input.place().offset(), to, 1, target, walk);
      }
    }

    // With scales

    private void quantize(PrepareTask task, Shape unit, DataType scaleType) {
      choose();
      Box box = task.step().box();
      int dimensions = box.dimensions();
      for (int i = 0; i < dimensions; i++) {
        unitIndex[i] = 0;
      }
      long number = 0;
      do {
        float scale = Scales.of(largest(task, unit), task.tensor().tensor().type());
        Scales.put(task.scales(), number, scaleType, scale);
        encode(task, unit, scale);
        number++;
      } while (nextUnit(box, unit));
    }

    /** The largest absolute value of a unit, as bits of FP32. */
    private int largest(PrepareTask task, Shape unit) {
      List<Input> inputs = task.step().inputs();
      int largest = 0;
      loaded = -1;
      int tiles = 0;
      for (int i = 0; i < inputs.size(); i++) {
        Input input = inputs.get(i);
        if (unit(task.step().box(), unit, input.box())) {
          walk(task.step().box(), input, 1);
          walk.start(kernels.capacity());
          while (walk.next()) {
            long offset = input.place().offset();
            int ofTile = kernels.largest(input.type(), task.inputs().get(i), offset, walk);
            largest = Math.max(largest, ofTile);
            loaded = i;
            tiles++;
          }
        }
      }
      if (tiles != 1) {
        loaded = -1;
      }
      return largest;
    }

    private void encode(PrepareTask task, Shape unit, float scale) {
      DataType to = task.tensor().tensor().type();
      List<Input> inputs = task.step().inputs();
      MemorySegment target = task.output();
      if (loaded >= 0) {
        kernels.convertLast(to, scale, target, walk);
        return;
      }
      for (int i = 0; i < inputs.size(); i++) {
        Input input = inputs.get(i);
        if (unit(task.step().box(), unit, input.box())) {
          walk(task.step().box(), input, 1);
          walk.start(kernels.capacity());
          while (walk.next()) {
            MemorySegment source = task.inputs().get(i);
            long offset = input.place().offset();
            kernels.convert(input.type(), source, offset, to, scale, target, walk);
          }
        }
      }
    }

    private boolean nextUnit(Box box, Shape unit) {
      for (int i = box.dimensions() - 1; i >= 0; i--) {
        if (++unitIndex[i] * unit.size(i) < box.size(i)) {
          return true;
        }
        unitIndex[i] = 0;
      }
      return false;
    }

    // Which part

    private void whole(Box box) {
      for (int i = 0; i < box.dimensions(); i++) {
        from[i] = box.start(i);
        sizes[i] = box.size(i);
      }
    }

    /** What an input has of the unit; false if that is nothing. */
    private boolean unit(Box box, Shape unit, Box input) {
      for (int i = 0; i < box.dimensions(); i++) {
        long start = box.start(i) + unitIndex[i] * unit.size(i);
        long end = Math.min(start + unit.size(i), box.end(i));
        from[i] = Math.max(start, input.start(i));
        sizes[i] = Math.min(end, input.end(i)) - from[i];
        if (sizes[i] <= 0) {
          return false;
        }
      }
      return true;
    }

    /** Goes through that part, of which so many elements along the last dimension are one. */
    private void walk(Box box, Input input, int packed) {
      int dimensions = box.dimensions();
      long source = 0;
      long target = 0;
      for (int i = 0; i < dimensions; i++) {
        source += (from[i] - input.box().start(i)) * input.place().stride(i);
        target += (from[i] - box.start(i)) * dense[i];
      }
      walk.begin(source / packed, target / packed);
      for (int i = 0; i < dimensions; i++) {
        long sourceStride = input.place().stride(i);
        if (packed == 1) {
          walk.dimension(sizes[i], sourceStride, dense[i]);
        } else if (i == dimensions - 1) {
          walk.dimension(sizes[i] / packed, 1, 1);
        } else {
          walk.dimension(sizes[i], sourceStride / packed, dense[i] / packed);
        }
      }
    }
  }
}
