package io.reactivetransfer.tools.jmh;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Place;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Tensor;
import io.reactivetransfer.weights.kernel.PrepareFunction;
import io.reactivetransfer.weights.kernel.PrepareTask;
import io.reactivetransfer.weights.plan.Input;
import io.reactivetransfer.weights.plan.Runs;
import io.reactivetransfer.weights.plan.Step;
import io.reactivetransfer.weights.plan.TableTensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the preparation of weights costs on one thread, beside a plain copy that reads and writes as
 * many bytes: a matrix of 4,096 x 4,096 elements, which no cache holds. {@code gigabytes} is what
 * is read and written each second, in 10^9 bytes; its ratio for the two is that of the times.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class CastBenchmark {

  private static final long SIDE = 4_096;
  private static final long BLOCK = 128;

  /**
   * What is made of what: {@code from-to}, with {@code -block} or {@code -row} for the units of
   * scales, {@code -across} if it is transposed, {@code -fused} of three tensors, or {@code -rows}
   * with gaps between them.
   */
  @Param({
    "BF16-BF16-rows",
    "BF16-BF16-fused",
    "BF16-BF16-across",
    "BF16-FP32",
    "FP32-BF16",
    "FP32-FP16",
    "BF16-FP16",
    "BF16-FP8_E4M3",
    "BF16-FP8_E4M3-block",
    "BF16-FP8_E4M3-row",
    "BF16-FP8_E4M3-fused-block",
    "BF16-FP8_E4M3-across-block",
    "FP32-FP8_E4M3-block",
    "FP16-FP8_E5M2-block",
    "BF16-INT8-row",
    "BF16-INT4-block"
  })
  public String kernel = "BF16-FP8_E4M3-block";

  private PrepareTask task;
  private MemorySegment source;
  private MemorySegment target;

  /** The mean of what is read and what is written. */
  private long bytes;

  /** Counts bytes, for JMH. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.OPERATIONS)
  public static class Traffic {

    /** Read and written, in 10^9 bytes. */
    public double gigabytes;

    /** For JMH. */
    public Traffic() {}
  }

  /** For JMH. */
  @SuppressWarnings("NullAway.Init") // JMH calls open() first
  public CastBenchmark() {}

  /** Fills the source with numbers as weights are, and describes the step. */
  @Setup
  public void open() {
    String[] words = kernel.split("-", 3);
    DataType from = DataType.valueOf(words[0]);
    DataType to = DataType.valueOf(words[1]);
    String how = words.length > 2 ? words[2] : "";
    Tensor tensor = new Tensor("w", to, Shape.of(SIDE, SIDE));
    Shape unit =
        how.contains("block")
            ? Shape.of(BLOCK, BLOCK)
            : how.equals("row") ? Shape.of(1, SIDE) : null;
    Box box = Box.whole(tensor.shape());
    long gap = how.equals("rows") ? BLOCK : 0;
    Place place =
        how.startsWith("across") ? Place.of(0, 0, 1, SIDE) : Place.of(0, 0, SIDE + gap, 1);
    List<Input> inputs =
        how.startsWith("fused") ? three(from) : List.of(new Input(from, box, false, place));
    long elements = tensor.shape().elements();
    source = Arena.global().allocate(from.bytes(elements + gap * SIDE), 64);
    target = Arena.global().allocate(to.bytes(elements), 64);
    bytes = (from.bytes(elements) + to.bytes(elements)) / 2;
    fill(from);
    long units = unit == null ? 0 : elements / unit.elements();
    task =
        new PrepareTask(
            new TableTensor(tensor, 0, unit, unit == null ? -1 : 1),
            unit == null ? null : DataType.FP32,
            new Step.Prepare(0, 0, box, inputs, 0, 0, Runs.builder().build()),
            Collections.nCopies(inputs.size(), source),
            target,
            Arena.global().allocate(units * Float.BYTES));
  }

  /**
   * As a query of half of the rows, and a key and a value of a quarter each, one after the other.
   */
  private static List<Input> three(DataType from) {
    List<Input> inputs = new ArrayList<>();
    long row = 0;
    for (long rows : new long[] {SIDE / 2, SIDE / 4, SIDE / 4}) {
      Box part = Box.of(new long[] {row, 0}, new long[] {rows, SIDE});
      inputs.add(new Input(from, part, false, Place.of(0, from.bytes(row * SIDE), SIDE, 1)));
      row += rows;
    }
    return inputs;
  }

  /** Some numbers, then as many again and again. */
  private void fill(DataType type) {
    Random random = new Random(1);
    for (long i = 0; i < SIDE; i++) {
      float value = random.nextFloat(-2, 2);
      switch (type) {
        case FP32 -> source.setAtIndex(ValueLayout.JAVA_FLOAT, i, value);
        case FP16 -> source.setAtIndex(ValueLayout.JAVA_SHORT, i, Float.floatToFloat16(value));
        default ->
            source.setAtIndex(
                ValueLayout.JAVA_SHORT, i, (short) (Float.floatToRawIntBits(value) >>> Short.SIZE));
      }
    }
    for (long done = type.bytes(SIDE); done < source.byteSize(); done *= 2) {
      MemorySegment.copy(source, 0, source, done, Math.min(done, source.byteSize() - done));
    }
  }

  /** The kernel. */
  @Benchmark
  public void prepare(Traffic traffic) {
    PrepareFunction.standard().prepare(task);
    traffic.gigabytes += 2e-9 * bytes;
  }

  /** A copy that reads and writes as many bytes, in two halves if a side is too short. */
  @Benchmark
  public void copy(Traffic traffic) {
    long once = Math.min(bytes, Math.min(source.byteSize(), target.byteSize()));
    for (long done = 0; done < bytes; done += once) {
      long length = Math.min(once, bytes - done);
      MemorySegment.copy(source, 0, target, 0, length);
    }
    traffic.gigabytes += 2e-9 * bytes;
  }
}
