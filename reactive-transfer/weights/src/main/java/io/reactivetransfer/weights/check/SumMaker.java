package io.reactivetransfer.weights.check;

import io.reactivetransfer.weights.internal.Accelerators;
import io.reactivetransfer.weights.plan.Step;
import io.reactivetransfer.weights.run.SourceMemory;
import io.reactivetransfer.weights.run.StepReader;
import io.reactivetransfer.weights.version.UpdateNumber;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntFunction;

/** Sums up what a rank of the trainer writes in one update. */
final class SumMaker implements StepReader {

  /** Is told what to say to an inference rank when all steps that write to it were seen. */
  interface Ready {
    void ready(int target, List<SumMessage> messages);
  }

  /** A name, its length and the number of its sums; and what is in front of the first tensor. */
  private static final int MOST_OF_NAME = 256 + Integer.BYTES;

  private static final int MOST_OF_FRAME = 512;

  private final UpdateNumber update;
  private final String trainer;
  private final SumPlan plan;
  private final int mostBytes;
  private final Ready ready;

  /** Steps of each inference rank that were not seen yet. */
  private final AtomicIntegerArray left;

  private final Accelerators accelerators = new Accelerators();

  /** For each inference rank. Guarded by itself. */
  private final List<Map<String, List<SumMessage.Sum>>> sums = new ArrayList<>();

  /**
   * Begins.
   *
   * @param mostBytes of a message
   */
  SumMaker(UpdateNumber update, String trainer, SumPlan plan, int mostBytes, Ready ready) {
    this.update = update;
    this.trainer = trainer;
    this.plan = plan;
    this.mostBytes = mostBytes;
    this.ready = ready;
    this.left = new AtomicIntegerArray(plan.steps);
    for (int i = 0; i < plan.arrivals.length; i++) {
      sums.add(new LinkedHashMap<>());
    }
  }

  @Override
  public void read(Step step, IntFunction<SourceMemory> sources) {
    for (SumPiece piece : plan.pieces(step)) {
      SourceMemory source = sources.apply(piece.run());
      long stride = piece.runs().sourceStride(piece.run());
      int crc =
          Sums.of(
              source, accelerators, piece.sourceOffset(), piece.rowBytes(), piece.rows(), stride);
      add(piece, piece.sum(crc));
    }
    SumPlan.targets(step).stream()
        .filter(target -> left.decrementAndGet(target) == 0)
        .forEach(target -> ready.ready(target, messages(target)));
  }

  private void add(SumPiece piece, SumMessage.Sum sum) {
    synchronized (sums) {
      for (int i = 0; i < piece.runs().targets(piece.run()); i++) {
        sums.get(piece.runs().target(piece.run(), i))
            .computeIfAbsent(piece.tensor(), name -> new ArrayList<>())
            .add(sum);
      }
    }
  }

  private List<SumMessage> messages(int target) {
    synchronized (sums) {
      return messages(plan.arrivals[target], sums.get(target));
    }
  }

  private List<SumMessage> messages(long arrivals, Map<String, List<SumMessage.Sum>> of) {
    int total = of.values().stream().mapToInt(List::size).sum();
    List<SumMessage> messages = new ArrayList<>();
    List<SumMessage.OfTensor> part = new ArrayList<>();
    int first = 0;
    int said = 0;
    int room = room();
    for (Map.Entry<String, List<SumMessage.Sum>> entry : of.entrySet()) {
      List<SumMessage.Sum> rest = entry.getValue();
      while (!rest.isEmpty()) {
        int fits = Math.min(rest.size(), (room - MOST_OF_NAME) / SumCodec.SUM_BYTES);
        if (fits <= 0) {
          messages.add(new SumMessage(update, trainer, arrivals, total, first, part));
          part = new ArrayList<>();
          first = said;
          room = room();
          continue;
        }
        part.add(new SumMessage.OfTensor(entry.getKey(), rest.subList(0, fits)));
        rest = rest.subList(fits, rest.size());
        said += fits;
        room -= MOST_OF_NAME + fits * SumCodec.SUM_BYTES;
      }
    }
    messages.add(new SumMessage(update, trainer, arrivals, total, first, part));
    return messages;
  }

  private int room() {
    return Math.max(mostBytes - MOST_OF_FRAME, MOST_OF_NAME + SumCodec.SUM_BYTES);
  }
}
