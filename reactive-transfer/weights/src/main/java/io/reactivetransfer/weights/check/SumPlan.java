package io.reactivetransfer.weights.check;

import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Runs;
import io.reactivetransfer.weights.plan.Step;
import io.reactivetransfer.weights.plan.TableTensor;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** Of which pieces one rank of the trainer says sums in one update. */
final class SumPlan {

  /** One byte of so many is summed up, of a sample. */
  private static final long SHARE = 100;

  /** The most pieces of a tensor. */
  private static final int MOST_PIECES = 4;

  /** What a tensor has to have for one more piece. */
  private static final long PIECE_BYTES = 4_096;

  /** As many names as a reason can tell. */
  private static final int MOST_NAMES = 8;

  /** A smaller piece costs as much as this one. */
  private static final long LEAST_BYTES = 64;

  private record Place(Step step, int run) {
    Runs runs() {
      return step.runs();
    }

    long bytes() {
      return runs().bytes(run);
    }
  }

  private final RoutingTable table;
  private final SplittableRandom random;
  private final Map<Long, List<SumPiece>> ofStep = new HashMap<>();

  /** How many writes each inference rank gets of this one. */
  final long[] arrivals;

  /** How many steps write to each inference rank. */
  final int[] steps;

  /** How many bytes each inference rank gets, and of how many of them it gets sums. */
  final long[] bytes;

  final long[] summedBytes;

  /** How many sums each inference rank gets. */
  final long[] sums;

  private final String trainer;
  private final ChecksumScope scope;

  /** More sums for an inference rank are not drawn. */
  private final long most;

  private SumPlan(RoutingTable table, int rank, ChecksumScope scope, long seed, long most) {
    this.most = most;
    this.table = table;
    this.trainer = table.sources().get(rank).name();
    this.scope = scope;
    this.random = new SplittableRandom(seed);
    this.arrivals = new long[table.targets().size()];
    this.steps = new int[arrivals.length];
    this.bytes = new long[arrivals.length];
    this.summedBytes = new long[arrivals.length];
    this.sums = new long[arrivals.length];
    Map<String, List<Place>> ofTensor = new LinkedHashMap<>();
    for (Step step : table.steps(rank)) {
      if (!(step instanceof Step.Gather)) {
        targets(step).stream().forEach(target -> steps[target]++);
        ofStep.put(step.order(), new ArrayList<>());
        for (int run = 0; run < step.runs().size(); run++) {
          Place place = new Place(step, run);
          count(place);
          ofTensor.computeIfAbsent(tensor(place), name -> new ArrayList<>()).add(place);
        }
      }
    }
    requireKnown(table, scope);
    if (scope.degree() != ChecksumScope.Degree.NONE) {
      List<String> sampled = new ArrayList<>();
      ofTensor.forEach((tensor, places) -> {
        if (scope.isAll(tensor)) {
          places.forEach(place -> add(tensor, place, 0, place.runs().rows(place.run), 0, -1));
        } else {
          sampled.add(tensor);
        }
      });
      Collections.shuffle(sampled, random); // not always the same ones are left out
      sampled.forEach(tensor -> sample(tensor, ofTensor.getOrDefault(tensor, List.of())));
      sampleOthers(ofTensor);
    }
  }

  /**
   * Decides. Samples of all ranks of the trainer together are no more than an inference rank takes.
   *
   * @param rank index of the rank of the trainer
   * @param seed samples with another one are others
   */
  static SumPlan of(RoutingTable table, int rank, ChecksumScope scope, long seed) {
    return of(table, rank, scope, seed, SumCodec.MAX_SUMS / table.sources().size());
  }

  /**
   * The same.
   *
   * @param most sums that are drawn for an inference rank, beside those that it must have
   */
  static SumPlan of(RoutingTable table, int rank, ChecksumScope scope, long seed, long most) {
    return new SumPlan(table, rank, scope, seed, most);
  }

  private static void requireKnown(RoutingTable table, ChecksumScope scope) {
    Set<String> unknown = new TreeSet<>(scope.tensors());
    table.tensors().forEach(tensor -> unknown.remove(tensor.tensor().name()));
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException(
          "expected tensors of the inference engine to sum up all of, got "
              + unknown.stream().limit(MOST_NAMES).toList());
    }
  }

  /**
   * Refuses more sums than an inference rank takes of one rank of the trainer.
   *
   * @param target index of the inference rank
   */
  void requireFew(int target, int most) {
    if (sums[target] > most) {
      int named = scope.tensors().size();
      throw new IllegalArgumentException(
          "expected at most "
              + most
              + " checksums of trainer "
              + trainer
              + " for rank "
              + table.targets().get(target).name()
              + ", got "
              + sums[target]
              + " with a scope of "
              + scope.degree()
              + (named == 0 ? "" : " and all of " + named + " tensors")
              + "; all bytes of fewer tensors would fit, or a table of larger steps");
    }
  }

  /** The pieces of a step. */
  List<SumPiece> pieces(Step step) {
    return ofStep.getOrDefault(step.order(), List.of());
  }

  /** Inference ranks to which a step writes. */
  static BitSet targets(Step step) {
    BitSet targets = new BitSet();
    Runs runs = step.runs();
    for (int run = 0; run < runs.size(); run++) {
      for (int i = 0; i < runs.targets(run); i++) {
        targets.set(runs.target(run, i));
      }
    }
    return targets;
  }

  private void count(Place place) {
    Runs runs = place.runs();
    for (int i = 0; i < runs.targets(place.run); i++) {
      int target = runs.target(place.run, i);
      arrivals[target]++;
      bytes[target] += place.bytes();
    }
  }

  private String tensor(Place place) {
    TableTensor tensor = table.tensors().get(place.step.tensor());
    return place.runs().sourceRegion(place.run) == Runs.SCALES
        ? table.tensors().get(tensor.scales()).tensor().name()
        : tensor.tensor().name();
  }

  /** A few pieces of a tensor, wherever its bytes are. */
  private void sample(String tensor, List<Place> places) {
    long all = places.stream().mapToLong(Place::bytes).sum();
    long share = all / SHARE;
    long pieces = Math.clamp(share / PIECE_BYTES, 1, MOST_PIECES);
    for (int i = 0; i < pieces; i++) {
      long at = random.nextLong(all);
      int index = 0;
      while (at >= places.get(index).bytes()) {
        at -= places.get(index++).bytes();
      }
      if (hasRoom(places.get(index))) {
        add(tensor, places.get(index), at, Math.max(LEAST_BYTES, share / pieces));
      }
    }
  }

  private boolean hasRoom(Place place) {
    Runs runs = place.runs();
    for (int i = 0; i < runs.targets(place.run); i++) {
      if (sums[runs.target(place.run, i)] >= most) {
        return false;
      }
    }
    return true;
  }

  /** Inference ranks of which no piece was taken get one, too: of any of their runs. */
  private void sampleOthers(Map<String, List<Place>> ofTensor) {
    int[] seen = new int[arrivals.length];
    Map<Integer, Place> taken = new LinkedHashMap<>();
    ofTensor
        .values()
        .forEach(places -> {
          for (Place place : places) {
            Runs runs = place.runs();
            for (int i = 0; i < runs.targets(place.run); i++) {
              int target = runs.target(place.run, i);
              if (summedBytes[target] == 0 && random.nextInt(++seen[target]) == 0) {
                taken.put(target, place);
              }
            }
          }
        });
    taken.forEach((target, place) -> {
      if (summedBytes[target] == 0) {
        long share = Math.clamp(bytes[target] / SHARE, LEAST_BYTES, PIECE_BYTES);
        add(tensor(place), place, random.nextLong(place.bytes()), share);
      }
    });
  }

  /** So many bytes from one on: within a row, or whole rows. */
  private void add(String tensor, Place place, long at, long most) {
    Runs runs = place.runs();
    long rowBytes = runs.rowBytes(place.run);
    long row = at / rowBytes;
    if (most < rowBytes) {
      long from = Math.min(at % rowBytes, rowBytes - most);
      add(tensor, place, row, 1, from, most);
    } else {
      add(tensor, place, row, Math.min(most / rowBytes, runs.rows(place.run) - row), 0, -1);
    }
  }

  private void add(String tensor, Place place, long row, long rows, long from, long length) {
    Runs runs = place.runs();
    long bytesOfRow = length < 0 ? runs.rowBytes(place.run) : length;
    SumPiece piece = new SumPiece(tensor, runs, place.run, row, rows, from, bytesOfRow);
    ofStep.computeIfAbsent(place.step.order(), order -> new ArrayList<>()).add(piece);
    for (int i = 0; i < runs.targets(place.run); i++) {
      summedBytes[runs.target(place.run, i)] += piece.bytes();
      sums[runs.target(place.run, i)]++;
    }
  }
}
