package io.reactivetransfer.weights.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Tensor;
import io.reactivetransfer.weights.kernel.PrepareFunction;
import io.reactivetransfer.weights.kernel.PrepareTask;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Does what a table says, byte by byte, and takes down how often each byte was written. */
final class Rehearsal {

  private final RoutingTable table;
  private final List<byte[][]> sources;

  /** What prepares, or null for what is written down here. */
  private final @Nullable PrepareFunction function;

  /** Of each inference rank, each of its regions. */
  final List<byte[][]> targets = new ArrayList<>();

  /** As many numbers: how often each byte was written. */
  final List<byte[][]> written = new ArrayList<>();

  final long[] arrivals;

  private final Map<Long, byte[]> gathered = new HashMap<>();
  private final Map<Long, byte[]> gatherCounts = new HashMap<>();
  private final Map<Long, Integer> gatherWrites = new HashMap<>();

  private record Turn(int source, Step step) {}

  Rehearsal(RoutingTable table, List<byte[][]> sources, @Nullable PrepareFunction function) {
    this.function = function;
    this.table = table;
    this.sources = sources;
    this.arrivals = new long[table.targets().size()];
    for (Rank rank : table.targets()) {
      targets.add(memory(rank));
      written.add(memory(rank));
    }
  }

  static byte[][] memory(Rank rank) {
    return rank.regions().stream()
        .map(region -> new byte[Math.toIntExact(region.bytes())])
        .toArray(byte[][]::new);
  }

  void run() {
    List<Turn> turns = new ArrayList<>();
    for (int source = 0; source < table.sources().size(); source++) {
      for (Step step : table.steps(source)) {
        turns.add(new Turn(source, step));
      }
    }
    // Those that gather come before the one that they gather for.
    turns.sort(
        java.util.Comparator.comparingLong((Turn turn) -> turn.step.order())
            .thenComparing(turn -> turn.step instanceof Step.Prepare));
    for (Turn turn : turns) {
      switch (turn.step) {
        case Step.Write write -> copy(write.runs(), sources.get(turn.source));
        case Step.Gather gather -> gather(gather, sources.get(turn.source));
        case Step.Prepare prepare -> prepare(prepare, sources.get(turn.source));
      }
    }
  }

  private void copy(Runs runs, byte[][] from) {
    for (int run = 0; run < runs.size(); run++) {
      send(runs, run, from[runs.sourceRegion(run)]);
    }
  }

  private void send(Runs runs, int run, byte[] source) {
    for (int rank : runs.targetRanks(run)) {
      byte[] target = targets.get(rank)[runs.targetRegion(run)];
      copy(runs, run, source, target, written.get(rank)[runs.targetRegion(run)]);
      arrivals[rank]++;
    }
  }

  private static void copy(Runs runs, int run, byte[] source, byte[] target, byte[] count) {
    for (int row = 0; row < runs.rows(run); row++) {
      int from = Math.toIntExact(runs.sourceOffset(run) + row * runs.sourceStride(run));
      int to = Math.toIntExact(runs.targetOffset(run) + row * runs.targetStride(run));
      for (int i = 0; i < runs.rowBytes(run); i++) {
        target[to + i] = source[from + i];
        count[to + i]++;
      }
    }
  }

  private void gather(Step.Gather step, byte[][] from) {
    byte[] to =
        gathered.computeIfAbsent(step.order(), _ -> new byte[Math.toIntExact(step.gatherBytes())]);
    assertThat(to).hasSize((int) step.gatherBytes());
    byte[] count = gatherCounts.computeIfAbsent(step.order(), _ -> new byte[to.length]);
    for (int run = 0; run < step.runs().size(); run++) {
      copy(step.runs(), run, from[step.runs().sourceRegion(run)], to, count);
      gatherWrites.merge(step.order(), 1, Integer::sum);
    }
    for (byte times : count) {
      assertThat(times).as("times gathered").isBetween((byte) 0, (byte) 1);
    }
  }

  private void prepare(Step.Prepare step, byte[][] own) {
    assertThat(gatherWrites.getOrDefault(step.order(), 0)).isEqualTo((int) step.gatherWrites());
    byte[] output = new byte[(int) table.outputBytes(step)];
    byte[] scales = new byte[(int) table.scaleBytes(step)];
    if (function == null) {
      prepare(step, own, output, scales);
    } else {
      function.prepare(task(step, own, output, scales));
    }
    Runs runs = step.runs();
    for (int run = 0; run < runs.size(); run++) {
      send(runs, run, runs.sourceRegion(run) == Runs.OUTPUT ? output : scales);
    }
  }

  private PrepareTask task(Step.Prepare step, byte[][] own, byte[] output, byte[] scales) {
    TableTensor entry = table.tensors().get(step.tensor());
    List<MemorySegment> inputs = new ArrayList<>();
    for (Input input : step.inputs()) {
      byte[] from = input.isGathered() ? gathered.get(step.order()) : own[input.place().region()];
      inputs.add(MemorySegment.ofArray(from).asReadOnly());
    }
    return new PrepareTask(
        entry,
        entry.unit() == null ? null : table.tensors().get(entry.scales()).tensor().type(),
        step,
        inputs,
        MemorySegment.ofArray(output),
        MemorySegment.ofArray(scales));
  }

  private void prepare(Step.Prepare step, byte[][] own, byte[] output, byte[] scales) {
    TableTensor entry = table.tensors().get(step.tensor());
    Tensor tensor = entry.tensor();
    Box box = step.box();
    float[] values = new float[(int) box.elements()];
    int[] raw = new int[values.length];
    boolean[] seen = new boolean[values.length];
    for (Input input : step.inputs()) {
      byte[] from = input.isGathered() ? gathered.get(step.order()) : own[input.place().region()];
      Recipes.each(
          input.box().sizes(),
          index -> {
            long element = 0;
            long[] inBox = new long[index.length];
            for (int i = 0; i < index.length; i++) {
              element += index[i] * input.place().stride(i);
              inBox[i] = index[i] + input.box().start(i) - box.start(i);
            }
            int at = (int) Recipes.flat(box.sizes(), inBox);
            raw[at] = Bits.get(from, input.place().offset(), element, input.type());
            values[at] = Bits.toFloat(raw[at], input.type());
            raw[at] =
                input.type() == tensor.type() ? raw[at] : Bits.fromFloat(values[at], tensor.type());
            assertThat(seen[at]).as("an input twice").isFalse();
            seen[at] = true;
          });
    }
    if (entry.unit() != null) {
      quantize(entry, box, values, raw, scales);
    }
    for (int i = 0; i < raw.length; i++) {
      Bits.put(output, 0, i, tensor.type(), raw[i]);
    }
  }

  private void quantize(TableTensor entry, Box box, float[] values, int[] raw, byte[] scales) {
    Shape unit = java.util.Objects.requireNonNull(entry.unit());
    long[] units = box.sizes();
    Arrays.setAll(units, i -> Math.ceilDiv(box.size(i), unit.size(i)));
    float[] largest = new float[scales.length];
    DataType type = entry.tensor().type();
    DataType scaleType = table.tensors().get(entry.scales()).tensor().type();
    Recipes.each(
        box.sizes(),
        index -> {
          int of = (int) Recipes.flat(units, unitOf(index, unit));
          float value = values[(int) Recipes.flat(box.sizes(), index)];
          largest[of] = Math.max(largest[of], Math.abs(value));
        });
    Recipes.each(
        box.sizes(),
        index -> {
          int of = (int) Recipes.flat(units, unitOf(index, unit));
          int at = (int) Recipes.flat(box.sizes(), index);
          float scale = Bits.scale(largest[of], type);
          raw[at] = Bits.quantized(values[at], scale, type);
          Bits.put(scales, 0, of, scaleType, Bits.fromFloat(scale, scaleType));
        });
  }

  private static long[] unitOf(long[] index, Shape unit) {
    long[] of = index.clone();
    Arrays.setAll(of, i -> index[i] / unit.size(i));
    return of;
  }
}
