package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** All ranks of one group on the engines of a cluster, with memory, in one process. */
final class Rig implements AutoCloseable {

  /** Who closes with all others waits for nobody, so that a test would take too long otherwise. */
  static final MoeOptions OPTIONS =
      MoeOptions.builder().closeTimeout(Cluster.PATIENCE.multipliedBy(2)).build();

  final MoeShape shape;
  final List<MoeGroup> groups;
  private final Arena arena = Arena.ofShared();

  /** Null if nobody knows with which engines. */
  private final RegisteredTokens registered;

  /** Of all ranks, if it was made here. */
  final List<MemorySegment> memory = new ArrayList<>();

  /** The tokens of all groups in one step. */
  static final class Tokens {
    final int[] count;
    final MemorySegment[] payload;
    final int[][] experts;
    final float[][] weights;
    final MemorySegment[] expected;

    Tokens(RandomSteps random, MoeShape shape) {
      int groups = shape.groups().groups();
      count = new int[groups];
      payload = new MemorySegment[groups];
      experts = new int[groups][];
      weights = new float[groups][];
      expected = new MemorySegment[groups];
      for (int group = 0; group < groups; group++) {
        count[group] = random.tokens(shape);
        payload[group] = MemorySegment.ofArray(new byte[count[group] * shape.tokenBytes()]);
        for (int i = 0; i < payload[group].byteSize(); i++) {
          payload[group].set(ValueLayout.JAVA_BYTE, i, (byte) random.between(-128, 127));
        }
        experts[group] = random.experts(shape, count[group]);
        weights[group] = new float[experts[group].length];
        for (int i = 0; i < weights[group].length; i++) {
          weights[group][i] = random.nextWeight();
        }
        expected[group] =
            Model.reference(shape, count[group], payload[group], experts[group], weights[group]);
      }
    }
  }

  Rig(Cluster cluster, MoeShape shape, MoeOptions options) {
    this(cluster, "experts", shape, options);
  }

  Rig(Cluster cluster, String name, MoeShape shape, MoeOptions options) {
    this.shape = shape;
    this.registered =
        new RegisteredTokens(cluster.engines, arena, new RandomSteps(shape.toString().hashCode()));
    for (int rank = 0; rank < shape.ranks(); rank++) {
      memory.add(memory(rank));
    }
    this.groups =
        Cluster.await(
            Flux.range(0, shape.ranks())
                .flatMapSequential(
                    rank -> join(cluster, name, shape, rank, memory.get(rank), options),
                    shape.ranks())
                .collectList());
  }

  /** Of groups that have come about otherwise; they are closed with it. */
  Rig(MoeShape shape, List<MoeGroup> groups) {
    this.shape = shape;
    this.groups = groups;
    this.registered = null;
  }

  /** Filled with what no test expects. */
  private MemorySegment memory(int rank) {
    MemorySegment memory = arena.allocate(shape.memory(rank).bytes(), MoeMemory.ALIGNMENT);
    return memory.fill((byte) 0x7e);
  }

  static Mono<MoeGroup> join(
      Cluster cluster,
      String name,
      MoeShape shape,
      int rank,
      MemorySegment memory,
      MoeOptions options) {
    return cluster.nodes.get(rank).join(name, shape, cluster.addresses(), memory, options);
  }

  int groupOf(int rank) {
    return shape.groups().groupOf(rank);
  }

  MoeStep begin(int rank, int lane, Tokens tokens) {
    int group = groupOf(rank);
    return groups
        .get(rank)
        .lane(lane)
        .begin(tokens.count[group], tokens.experts[group], tokens.weights[group]);
  }

  MemorySegment sums(int rank, Tokens tokens) {
    return MemorySegment.ofArray(
        new byte[Math.toIntExact(tokens.count[groupOf(rank)] * shape.sumBytes())]);
  }

  /** One step of one rank; checks the sums when it is done. */
  Mono<Void> step(int rank, int lane, Tokens tokens) {
    return step(rank, lane, tokens, batch -> Model.compute(shape, batch));
  }

  Mono<Void> step(int rank, int lane, Tokens tokens, Consumer<ExpertBatch> experts) {
    return Mono.defer(() -> {
      MemorySegment sums = sums(rank, tokens);
      return begin(rank, lane, tokens)
          .run(
              tokens.payload[groupOf(rank)],
              batch -> Mono.fromRunnable(() -> experts.accept(batch)),
              sums)
          .doOnSuccess(done -> requireExact(rank, tokens, sums));
    });
  }

  /**
   * The same, of tokens that are registered, and that are overwritten as soon as they were sent.
   */
  Mono<Void> registeredStep(int rank, int lane, Tokens tokens) {
    int group = groupOf(rank);
    Mono<RegisteredTokens.Given> given =
        registered.give(rank, tokens.payload[group], tokens.count[group], shape.tokenBytes());
    return Mono.usingWhen(
        given,
        from -> registeredStep(rank, lane, tokens, from),
        from -> registered.giveBack(rank, from));
  }

  private Mono<Void> registeredStep(
      int rank, int lane, Tokens tokens, RegisteredTokens.Given given) {
    MemorySegment sums = sums(rank, tokens);
    MoeStep step = begin(rank, lane, tokens);
    return Mono.when(
            step.dispatchSend(given.slice(), given.stride()).doOnSuccess(done -> given.spoil()),
            step.dispatchReceive()
                .doOnNext(batch -> Model.compute(shape, batch))
                .then(Mono.when(step.combineSend(), step.combineReceive(sums))))
        .doOnSuccess(done -> requireExact(rank, tokens, sums));
  }

  /**
   * One step whose tokens and sums have a gap behind each; checks the sums, and that the gaps are
   * as they were, when it is done.
   */
  Mono<Void> stepWithGaps(int rank, int lane, Tokens tokens, int gap) {
    return Mono.defer(() -> {
      int group = groupOf(rank);
      Rows payload = new Rows(tokens.count[group], shape.tokenBytes(), gap);
      payload.put(tokens.payload[group]);
      Rows sums = new Rows(tokens.count[group], shape.sumBytes(), gap);
      MoeStep step = begin(rank, lane, tokens);
      return Mono.when(
              step.dispatchSend(payload.memory, payload.stride),
              step.dispatchReceive()
                  .doOnNext(batch -> Model.compute(shape, batch))
                  .then(
                      Mono.when(step.combineSend(), step.combineReceive(sums.memory, sums.stride))))
          .doOnSuccess(done -> {
            requireExact(rank, tokens, sums.taken());
            payload.taken();
          });
    });
  }

  /** Rows with a gap behind each but the last, which nobody else may touch. */
  private static final class Rows {
    private static final byte MARK = 0x55;

    final MemorySegment memory;
    final long stride;
    private final int count;
    private final long bytes;

    Rows(int count, long bytes, int gap) {
      this.count = count;
      this.bytes = bytes;
      stride = bytes + gap;
      long length = Math.max(0, count * stride - gap);
      memory = MemorySegment.ofArray(new byte[Math.toIntExact(length)]).fill(MARK);
    }

    void put(MemorySegment rows) {
      for (int row = 0; row < count; row++) {
        MemorySegment.copy(rows, row * bytes, memory, row * stride, bytes);
      }
    }

    /** Without the gaps, if these are as they were. */
    MemorySegment taken() {
      MemorySegment rows = MemorySegment.ofArray(new byte[Math.toIntExact(count * bytes)]);
      for (int row = 0; row < count; row++) {
        MemorySegment.copy(memory, row * stride, rows, row * bytes, bytes);
        memory.asSlice(row * stride, bytes).fill(MARK);
      }
      for (long i = 0; i < memory.byteSize(); i++) {
        assertThat(memory.get(ValueLayout.JAVA_BYTE, i)).as("byte %s of a gap", i).isEqualTo(MARK);
      }
      return rows;
    }
  }

  /** One step on lane 0 that is over when its sums are there; adds what is still being written. */
  Mono<Void> stepWithoutWaitingForWrites(int rank, Tokens tokens, List<Mono<Void>> writing) {
    return Mono.defer(() -> {
      MemorySegment sums = sums(rank, tokens);
      MoeStep step = begin(rank, 0, tokens);
      begin(step.dispatchSend(tokens.payload[groupOf(rank)]), writing);
      return step.dispatchReceive()
          .flatMap(batch -> {
            Model.compute(shape, batch);
            begin(step.combineSend(), writing);
            return step.combineReceive(sums);
          })
          .doOnSuccess(done -> requireExact(rank, tokens, sums));
    });
  }

  private static void begin(Mono<Void> half, List<Mono<Void>> writing) {
    Mono<Void> begun = half.cache();
    begun.subscribe(null, failure -> {});
    writing.add(begun);
  }

  void requireExact(int rank, Tokens tokens, MemorySegment sums) {
    Model.requireSame("rank " + rank, sums, tokens.expected[groupOf(rank)]);
  }

  /**
   * Steps of all ranks on one lane, one after the other; no rank waits for another between them.
   * Half of them have tokens that are registered.
   */
  Mono<Void> steps(int lane, List<Tokens> all) {
    List<Mono<Void>> ranks = new ArrayList<>();
    for (int rank = 0; rank < shape.ranks(); rank++) {
      int of = rank;
      ranks.add(Flux.fromIterable(all).concatMap(tokens -> any(of, lane, tokens)).then());
    }
    return Mono.when(ranks);
  }

  private Mono<Void> any(int rank, int lane, Tokens tokens) {
    return registered != null && registered.areNext()
        ? registeredStep(rank, lane, tokens)
        : step(rank, lane, tokens);
  }

  @Override
  public void close() {
    Flux.fromIterable(groups)
        .flatMap(group -> group.close().onErrorComplete(), groups.size())
        .blockLast(Cluster.PATIENCE);
    if (registered != null) {
      registered.close().block(Cluster.PATIENCE);
    }
    arena.close();
  }
}
