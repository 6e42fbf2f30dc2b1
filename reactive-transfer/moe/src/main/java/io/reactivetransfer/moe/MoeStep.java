package io.reactivetransfer.moe;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.TransferEngine;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/**
 * One step of a lane, in four halves that can be driven apart: other work, or a step of another
 * lane, fits between any two of them. They are subscribed to in their order, each once; that two
 * are under way at once is the rule: {@link #dispatchReceive} needs no more than that {@link
 * #dispatchSend} was subscribed to, and {@link #combineReceive} that {@link #combineSend} was.
 *
 * <p>A half does its part when it is subscribed to, and ends with one signal, in one of these ways:
 * it completes; it fails with a {@link StepRefusedException}, as all halves of the step do on all
 * ranks, and the group goes on; with a {@link GroupFailedException}, when no transfer of this
 * engine uses memory of the group any more and nobody copies, though others may write to the
 * group's own sections until it has closed; or with an {@link IllegalStateException}, if it was not
 * its turn, which changes nothing. Cancelling one that has not ended gives the whole group up, on
 * all ranks, unless the step is over, since {@link #combineReceive} has completed; it has no
 * signal, and memory that it was given may be read or written until {@link MoeGroup#close()} has
 * completed.
 *
 * <p>Signals come on whichever thread the group has learnt the cause from: one of the engine's
 * signal scheduler, of the scheduler or the timers of the {@link MoeOptions}, or one that calls the
 * group, for another lane, too. Others may have to wait behind it, so a subscriber must neither
 * block nor compute for long; {@code publishOn} takes that elsewhere. Halves may be subscribed to
 * from any thread, but not while {@link MoeLane#begin} runs on their lane.
 */
public final class MoeStep {

  private final Group group;
  private final MoeLane lane;
  private int tokens;

  private static final int DISPATCH_SEND = 1;
  private static final int DISPATCH_RECEIVE = 2;
  private static final int COMBINE_SEND = 4;
  private static final int COMBINE_RECEIVE = 8;

  private final AtomicBoolean hasBegun = new AtomicBoolean();

  /** The kinds of halves that were subscribed to. */
  private final AtomicInteger kinds = new AtomicInteger();

  private volatile boolean isOver;

  /**
   * Whether a half of it was handed out more than once, where steps are one object: what becomes of
   * the other ones is known to nobody, so the next step is another object.
   */
  private volatile boolean hasMoreHalves;

  /** How often this object was another step. */
  private int life;

  private @Nullable StepRefusedException refusal;

  // In turns: what was subscribed to, and what has completed.
  private @Nullable StepHalf<ExpertBatch> receiving;
  private boolean dispatchReceived;
  private boolean combineSendBegun;
  private boolean combineReceiveBegun;

  /** The halves of all steps, where these are one object. */
  private final @Nullable Halves halves;

  /** The four halves; publishers that are handed out again and again. */
  private record Halves(
      StepHalf<Void> dispatchSend,
      StepHalf<ExpertBatch> dispatchReceive,
      StepHalf<Void> combineSend,
      StepHalf<Void> combineReceive) {}

  MoeStep(Group group, MoeLane lane, int tokens) {
    this.group = group;
    this.lane = lane;
    this.tokens = tokens;
    this.halves =
        group.options.reusesSteps()
            ? new Halves(
                new StepHalf<>(group, this, DISPATCH_SEND, MoeStep::beginDispatchSend),
                new StepHalf<>(group, this, DISPATCH_RECEIVE, MoeStep::beginDispatchReceive),
                new StepHalf<>(group, this, COMBINE_SEND, MoeStep::beginCombineSend),
                new StepHalf<>(group, this, COMBINE_RECEIVE, MoeStep::beginCombineReceive))
            : null;
  }

  /** Which of the steps that are this object it is now. */
  int life() {
    return life;
  }

  /** The next step, of the same object. */
  MoeStep anew(int tokens) {
    this.tokens = tokens;
    life++;
    hasBegun.set(false);
    kinds.set(0);
    isOver = false;
    refusal = null;
    receiving = null;
    dispatchReceived = false;
    combineSendBegun = false;
    combineReceiveBegun = false;
    Halves all = halves;
    if (all != null) {
      all.dispatchSend().anew();
      all.dispatchReceive().anew();
      all.combineSend().anew();
      all.combineReceive().anew();
    }
    return this;
  }

  /** Whether nobody waits for any of its halves. */
  boolean isReusable() {
    Halves all = halves;
    return all != null
        && !hasMoreHalves
        && all.dispatchSend().isFree()
        && all.dispatchReceive().isFree()
        && all.combineSend().isFree()
        && all.combineReceive().isFree();
  }

  /** One of its halves was asked for again. */
  void handsOutMore() {
    hasMoreHalves = true;
  }

  boolean isReplaceable() {
    return !hasBegun.get() || isOver;
  }

  void over() {
    isOver = true;
  }

  void refused(StepRefusedException why) {
    refusal = why;
  }

  void dispatchReceived() {
    dispatchReceived = true;
  }

  /** The same, of tokens without gaps: {@link MoeShape#tokenBytes()} from each to the next. */
  public Mono<Void> dispatchSend(MemorySegment tokens) {
    return dispatchSend(tokens, group.shape.tokenBytes());
  }

  /**
   * Sends the routes and the tokens: what fits into private slots at once, the rest when the routes
   * of all ranks have come. Completes when all of it was written, and the tokens for this rank's
   * own experts are with them.
   *
   * @param tokens the tokens of this rank's group; read until this completes, but no longer than
   *     {@link #dispatchReceive} takes. Any thread must be able to read it
   * @param stride from each token to the next, in bytes, at least {@link MoeShape#tokenBytes()}
   * @throws IllegalArgumentException if that is not within the memory, or that was freed already
   */
  public Mono<Void> dispatchSend(MemorySegment tokens, long stride) {
    requireRows("tokens", tokens, stride, group.shape.tokenBytes());
    return dispatchSend(tokens, null, stride, null);
  }

  /** The same, of tokens without gaps in memory that is registered. */
  public Mono<Void> dispatchSend(MemorySlice tokens) {
    return dispatchSend(tokens, group.shape.tokenBytes());
  }

  /**
   * The same, of tokens in memory that is registered with the group's engine. Where its NICs gather
   * rows ({@link TransferEngine#maxGather()}), they read the tokens where they are, and nobody puts
   * them in send order before: a copy of all tokens less. Elsewhere, and on an accelerator, it is
   * as if they were not registered.
   *
   * <p>A group that fails says so when no transfer of this engine reads that region any more, those
   * of others included: do not keep it busy with anything else without a pause.
   *
   * @param tokens the tokens of this rank's group, in a region that stays open, and memory that
   *     stays as it is, until this has ended; may be registered for local use only
   * @throws IllegalArgumentException also if that is registered with another engine, or was closed
   *     already
   */
  public Mono<Void> dispatchSend(MemorySlice tokens, long stride) {
    MemoryRegion region = Objects.requireNonNull(tokens, "tokens").region();
    if (!region.engine().equals(group.engine.id())) {
      throw new IllegalArgumentException(
          "expected tokens that are registered with the group's engine "
              + group.engine.id()
              + ", got some of "
              + region.engine());
    }
    if (region.isClosed()) {
      throw new IllegalArgumentException(
          "expected tokens in an open region, got one of "
              + region.length()
              + " bytes that is closed");
    }
    return switch (region.memory()) {
      case HostMemory host -> {
        MemorySegment memory = host.segment().asSlice(tokens.offset(), tokens.length());
        requireRows("tokens", memory, stride, group.shape.tokenBytes());
        yield dispatchSend(memory, null, stride, tokens);
      }
      case DeviceMemory device ->
          dispatchSend(device.slice(tokens.offset(), tokens.length()), stride);
    };
  }

  /** The same, of tokens without gaps that may lie on an accelerator. */
  public Mono<Void> dispatchSend(Memory tokens) {
    return dispatchSend(tokens, group.shape.tokenBytes());
  }

  /**
   * The same, of tokens that may lie on an accelerator: they are copied to the host when this is
   * subscribed to, so what has made them must be over by then.
   *
   * @throws IllegalArgumentException also if the accelerator is not reached from this process
   */
  public Mono<Void> dispatchSend(Memory tokens, long stride) {
    return switch (Objects.requireNonNull(tokens, "tokens")) {
      case HostMemory host -> dispatchSend(host.segment(), stride);
      case DeviceMemory device -> {
        requireRows("tokens", device, stride, group.shape.tokenBytes());
        yield dispatchSend(MemorySegment.NULL, device, stride, null);
      }
    };
  }

  private Mono<Void> dispatchSend(
      MemorySegment tokens,
      @Nullable DeviceMemory device,
      long stride,
      @Nullable MemorySlice registered) {
    return half(
            halves == null ? null : halves.dispatchSend(),
            DISPATCH_SEND,
            MoeStep::beginDispatchSend)
        .beginning()
        .with(tokens, device, stride)
        .from(registered)
        .assembled();
  }

  /** At once, so that no other step is begun on the lane from here on. */
  void subscribed(StepHalf<?> half) {
    int before = kinds.get();
    while (!kinds.compareAndSet(before, before | half.kind)) {
      before = kinds.get();
    }
    half.isRepeated = (before & half.kind) != 0;
    half.isFirst = half.isBeginning && hasBegun.compareAndSet(false, true);
  }

  private void beginDispatchSend(StepHalf<Void> begun) {
    if (!begun.isFirst) {
      refuse(begun, "dispatchSend once");
    } else if (!lane.isCurrent(this)) {
      refuse(begun, "the last step that was begun");
    } else if (group.release.isClosing()) {
      refuse(begun, "a group that nobody closes");
    } else {
      begun.isRepeated = false;
      lane.dispatch.send(begun.memory, begun.deviceMemory, begun.stride, begun.slice, begun.half);
    }
  }

  /**
   * Receives the tokens of all ranks for this rank's experts. Emits them when all are there, by
   * expert, or, of a shape that is {@linkplain MoeShape#isInPlace() in place}, where they have
   * come. If results are sent from where experts put them, which is so in place and where NICs
   * gather rows ({@link TransferEngine#maxGather()}), it waits until those of the step before were
   * written, too.
   */
  public Mono<ExpertBatch> dispatchReceive() {
    return half(
            halves == null ? null : halves.dispatchReceive(),
            DISPATCH_RECEIVE,
            MoeStep::beginDispatchReceive)
        .assembled();
  }

  private void beginDispatchReceive(StepHalf<ExpertBatch> begun) {
    if (!hasBegun.get() || receiving != null) {
      refuse(begun, "dispatchReceive once, after dispatchSend");
    } else if (requireGoingOn(begun)) {
      receiving = begun;
      lane.dispatch.receive(this, begun.half);
    }
  }

  /**
   * Sends the results that lie in the {@link ExpertBatch} to where their tokens came from.
   * Completes when all of them were written. Until then they may be read where they lie, and those
   * that are this rank's own until {@link #combineReceive} has ended. Experts must have done with
   * the tokens: whoever has these results may send those of the next step to the same memory. Comes
   * after {@link #dispatchReceive} has emitted the batch; in a group with {@linkplain
   * MoeOptions.Builder#arrivalFlags arrival flags} also after the third word says that it is there.
   */
  public Mono<Void> combineSend() {
    return half(
            halves == null ? null : halves.combineSend(), COMBINE_SEND, MoeStep::beginCombineSend)
        .assembled();
  }

  /** Whether somebody can have put results: who was given the batch, or has seen its flag. */
  private boolean hasBatch() {
    StepHalf<ExpertBatch> given = receiving;
    return dispatchReceived
        && given != null
        && (given.isTold() || group.options.arrivalFlags() != null);
  }

  private void beginCombineSend(StepHalf<Void> begun) {
    if (combineSendBegun || (!hasBatch() && refusal == null)) {
      refuse(begun, "combineSend once, after dispatchReceive has completed");
    } else if (requireGoingOn(begun)) {
      combineSendBegun = true;
      lane.combine.send(begun.half);
    }
  }

  /** The same, to sums without gaps: {@link MoeShape#sumBytes()} from each to the next. */
  public Mono<Void> combineReceive(MemorySegment sums) {
    return combineReceive(sums, group.shape.sumBytes());
  }

  /**
   * Receives the results of this rank's own tokens, and sums them up. Completes when the sums are
   * there; then the next step may begin on this lane, though its own sends may still be written,
   * which {@link MoeGroup#close()} and {@link MoeGroup#regroup} take for a step that is under way.
   *
   * @param sums where they go, in the order of the tokens; written until this has ended. Any thread
   *     must be able to write it
   * @param stride from each sum to the next, in bytes, at least {@link MoeShape#sumBytes()}
   * @throws IllegalArgumentException if that is not within the memory, or that was freed already
   */
  public Mono<Void> combineReceive(MemorySegment sums, long stride) {
    requireRows("sums", sums, stride, group.shape.sumBytes());
    if (sums.isReadOnly()) {
      throw new IllegalArgumentException("expected sums to write to, got read-only memory");
    }
    return combineReceive(sums, null, stride);
  }

  /** The same, to sums without gaps that may lie on an accelerator. */
  public Mono<Void> combineReceive(Memory sums) {
    return combineReceive(sums, group.shape.sumBytes());
  }

  /**
   * The same, to sums that may lie on an accelerator: the host makes them, and copies them there.
   *
   * @throws IllegalArgumentException also if the accelerator is not reached from this process
   */
  public Mono<Void> combineReceive(Memory sums, long stride) {
    return switch (Objects.requireNonNull(sums, "sums")) {
      case HostMemory host -> combineReceive(host.segment(), stride);
      case DeviceMemory device -> {
        requireRows("sums", device, stride, group.shape.sumBytes());
        yield combineReceive(MemorySegment.NULL, device, stride);
      }
    };
  }

  private Mono<Void> combineReceive(
      MemorySegment sums, @Nullable DeviceMemory device, long stride) {
    return half(
            halves == null ? null : halves.combineReceive(),
            COMBINE_RECEIVE,
            MoeStep::beginCombineReceive)
        .with(sums, device, stride)
        .assembled();
  }

  private void beginCombineReceive(StepHalf<Void> begun) {
    if (combineReceiveBegun || (!combineSendBegun && refusal == null)) {
      refuse(begun, "combineReceive once, after combineSend");
    } else if (requireGoingOn(begun)) {
      combineReceiveBegun = true;
      lane.combine.receive(begun.memory, begun.deviceMemory, begun.stride, begun.half);
    }
  }

  /**
   * All four halves in a chain, with the experts between them. Completes when all have. What the
   * experts fail with ends it at once, and the group: nobody else would get their results. So does
   * cancelling. In both cases memory is in use until {@link MoeGroup#close()} has completed.
   *
   * @param tokens as in {@link #dispatchSend(MemorySegment)}
   * @param experts computes the results of a batch, and completes when they lie there; what it
   *     emits before is of no concern. A {@link LinkageError} or the like that it throws as it is
   *     called or subscribed to comes as the cause of an {@link IllegalStateException}, since
   *     Reactor would signal it to nobody; on another thread it has to signal it itself
   * @param sums as in {@link #combineReceive(MemorySegment)}
   */
  public Mono<Void> run(
      MemorySegment tokens,
      Function<? super ExpertBatch, ? extends Publisher<?>> experts,
      MemorySegment sums) {
    Objects.requireNonNull(experts, "experts");
    return run(dispatchSend(tokens), experts, combineReceive(sums));
  }

  /** The same, of tokens and sums that may lie on an accelerator. */
  public Mono<Void> run(
      Memory tokens, Function<? super ExpertBatch, ? extends Publisher<?>> experts, Memory sums) {
    Objects.requireNonNull(experts, "experts");
    return run(dispatchSend(tokens), experts, combineReceive(sums));
  }

  /** The same, of tokens that are registered: see {@link #dispatchSend(MemorySlice, long)}. */
  public Mono<Void> run(
      MemorySlice tokens,
      Function<? super ExpertBatch, ? extends Publisher<?>> experts,
      MemorySegment sums) {
    Objects.requireNonNull(experts, "experts");
    return run(dispatchSend(tokens), experts, combineReceive(sums));
  }

  /** The same, with sums that may lie on an accelerator. */
  public Mono<Void> run(
      MemorySlice tokens,
      Function<? super ExpertBatch, ? extends Publisher<?>> experts,
      Memory sums) {
    Objects.requireNonNull(experts, "experts");
    return run(dispatchSend(tokens), experts, combineReceive(sums));
  }

  private Mono<Void> run(
      Mono<Void> sent,
      Function<? super ExpertBatch, ? extends Publisher<?>> experts,
      Mono<Void> summed) {
    // Giving up ends a send that is still under way, which says so before the experts' failure
    // does.
    AtomicReference<@Nullable Throwable> own = new AtomicReference<>();
    Mono<Void> computed =
        dispatchReceive()
            .flatMap(batch ->
                ExpertsEnd.of(() -> experts.apply(batch))
                    .doOnError(e -> {
                      own.set(e);
                      giveUp("its experts have failed: " + Thrown.textOf(e));
                    })
                    .doOnCancel(() -> giveUp("its experts were cancelled")));
    Mono<Void> all =
        Mono.when(sent, computed.then(Mono.when(combineSend(), summed)))
            .onErrorMap(why -> Objects.requireNonNullElse(own.get(), why))
            // Between two halves none is out that would say so; where one is, it has said it.
            .doFinally(end -> {
              if (end == SignalType.CANCEL) {
                giveUp("it was cancelled");
              }
            });
    // Were it subscribed, the refusal of its first half would cancel a half of the run that goes
    // on.
    return Mono.defer(() -> hasBegun.get() ? Mono.error(outOfOrder("dispatchSend once")) : all);
  }

  /**
   * Gives the step up, and the group with it, on all ranks, unless it is over or another one was
   * begun in its place: for whoever cannot go on between two halves, or before the first one, when
   * others may have begun the same step and wait for this rank. To take another routing instead,
   * call {@link MoeLane#begin} again.
   *
   * @param why is told to all ranks
   */
  public void giveUp(String why) {
    giveUp(life, Objects.requireNonNull(why, "why"));
  }

  /** The same, of a step that this object was when it was asked for its {@link #life}. */
  void giveUp(int given, String why) {
    group.turns.run(() -> {
      // In this order: whoever sees what is to come of the next life sees its number, too.
      if (isToCome() && given == life) {
        group.fail(
            group.ranks.own(),
            "has given a step up on lane " + lane.index() + ": " + why,
            null,
            true);
      }
    });
  }

  private <T> StepHalf<T> half(
      @Nullable StepHalf<T> kept, int kind, BiConsumer<MoeStep, StepHalf<T>> begin) {
    return kept == null ? new StepHalf<>(group, this, kind, begin) : kept.taken();
  }

  /**
   * Whether others wait for it. In a turn. None is in a group that closes: one that was under way
   * has ended the group then, and no other one begins.
   */
  private boolean isUnderWay() {
    return hasBegun.get() && isToCome();
  }

  /** Whether it is under way, or may still begin. */
  private boolean isToCome() {
    return lane.isCurrent(this) && !isOver && !group.release.isClosing();
  }

  /**
   * One whose subscriber has not heard how it has ended, if it has. In a turn. One that would have
   * been refused anyway changes nothing.
   */
  void cancelled(StepHalf<?> cancelled) {
    boolean concerns = !cancelled.isRepeated && isUnderWay();
    boolean unheard = cancelled.half.hasSucceeded();
    if ((cancelled.half.end() || unheard) && concerns) {
      group.fail(group.ranks.own(), "has cancelled a step on lane " + lane.index(), null, true);
    }
  }

  /** Out of its order: so the next one of its kind is the first. */
  private void refuse(StepHalf<?> refused, String expected) {
    if (!refused.isRepeated) {
      kinds.getAndUpdate(before -> before & ~refused.kind);
    }
    refused.half.fail(outOfOrder(expected));
  }

  private boolean requireGoingOn(StepHalf<?> begun) {
    if (!lane.isCurrent(this)) {
      refuse(begun, "the last step that was begun");
      return false;
    }
    if (refusal != null) {
      begun.half.fail(refusal);
      return false;
    }
    begun.isRepeated = false; // those before it were refused
    return true;
  }

  private IllegalStateException outOfOrder(String expected) {
    return new IllegalStateException("expected " + expected + ", on lane " + lane.index());
  }

  private void requireRows(String what, MemorySegment memory, long stride, long bytes) {
    Objects.requireNonNull(memory, what);
    Freed.require(what, memory);
    requireRows(what, memory.byteSize(), stride, bytes);
    if (!memory.isAccessibleBy(group.anyThread)) {
      throw new IllegalArgumentException(
          "expected " + what + " that any thread may access, got memory confined to one");
    }
  }

  private void requireRows(String what, DeviceMemory memory, long stride, long bytes) {
    requireRows(what, memory.length(), stride, bytes);
    group.devices.require(what, memory);
  }

  private void requireRows(String what, long length, long stride, long bytes) {
    boolean fits = stride >= bytes && length >= (tokens == 0 ? 0 : bytes);
    if (fits && tokens > 1) {
      fits = stride <= (length - bytes) / (tokens - 1);
    }
    if (!fits) {
      throw new IllegalArgumentException(
          "expected "
              + what
              + " of at least "
              + bytes
              + " bytes at a stride of as many or more, and memory for "
              + tokens
              + " of them, got a stride of "
              + stride
              + " in "
              + length
              + " bytes");
    }
  }
}
