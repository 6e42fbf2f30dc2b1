package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Rank;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a table costs, in bytes. A rank that has several NICs is taken to use them alike.
 *
 * @param sent what each rank of the trainer sends, to inference ranks and for others to prepare
 * @param gathered what each rank of the trainer gets from others to prepare
 * @param received what each inference rank gets
 * @param out what each NIC sends, by its name
 * @param in what each NIC receives, by its name
 * @param temporaries the largest temporaries of a step of each rank of the trainer: a watermark
 *     below this is not kept
 * @param allTemporaries the temporaries of all its steps together
 * @param writes how many writes each rank of the trainer submits: each run to each of its ranks
 */
public record PlanCost(
    List<Long> sent,
    List<Long> gathered,
    List<Long> received,
    Map<String, Long> out,
    Map<String, Long> in,
    List<Long> temporaries,
    List<Long> allTemporaries,
    List<Long> writes) {

  private static final double NANOS = 1e9;

  static PlanCost of(RoutingTable table) {
    long[] sent = new long[table.sources().size()];
    long[] gathered = new long[sent.length];
    long[] received = new long[table.targets().size()];
    long[] temporaries = new long[sent.length];
    long[] allTemporaries = new long[sent.length];
    long[] writes = new long[sent.length];
    for (int source = 0; source < sent.length; source++) {
      for (Step step : table.steps(source)) {
        long[] to = step instanceof Step.Gather ? gathered : received;
        Runs ofStep = step.runs();
        for (int run = 0; run < ofStep.size(); run++) {
          long bytes = ofStep.bytes(run);
          sent[source] += bytes * ofStep.targets(run);
          for (int i = 0; i < ofStep.targets(run); i++) {
            to[ofStep.target(run, i)] += bytes;
          }
        }
        writes[source] += ofStep.writes();
        long bytes = table.temporaryBytes(source, step);
        temporaries[source] = Math.max(temporaries[source], bytes);
        allTemporaries[source] += bytes;
      }
    }
    Map<String, Long> out = new LinkedHashMap<>();
    Map<String, Long> in = new LinkedHashMap<>();
    for (int source = 0; source < sent.length; source++) {
      share(table.sources().get(source), sent[source], out);
      share(table.sources().get(source), gathered[source], in);
    }
    for (int target = 0; target < received.length; target++) {
      share(table.targets().get(target), received[target], in);
    }
    return new PlanCost(
        list(sent),
        list(gathered),
        list(received),
        Collections.unmodifiableMap(out),
        Collections.unmodifiableMap(in),
        list(temporaries),
        list(allTemporaries),
        list(writes));
  }

  private static void share(Rank rank, long bytes, Map<String, Long> nics) {
    int count = rank.nics().size();
    for (int i = 0; i < count; i++) {
      nics.merge(rank.nics().get(i), bytes / count + (i < bytes % count ? 1 : 0), Long::sum);
    }
  }

  private static List<Long> list(long[] numbers) {
    return Arrays.stream(numbers).boxed().toList();
  }

  /** Bytes that go over the network. */
  public long bytes() {
    return sent.stream().mapToLong(Long::longValue).sum();
  }

  /** What the rank that sends most sends, over the mean. */
  public double sourceImbalance() {
    return imbalance(sent);
  }

  /** What the inference rank that gets most gets, over the mean; no plan can change that. */
  public double targetImbalance() {
    return imbalance(received);
  }

  /** What the busiest NIC of the trainer sends, over the mean of all that send. */
  public double nicImbalance() {
    return imbalance(List.copyOf(out.values()));
  }

  private static double imbalance(List<Long> bytes) {
    long most = bytes.stream().mapToLong(Long::longValue).max().orElse(0);
    double mean = bytes.stream().mapToLong(Long::longValue).average().orElse(0);
    return mean == 0 ? 1 : most / mean;
  }

  /**
   * How long the busiest NIC takes, if links are all that it waits for: no update can be faster.
   *
   * @param bytesPerSecond what each NIC sends, and at the same time receives
   * @throws IllegalArgumentException if it is not above 0
   */
  public Duration time(double bytesPerSecond) {
    if (!(bytesPerSecond > 0)) {
      throw new IllegalArgumentException("expected a speed above 0, got " + bytesPerSecond);
    }
    long most = Math.max(most(out), most(in));
    return Duration.ofNanos((long) Math.ceil(most / bytesPerSecond * NANOS));
  }

  private static long most(Map<String, Long> nics) {
    return nics.values().stream().mapToLong(Long::longValue).max().orElse(0);
  }

  /** A few lines for people. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        """
        bytes          %d in %d writes, %d of them gathered to be prepared
        from a source  %d at most, %.3f of the mean; a NIC %.3f of the mean
        to a target    %d at most, %.3f of the mean
        temporaries    %d at most for a step
        """,
        bytes(),
        writes.stream().mapToLong(Long::longValue).sum(),
        gathered.stream().mapToLong(Long::longValue).sum(),
        sent.stream().mapToLong(Long::longValue).max().orElse(0),
        sourceImbalance(),
        nicImbalance(),
        received.stream().mapToLong(Long::longValue).max().orElse(0),
        targetImbalance(),
        temporaries.stream().mapToLong(Long::longValue).max().orElse(0));
  }
}
