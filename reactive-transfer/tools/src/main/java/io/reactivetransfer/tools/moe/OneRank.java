package io.reactivetransfer.tools.moe;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.IdleStrategy;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.loopback.LoopbackNetwork;
import io.reactivetransfer.moe.ExpertPlacement;
import io.reactivetransfer.moe.FloatType;
import io.reactivetransfer.moe.MoeGroup;
import io.reactivetransfer.moe.MoeLane;
import io.reactivetransfer.moe.MoeMemory;
import io.reactivetransfer.moe.MoeMemory.Section;
import io.reactivetransfer.moe.MoeNode;
import io.reactivetransfer.moe.MoeOptions;
import io.reactivetransfer.moe.MoeShape;
import io.reactivetransfer.moe.MoeStep;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * One rank of a group of many whose NIC moves nothing. All ranks join in earnest, and do one step
 * over loopback, in which the NIC of rank 0 learns what arrives there. Then the others go, and it
 * goes on alone: its NIC reports the same arrivals again in each step. What it posts, and what it
 * is told, is what a real one would be.
 */
public final class OneRank implements AutoCloseable {

  /** What is exchanged in a step, in the order of the immediates under which it arrives. */
  public enum Exchange {
    /** How many tokens go where. */
    ROUTES(0),
    /** What fits into private slots. */
    TOKENS(1),
    /** What comes back. */
    RESULTS(2),
    /** That all others are as far, if there are barriers: under an immediate of their own. */
    BARRIER(-1);

    /** Of the immediates of a lane by their values, which one says that it has come. */
    private final int number;

    Exchange(int number) {
      this.number = number;
    }
  }

  private static final Runnable NOTHING =
      new Runnable() {
        @Override
        public void run() {}
      };

  private static final int IMMS_PER_LANE = 3;
  private static final int TOP_K = 8;
  private static final int TOKEN_BYTES = 16;
  private static final int HIDDEN = 8;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final ValueLayout.OfLong STEP =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final @Nullable StagedLoop loop;
  private final SilentBackend backend;
  private final TransferEngine engine;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final List<MoeLane> lanes = new ArrayList<>();
  private final @Nullable Barrier barrier;
  private final int ranks;
  private final int tokens;
  private final int[] experts;
  private final float[] weights;
  private final MemorySegment payload;
  private final MemorySegment sums;
  private final long[] rows;
  private final long rowBytes;
  private final Ended dispatchSent = new Ended();
  private final Ended dispatchReceived = new Ended();
  private final Ended combineSent = new Ended();
  private final Ended combineReceived = new Ended();
  private final Ended barrierPassed = new Ended();
  private final Consumer<@Nullable Throwable> passed = barrierPassed::end;

  /** How many steps were done on each lane, with the one in which its NIC has learned. */
  private final long[] steps;

  private int next;

  private OneRank(
      @Nullable StagedLoop loop,
      SilentBackend backend,
      TransferEngine engine,
      MemorySegment memory,
      MoeGroup group,
      int tokens,
      @Nullable Barrier barrier) {
    this.loop = loop;
    this.backend = backend;
    this.engine = engine;
    this.memory = memory;
    this.tokens = tokens;
    this.barrier = barrier;
    ranks = group.shape().ranks();
    experts = experts(group.shape(), 0, tokens);
    weights = new float[experts.length];
    Arrays.fill(weights, 1);
    payload = arena.allocate((long) tokens * TOKEN_BYTES, 16);
    sums = arena.allocate(tokens * group.shape().sumBytes(), 16);
    MoeMemory places = group.shape().memory(0);
    rows = new long[group.shape().lanes()];
    steps = new long[rows.length];
    for (int lane = 0; lane < rows.length; lane++) {
      lanes.add(group.lane(lane));
      rows[lane] = places.offset(lane, Section.ROWS);
      steps[lane] = 1;
    }
    rowBytes = places.length(Section.ROWS) / ranks;
  }

  /**
   * Joins, learns, and is alone.
   *
   * @param ranks how many there are, 2 or more
   * @param tokens how many each rank has in a step
   * @param byHand whether the engine's worker runs on the caller's thread, who must make all calls
   */
  public static OneRank open(int ranks, int tokens, boolean byHand) {
    return open(ranks, tokens, byHand, 1, false);
  }

  /**
   * The same, in one of the ways in which memory may be used again.
   *
   * @param lanes on how many of them steps go in turn, 1 or more
   * @param barriers whether there is a barrier behind each exchange, as in the reference system
   */
  public static OneRank open(int ranks, int tokens, boolean byHand, int lanes, boolean barriers) {
    StagedLoop loop = byHand ? new StagedLoop() : null;
    LoopbackBackend loopback =
        LoopbackBackend.builder().network(new LoopbackNetwork()).queueDepth(1 << 12).build();
    SilentBackend backend = new SilentBackend(loopback, loop);
    EngineOptions quiet =
        EngineOptions.builder()
            .idle(IdleStrategy.spin())
            .livenessDeadline(Duration.ofHours(24))
            .closeTimeout(Duration.ofMillis(100))
            .signalScheduler(Schedulers.immediate())
            .build();
    List<TransferEngine> engines = new ArrayList<>();
    engines.add(
        await(
            loop,
            TransferEngineBuilder.create().backend(backend).options(quiet).open().toFuture()));
    EngineOptions others =
        EngineOptions.builder()
            .livenessDeadline(Duration.ofMinutes(5))
            .closeTimeout(Duration.ofMillis(100))
            .build();
    for (int rank = 1; rank < ranks; rank++) {
      engines.add(
          await(
              loop,
              TransferEngineBuilder.create().backend(loopback).options(others).open().toFuture()));
    }
    MoeShape shape =
        MoeShape.builder(ExpertPlacement.even(ranks, 4 * ranks), TOP_K, tokens, TOKEN_BYTES, HIDDEN)
            .resultType(FloatType.BF16)
            .sumType(FloatType.BF16)
            .privateTokens(2 * tokens * TOP_K / ranks + TOP_K)
            .maxReceived(2 * tokens * TOP_K)
            .lanes(lanes)
            .build();
    MemorySegment memory = null;
    List<Mono<MoeGroup>> joins = new ArrayList<>();
    List<PeerAddress> addresses = engines.stream().map(TransferEngine::address).toList();
    MoeOptions options =
        MoeOptions.builder()
            .scheduler(Schedulers.immediate())
            .reuseSteps(true)
            .closeTimeout(Duration.ofMillis(100))
            .build();
    for (TransferEngine each : engines) {
      int rank = joins.size();
      MemorySegment of = Arena.ofAuto().allocate(shape.memory(rank).bytes(), MoeMemory.ALIGNMENT);
      memory = rank == 0 ? of : memory;
      joins.add(MoeNode.open(each).join("host-work", shape, addresses, of, options));
    }
    List<MoeGroup> groups =
        await(loop, Flux.mergeSequential(joins, ranks, 1).collectList().toFuture());
    for (int lane = 0; lane < lanes; lane++) {
      int learned = lane;
      await(
          loop,
          Mono.when(groups.stream().map(group -> step(group.lane(learned), group)).toList())
              .thenReturn(1)
              .toFuture());
    }
    Barrier barrier = barriers ? barrier(loop, engines) : null;
    OneRank one =
        new OneRank(
            loop,
            backend,
            engines.getFirst(),
            Objects.requireNonNull(memory),
            groups.getFirst(),
            tokens,
            barrier);
    one.cutOff();
    await(
        loop,
        Flux.fromIterable(engines.subList(1, ranks))
            .flatMap(TransferEngine::close)
            .then(Mono.just(1))
            .toFuture());
    return one;
  }

  /** That of the first of them, which all have passed once. */
  private static Barrier barrier(@Nullable StagedLoop loop, List<TransferEngine> engines) {
    int ranks = engines.size();
    List<Barrier> all =
        await(
            loop,
            Flux.fromIterable(engines)
                .concatMap(engine -> Barrier.open(engine, ranks))
                .collectList()
                .toFuture());
    List<String> lines = all.stream().map(Barrier::toLine).toList();
    for (int rank = 0; rank < ranks; rank++) {
      all.get(rank).join(lines, rank);
    }
    await(loop, Mono.when(all.stream().map(Barrier::pass).toList()).thenReturn(1).toFuture());
    return all.getFirst();
  }

  /** A barrier is passed when all others are there, and its own writes may not be over then. */
  private void cutOff() {
    await(
        loop,
        Mono.fromCallable(backend::cutOff)
            .filter(Boolean::booleanValue)
            .subscribeOn(engine.scheduler())
            .repeatWhenEmpty(times -> times)
            .toFuture());
    int kinds = IMMS_PER_LANE * lanes.size() + (barrier == null ? 0 : 1);
    if (backend.nic().kinds() != kinds) {
      throw new IllegalStateException(
          "expected arrivals under %d immediates, got %d".formatted(kinds, backend.nic().kinds()));
    }
  }

  /** Tokens go to all ranks alike. */
  private static int[] experts(MoeShape shape, int rank, int tokens) {
    int all = shape.placement().experts();
    int[] experts = new int[tokens * TOP_K];
    for (int i = 0; i < experts.length; i++) {
      // Four for each rank: the next pair is for the next rank.
      int round = i / shape.ranks();
      experts[i] = (i % shape.ranks() * 4 + (round + rank) % 4) % all;
    }
    return experts;
  }

  private static Mono<Void> step(MoeLane lane, MoeGroup group) {
    MoeShape shape = group.shape();
    int tokens = shape.maxTokens();
    int[] experts = experts(shape, group.rank(), tokens);
    MemorySegment payload = Arena.ofAuto().allocate((long) tokens * TOKEN_BYTES, 16);
    MemorySegment sums = Arena.ofAuto().allocate(tokens * shape.sumBytes(), 16);
    return lane.begin(tokens, experts, new float[experts.length])
        .run(payload, batch -> Mono.empty(), sums);
  }

  /** How many writes this rank posts in an exchange. */
  public int writes(Exchange exchange) {
    return ranks - 1; // one to each other rank, and all get tokens
  }

  /** One step, whose moments go to whoever measures. */
  public void step(Moments moments) {
    SilentDomain nic = backend.nic();
    int lane = next;
    next = lane + 1 == rows.length ? 0 : lane + 1;
    MoeStep step = lanes.get(lane).begin(tokens, experts, weights);
    nic.begin(writes(Exchange.ROUTES));
    Mono<Void> send = step.dispatchSend(payload);
    long begun = System.nanoTime();
    send.subscribe(dispatchSent.anew());
    long enqueued = System.nanoTime();
    awaitPosts(nic, dispatchSent);
    moments.posted(
        Exchange.ROUTES, begun, enqueued, nic.turnNanos(), nic.firstNanos(), nic.lastNanos());
    step.dispatchReceive().subscribe(dispatchReceived.anew());
    steps[lane]++;
    for (int rank = 1; rank < ranks; rank++) {
      memory.set(STEP, rows[lane] + rank * rowBytes, steps[lane]);
    }
    deliver(nic, lane, Exchange.ROUTES);
    deliver(nic, lane, Exchange.TOKENS);
    await(dispatchReceived);
    await(dispatchSent);
    passBarrier(nic, moments);
    nic.begin(writes(Exchange.RESULTS));
    Mono<Void> back = step.combineSend();
    begun = System.nanoTime();
    back.subscribe(combineSent.anew());
    enqueued = System.nanoTime();
    awaitPosts(nic, combineSent);
    moments.posted(
        Exchange.RESULTS, begun, enqueued, nic.turnNanos(), nic.firstNanos(), nic.lastNanos());
    step.combineReceive(sums).subscribe(combineReceived.anew());
    deliver(nic, lane, Exchange.RESULTS);
    await(combineReceived);
    await(combineSent);
    passBarrier(nic, moments);
  }

  /** If there are barriers. */
  private void passBarrier(SilentDomain nic, Moments moments) {
    Barrier all = barrier;
    if (all == null) {
      return;
    }
    nic.begin(writes(Exchange.BARRIER));
    barrierPassed.anew();
    long begun = System.nanoTime();
    all.pass(passed);
    long enqueued = System.nanoTime();
    awaitPosts(nic, barrierPassed);
    moments.posted(
        Exchange.BARRIER, begun, enqueued, nic.turnNanos(), nic.firstNanos(), nic.lastNanos());
    deliver(nic, IMMS_PER_LANE * rows.length); // it was leased behind those of the lanes
    await(barrierPassed);
  }

  private void deliver(SilentDomain nic, int lane, Exchange exchange) {
    deliver(nic, lane * IMMS_PER_LANE + exchange.number);
  }

  private void deliver(SilentDomain nic, int kind) {
    nic.deliver(kind);
    while (!nic.isDelivered()) {
      turn();
    }
  }

  private void awaitPosts(SilentDomain nic, Ended half) {
    while (!nic.isPosted() && half.failure() == null) {
      turn();
    }
    half.requireNoFailure();
  }

  private void await(Ended half) {
    while (!half.isOver) {
      turn();
    }
    half.requireNoFailure();
  }

  private void turn() {
    if (loop == null) {
      Thread.onSpinWait();
    } else if (!loop.turn()) {
      // A spinning thread polls; by hand that is a task of its own.
      engine.executor().execute(NOTHING);
    }
  }

  private static <T> T await(@Nullable StagedLoop loop, CompletableFuture<@Nullable T> future) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (loop != null && !future.isDone() && System.nanoTime() - end < 0) {
      if (!loop.turn() && !loop.turnDue()) {
        Thread.onSpinWait();
      }
    }
    return Objects.requireNonNull(future.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join());
  }

  @Override
  public void close() {
    await(loop, engine.close().thenReturn(1).toFuture());
    arena.close();
  }

  /** Waits for a half; the same one for each step. */
  private static final class Ended implements CoreSubscriber<Object> {
    private volatile @Nullable Throwable failure;
    private volatile boolean isOver;

    Ended anew() {
      isOver = false;
      return this;
    }

    void end(@Nullable Throwable reason) {
      failure = reason;
      isOver = true;
    }

    @Nullable Throwable failure() {
      return failure;
    }

    void requireNoFailure() {
      Throwable reason = failure;
      if (reason != null) {
        throw new IllegalStateException("a half failed: " + reason.getMessage(), reason);
      }
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(Object element) {}

    @Override
    public void onError(Throwable reason) {
      end(reason);
    }

    @Override
    public void onComplete() {
      end(null);
    }
  }
}
