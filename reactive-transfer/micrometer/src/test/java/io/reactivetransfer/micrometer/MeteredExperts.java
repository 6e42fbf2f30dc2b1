package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredEngines.PATIENCE;

import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.moe.ExpertPlacement;
import io.reactivetransfer.moe.MoeGroup;
import io.reactivetransfer.moe.MoeMemory;
import io.reactivetransfer.moe.MoeNode;
import io.reactivetransfer.moe.MoeOptions;
import io.reactivetransfer.moe.MoeRecorder;
import io.reactivetransfer.moe.MoeShape;
import io.reactivetransfer.moe.MoeStep;
import io.reactivetransfer.moe.StepRefusedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Two ranks with two experts each, and one private slot at each rank. */
final class MeteredExperts {

  static final String NAME = "experts";
  static final int TOKENS = 3;

  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(2, 4), 2, 8, 16, 4)
          .privateTokens(1)
          .maxReceived(12)
          .build();

  final List<TransferEngine> engines;
  private final List<MoeNode> nodes;
  private final MoeOptions options;
  List<MoeGroup> groups;

  MeteredExperts(MeteredEngines engines, MoeRecorder recorder) {
    this.engines =
        Stream.generate(() -> engines.open(EngineRecorder.NONE)).limit(SHAPE.ranks()).toList();
    this.nodes = this.engines.stream().map(MoeNode::open).toList();
    this.options = options(recorder);
    this.groups = joined(NAME, options);
  }

  private static MoeOptions options(MoeRecorder recorder) {
    return MoeOptions.builder().recorder(recorder).closeTimeout(PATIENCE).build();
  }

  private List<MoeGroup> joined(String name, MoeOptions options) {
    return each(rank -> nodes.get(rank).join(name, SHAPE, addresses(), memory(rank), options));
  }

  /** The same two ranks have one more group, which is the one that steps are done in. */
  void joinAnother(String name) {
    groups = joined(name, options);
  }

  /** The same, and another recorder is told of it. */
  void joinAnother(String name, MoeRecorder recorder) {
    groups = joined(name, options(recorder));
  }

  private List<PeerAddress> addresses() {
    return engines.stream().map(TransferEngine::address).toList();
  }

  private static MemorySegment memory(int rank) {
    return Arena.ofAuto().allocate(SHAPE.memory(rank).bytes(), MoeMemory.ALIGNMENT);
  }

  private interface OfRank<T> {
    Mono<T> of(int rank);
  }

  private static <T> List<T> each(OfRank<T> action) {
    return Flux.range(0, SHAPE.ranks())
        .flatMapSequential(action::of, SHAPE.ranks())
        .collectList()
        .block(PATIENCE);
  }

  /** The same two ranks, in the next epoch. */
  void regroup() {
    groups = each(rank -> groups.get(rank).regroup(1, SHAPE, addresses(), memory(rank)));
  }

  /** A step in which rank 1 gets all tokens of both, {@link #TOKENS} of each at most. */
  void step(int tokens) {
    each(rank -> step(rank, tokens).thenReturn(rank));
  }

  /**
   * The same with too many; on both ranks it ends, and none is cancelled for the other one's end.
   */
  void refusedStep() {
    each(rank ->
        step(rank, TOKENS + 1)
            .thenReturn("done")
            .onErrorReturn(StepRefusedException.class, "refused"));
  }

  private Mono<Void> step(int rank, int tokens) {
    return Mono.defer(
        () -> begin(rank, tokens).run(tokens(tokens), _ -> Mono.empty(), sums(tokens)));
  }

  MemorySegment tokens(int tokens) {
    return MemorySegment.ofArray(new byte[tokens * 16]);
  }

  MemorySegment sums(int tokens) {
    return MemorySegment.ofArray(new byte[tokens * (int) SHAPE.sumBytes()]);
  }

  MoeStep begin(int rank, int tokens) {
    int[] experts = new int[2 * tokens];
    for (int i = 0; i < experts.length; i++) {
      experts[i] = 2 + i % 2;
    }
    return groups.get(rank).lane(0).begin(tokens, experts, new float[experts.length]);
  }

  void close() {
    Flux.fromIterable(groups).flatMap(MoeGroup::close).then().block(PATIENCE);
  }
}
