package io.reactivetransfer.examples.together;

import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.moe.ExpertBatch;
import io.reactivetransfer.moe.ExpertPlacement;
import io.reactivetransfer.moe.FloatType;
import io.reactivetransfer.moe.MoeGroup;
import io.reactivetransfer.moe.MoeOptions;
import io.reactivetransfer.moe.MoeShape;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** All nodes send tokens to experts on all nodes, and sum the results up. */
final class Steps implements Pipeline {

  private static final int EXPERTS_OF_ONE = 3;
  private static final int TOP_K = 2;
  private static final int TOKENS = 32;
  private static final int HIDDEN = 64;
  private static final int TOKEN_BYTES = HIDDEN * Float.BYTES;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final List<MoeGroup> groups;

  private Steps(List<MoeGroup> groups) {
    this.groups = groups;
  }

  static Mono<Pipeline> open(List<Site> sites) {
    return Mono.defer(() -> {
      MoeShape shape = shape(sites.size());
      List<PeerAddress> ranks = sites.stream().map(site -> site.engine.address()).toList();
      return Flux.fromIterable(sites)
          .flatMapSequential(site -> join(site, shape, ranks), sites.size())
          .collectList()
          .map(Steps::new);
    });
  }

  private static MoeShape shape(int ranks) {
    return MoeShape.builder(
            ExpertPlacement.even(ranks, ranks * EXPERTS_OF_ONE), TOP_K, TOKENS, TOKEN_BYTES, HIDDEN)
        .resultType(FloatType.FP32)
        .sumType(FloatType.FP32)
        .build();
  }

  private static Mono<MoeGroup> join(Site site, MoeShape shape, List<PeerAddress> ranks) {
    long bytes = shape.memory(ranks.indexOf(site.engine.address())).bytes();
    MoeOptions options = MoeOptions.builder().scheduler(site.scheduler).timers(site.timers).build();
    return site.experts.join("layers/1", shape, ranks, site.allocate(bytes), options);
  }

  @Override
  public String name() {
    return "experts";
  }

  @Override
  public long bytes() {
    return 2L * groups.size() * TOKENS * TOP_K * TOKEN_BYTES;
  }

  @Override
  public Mono<Void> once(long number) {
    return Flux.fromIterable(groups).flatMap(group -> step(group, number), groups.size()).then();
  }

  private static Mono<Void> step(MoeGroup group, long number) {
    return Mono.defer(() -> {
      int all = group.shape().ranks() * EXPERTS_OF_ONE;
      SplittableRandom random = new SplittableRandom(number * 64 + group.rank());
      int tokens = random.nextInt(TOKENS + 1);
      int[] experts = new int[tokens * TOP_K];
      float[] weights = new float[tokens * TOP_K];
      float[] values = new float[tokens * HIDDEN];
      float[] expected = new float[tokens * HIDDEN];
      for (int token = 0; token < tokens; token++) {
        int first = random.nextInt(all);
        int second = (first + 1 + random.nextInt(all - 1)) % all;
        experts[token * TOP_K] = first;
        experts[token * TOP_K + 1] = second;
        weights[token * TOP_K] = 0.5f;
        weights[token * TOP_K + 1] = 2;
        for (int at = token * HIDDEN; at < (token + 1) * HIDDEN; at++) {
          // Whole numbers of few digits, so that every order of summing gives the same.
          values[at] = random.nextInt(1_000);
          expected[at] = values[at] * (0.5f * (first + 1) + 2 * (second + 1));
        }
      }
      MemorySegment sums = MemorySegment.ofArray(new float[tokens * HIDDEN]);
      return group
          .lane(0)
          .begin(tokens, experts, weights)
          .run(
              MemorySegment.ofArray(values), batch -> Mono.fromRunnable(() -> compute(batch)), sums)
          .then(Mono.fromRunnable(() -> compare(sums, expected)));
    });
  }

  /** Expert e multiplies by e + 1. */
  private static void compute(ExpertBatch batch) {
    for (int i = 0; i < batch.experts(); i++) {
      int factor = batch.expert(i) + 1;
      for (int row = batch.firstRow(i); row < batch.firstRow(i) + batch.count(i); row++) {
        for (int j = 0; j < HIDDEN; j++) {
          long column = (long) j * Float.BYTES;
          float value = batch.tokens().get(FLOAT, row * batch.tokenStride() + column);
          batch.results().set(FLOAT, row * batch.resultStride() + column, value * factor);
        }
      }
    }
  }

  private static void compare(MemorySegment sums, float[] expected) {
    long at = sums.mismatch(MemorySegment.ofArray(expected));
    if (at >= 0) {
      int number = (int) (at / Float.BYTES);
      throw new WrongBytesException(
          "experts: expected a sum of %s at %d, got %s"
              .formatted(expected[number], number, sums.getAtIndex(FLOAT, number)));
    }
  }

  @Override
  public Mono<Void> close() {
    return Flux.fromIterable(groups).flatMap(MoeGroup::close, groups.size()).then();
  }
}
