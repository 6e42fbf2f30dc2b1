package io.reactivetransfer.weights.check;

import io.reactivetransfer.EngineId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What trainers have said of one update at one inference rank. Only in turns. */
final class SumsOfUpdate {

  /** As many names as a reason can tell. */
  private static final int MOST_NAMES = 8;

  /** Memory that a sum takes beside its names, on a heap of at most 32 GiB; rounded up. */
  private static final int BYTES_OF_SUM = 96;

  /** The same of a trainer. */
  private static final int BYTES_OF_TRAINER = 256;

  /** The same of the name of a tensor, beside its characters. */
  private static final int BYTES_OF_NAME = 96;

  /** A sum, and whose it is. */
  record Said(String trainer, String tensor, SumMessage.Sum sum) {}

  /** A rank of the trainer; an engine may have several. */
  private record Sender(EngineId engine, String trainer) {}

  private static final class OfTrainer {
    final String name;
    final long arrivals;
    final int total;
    final BitSet had = new BitSet();

    OfTrainer(SumMessage first) {
      this.name = first.trainer();
      this.arrivals = first.arrivals();
      this.total = first.total();
    }

    boolean isComplete() {
      return had.cardinality() == total;
    }
  }

  private final Map<Sender, OfTrainer> trainers = new LinkedHashMap<>();
  private final Map<String, String> tensors = new HashMap<>();
  private final List<Said> sums = new ArrayList<>();

  /** What cannot be; null if all that was said fits together. */
  private @Nullable String wrong;

  private long bytes;

  /** About how many bytes of memory what is kept takes, names and bits of what came with it. */
  long bytes() {
    return bytes;
  }

  /** How many sums are kept. */
  int size() {
    return sums.size();
  }

  /** Keeps what is said; false if it said nothing new. */
  boolean add(EngineId engine, SumMessage message) {
    if (wrong != null) {
      return false;
    }
    Sender sender = new Sender(engine, message.trainer());
    OfTrainer of = trainers.get(sender);
    boolean isFirst = of == null;
    if (of == null) {
      of = new OfTrainer(message);
      trainers.put(sender, of);
      bytes += BYTES_OF_TRAINER + (long) Character.BYTES * of.name.length();
    }
    if (of.arrivals != message.arrivals() || of.total != message.total()) {
      wrong = "trainer " + of.name + " has said different things of it";
      return true;
    }
    int count = message.count();
    int known = of.had.get(message.first(), message.first() + count).cardinality();
    if (known == count) {
      return isFirst; // it came twice
    }
    long bits = of.had.size();
    of.had.set(message.first(), message.first() + count);
    bytes += (of.had.size() - bits) / Byte.SIZE;
    for (SumMessage.OfTensor tensor : message.tensors()) {
      String name = kept(tensor.tensor());
      bytes += (long) BYTES_OF_SUM * tensor.sums().size();
      for (SumMessage.Sum sum : tensor.sums()) {
        sums.add(new Said(of.name, name, sum));
      }
    }
    return true;
  }

  /** The same name, which is kept once however many trainers write parts of its tensor. */
  private String kept(String tensor) {
    String known = tensors.putIfAbsent(tensor, tensor);
    if (known != null) {
      return known;
    }
    bytes += BYTES_OF_NAME + (long) Character.BYTES * tensor.length();
    return tensor;
  }

  /** Keeps nothing of it any more, nor what comes, and says why. */
  void giveUp(String why) {
    wrong = why;
    trainers.clear();
    tensors.clear();
    sums.clear();
    bytes = 0;
  }

  /** Whether all that has arrived is accounted for, and all sums of it are here. */
  boolean isComplete(long arrivals) {
    return said() == arrivals && trainers.values().stream().allMatch(OfTrainer::isComplete);
  }

  /** Why it can never be complete; null if it can. */
  @Nullable String wrong(long arrivals) {
    return wrong != null || said() <= arrivals
        ? wrong
        : "expected sums of " + arrivals + " writes, got those of " + said() + " by " + names();
  }

  /** What is missing, for people. */
  String missing(long arrivals) {
    String some =
        trainers.values().stream()
            .filter(of -> !of.isComplete())
            .map(of -> of.had.cardinality() + " of " + of.total + " sums of trainer " + of.name)
            .limit(MOST_NAMES)
            .collect(Collectors.joining(", "));
    return "expected sums of all "
        + arrivals
        + " writes, got those of "
        + said()
        + " by "
        + names()
        + (some.isEmpty() ? "" : ", of them " + some);
  }

  private long said() {
    return trainers.values().stream().mapToLong(of -> of.arrivals).reduce(0, SumsOfUpdate::plus);
  }

  private static long plus(long one, long other) {
    long sum = one + other;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  private String names() {
    if (trainers.isEmpty()) {
      return "nobody";
    }
    String names =
        trainers.values().stream()
            .map(of -> "trainer " + of.name)
            .limit(MOST_NAMES)
            .collect(Collectors.joining(", "));
    return trainers.size() > MOST_NAMES
        ? names + " and " + (trainers.size() - MOST_NAMES) + " more"
        : names;
  }

  List<Said> sums() {
    return List.copyOf(sums);
  }
}
