package io.reactivetransfer.weights.version;

import io.reactivetransfer.Memory;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.weights.check.Checksums;
import io.reactivetransfer.weights.internal.End;
import io.reactivetransfer.weights.internal.Failure;
import io.reactivetransfer.weights.internal.Inbox;
import io.reactivetransfer.weights.internal.Listener;
import io.reactivetransfer.weights.internal.MessageText;
import io.reactivetransfer.weights.internal.Postman;
import io.reactivetransfer.weights.internal.Recording;
import io.reactivetransfer.weights.internal.Ticking;
import io.reactivetransfer.weights.internal.Turns;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.util.Logger;
import reactor.util.Loggers;
import reactor.util.context.Context;

/**
 * An inference rank that holds a version of the weights, gives leases of it to those who read, and
 * takes updates of controllers. One for each engine: it reads message channel 20, and answers on
 * 21; it reads 24 where it compares checksums by itself. Safe from any thread, never blocks.
 *
 * <p>Whoever reads takes a lease for each batch, and reads nothing without one. Leases that are
 * open when an update has flipped still show the old version, whole.
 */
public final class WeightsRank {

  /** How often it says how it is, while an update is pending. */
  private static final Duration REPEAT = Duration.ofMillis(250);

  private static final Logger LOG = Loggers.getLogger(WeightsRank.class);

  private final TransferEngine engine;
  private final MemberId member;
  private final List<WeightsBuffer> buffers;
  private final List<BufferSlot> slots;
  private final WeightsRankBuilder options;
  private final Turns turns = new Turns();
  private final RankMachine<Peer> machine;
  private final Postman postman;
  private final Disposable.Swap watching = Disposables.swap();

  /** The gate of each buffer that was made last. Set only in turns, which use all above. */
  private final AtomicReferenceArray<@Nullable Gate> gates;

  /** The controller whose loss is looked for. Only in turns. */
  private @Nullable Peer watched;

  /** The look at what has come, while it lasts. Only in turns. */
  private @Nullable Verification verification;

  private final Sinks.Many<RankStatus> statuses = Sinks.many().replay().latest();
  private final End closed = new End();
  private final AtomicBoolean isClosing = new AtomicBoolean();
  private final Recording<VersionRecorder> recording;

  /** Null if nobody is told of updates. Only in turns. */
  private final @Nullable RecordedUpdates recorded;

  private final boolean comparesSums;

  /** Compares what has come; null if the application looks at that itself, or nobody does. */
  private @Nullable Checksums sums;

  private @Nullable Inbox<Command> inbox;
  private volatile @Nullable Gate current;
  private volatile RankStatus status;

  WeightsRank(WeightsRankBuilder options, List<BufferSlot> slots, boolean comparesSums) {
    this.options = options;
    this.comparesSums = comparesSums;
    this.engine = options.engine;
    this.buffers = List.copyOf(options.buffers);
    this.slots = slots;
    this.gates = new AtomicReferenceArray<>(slots.size());
    this.member = new MemberId(options.name, incarnation(options));
    this.machine = options.machines.make(member, slots.size(), new Doing());
    this.postman = new Postman(engine, VersionCodec.REPORTS, turns, true);
    this.status = statusOf(machine.report());
    this.recording = new Recording<>(options.recorder, VersionRecorder.NONE);
    this.recorded = recording.isOn() ? new RecordedUpdates(recording, this) : null;
  }

  private static long incarnation(WeightsRankBuilder options) {
    if (options.incarnation != 0) {
      return options.incarnation;
    }
    long drawn = ThreadLocalRandom.current().nextLong();
    return drawn == 0 ? 1 : drawn;
  }

  /**
   * Begins a rank.
   *
   * @param name by which controllers know it, of one process at a time; 1 to 255 bytes of UTF-8
   *     that can be shown
   */
  public static WeightsRankBuilder on(TransferEngine engine, String name) {
    return new WeightsRankBuilder(
        Objects.requireNonNull(engine, "engine"), MessageText.requireName(name));
  }

  void start() {
    recording.tell(recorder -> recorder.opened(this));
    if (isClosing.get()) {
      return; // by its recorder, or by a cancel of its opening
    }
    turn(() -> {
      if (options.version >= 0) {
        machine.begin(options.version);
      }
      status = statusOf(machine.report());
      statuses.tryEmitNext(status);
    });
    IllegalStateException noSums = openSums(); // before a command can ask for them
    Inbox<Command> opened =
        Inbox.open(engine, VersionCodec.COMMANDS, VersionCodec::decodeCommand, new Receiving());
    inbox = opened;
    turn(() -> {
      if (isClosing.get()) { // by somebody else, before there was an inbox
        opened.dispose();
        closeSums();
      }
    });
    opened.requireOpen("WeightsRank");
    if (noSums != null) {
      throw noSums;
    }
    Ticking.every(
        REPEAT,
        options.timers,
        () -> {
          turn(machine::tick);
          return !isClosing.get();
        });
  }

  /** Why there are none though it is to compare some; null if all is well. */
  private @Nullable IllegalStateException openSums() {
    if (!comparesSums) {
      return null;
    }
    try {
      sums =
          Checksums.open(engine, Checksums.DEADLINE, options.timers, Schedulers.boundedElastic());
      return null;
    } catch (IllegalStateException why) {
      return new IllegalStateException(
          "rank "
              + member.name()
              + " cannot compare checksums: "
              + why.getMessage()
              + "; give Checksums that are open there to WeightsRankBuilder.verify, or say"
              + " unverified()",
          why);
    }
  }

  private void closeSums() {
    if (sums != null) {
      sums.close();
    }
  }

  /** Whose memory others write to. */
  public TransferEngine engine() {
    return engine;
  }

  /** Its name. */
  public String name() {
    return member.name();
  }

  /** How it is now. */
  public RankStatus status() {
    return status;
  }

  /**
   * How it is now, then every change; of changes that come faster than they are asked for, the last
   * ones. Completes when it is closed. Signals on the scheduler of the timers.
   */
  public Flux<RankStatus> statuses() {
    return statuses.asFlux().onBackpressureLatest().publishOn(options.timers, 1);
  }

  /**
   * A lease of the version that is served; one atomic addition.
   *
   * @throws NotServingException if none is served now; {@link #serving()} says when one is
   */
  public VersionLease lease() {
    VersionLease lease = tryLease();
    if (lease == null) {
      throw new NotServingException(member.name(), status.state());
    }
    return lease;
  }

  /** The same, or null if no version is served now. */
  public @Nullable VersionLease tryLease() {
    while (true) {
      Gate gate = current;
      if (gate == null) {
        return null;
      }
      if (gate.enter()) {
        return new VersionLease(member.name(), gate);
      }
      if (gate == current) {
        return null;
      }
    }
  }

  /**
   * How many leases are open now, of all versions. One that is never closed keeps the next update
   * from flipping, or, in {@link UpdateMode#TWO_BUFFERS_OUTLIVE}, the one behind it.
   */
  public long openLeases() {
    long open = 0;
    for (int i = 0; i < gates.length(); i++) {
      Gate gate = gates.get(i);
      open += gate == null ? 0 : gate.readers();
    }
    return open;
  }

  /**
   * Completes when a version is served. That may be over again when it has; then {@link #lease}
   * fails. Fails with {@link NotServingException} when the rank is closed.
   */
  public Mono<Void> serving() {
    return statuses()
        .filter(now -> now.state() == RankState.SERVING || now.state() == RankState.CLOSED)
        .next()
        .flatMap(now ->
            now.state() == RankState.CLOSED
                ? Mono.<Void>error(new NotServingException(member.name(), now.state()))
                : Mono.<Void>empty());
  }

  /**
   * Waits until a version is served, and reads it: the lease is closed when what the scope returned
   * has ended or is cancelled. Each subscription takes a lease of its own. Whatever the scope
   * throws as it is called or subscribed to, or signals, ends the read, with errors that Reactor
   * holds to be fatal as well. What it throws of those on another thread Reactor signals to nobody:
   * there it has to signal it itself, or the lease stays open until the read is cancelled.
   *
   * @param scope called on the scheduler of the timers; must not block there
   */
  public <T> Flux<T> read(Function<? super VersionLease, ? extends Publisher<T>> scope) {
    Objects.requireNonNull(scope, "scope");
    return Flux.from(actual ->
        Reading.begin(serving(), this::tryLease, scope, Operators.toCoreSubscriber(actual)));
  }

  /**
   * Serves nothing any more, takes no updates, and closes what it has registered. Completes when no
   * NIC can touch the buffers, nor the {@link Checksums} of the rank. Leases that are open then are
   * not waited for, nor is a look of the application's ({@link WeightsRankBuilder#verify}) that
   * still reads: it is cancelled, so keep memory until what looks has ended, which {@link
   * Checksums#whenQuiet()} says of those that the application has opened. Starts when it is first
   * subscribed to and goes on whatever becomes of that; closing again completes together with the
   * first close. The end of the engine does the same. An update that it had voted for is settled
   * without it.
   */
  public Mono<Void> close() {
    return Mono.defer(() -> {
      if (isClosing.compareAndSet(false, true)) {
        turn(this::end);
      }
      return closed;
    });
  }

  private void end() {
    machine.close();
    publish();
    if (recorded != null) {
      recorded.closed(status.update());
    }
    statuses.tryEmitComplete();
    if (inbox != null) {
      inbox.dispose();
    }
    watching.dispose();
    if (verification != null) {
      verification.dispose();
    }
    closeSums();
    List<Mono<Void>> ends = new ArrayList<>(slots.stream().map(BufferSlot::close).toList());
    if (sums != null) {
      ends.add(sums.whenQuiet());
    }
    Listener.ofEnd(
        Mono.whenDelayError(ends),
        () -> {
          recording.tell(recorder -> recorder.closed(this));
          closed.complete();
        },
        failure -> {
          recording.tell(recorder -> recorder.closed(this));
          closed.fail(failure);
        });
  }

  private void turn(Runnable event) {
    turns.run(() -> {
      event.run();
      endVerification();
      publish();
      if (recorded != null && !isClosing.get()) {
        recorded.look(machine.pending(), machine.owner(), status.update());
      }
    });
  }

  /** Nobody waits any more for what a look at an update finds that was given up. */
  private void endVerification() {
    Verification now = verification;
    if (now != null && !Objects.equals(machine.filling(now.buffer()), now.order())) {
      now.dispose();
      verification = null;
      machine.sealed(now.buffer());
    }
  }

  private void publish() {
    RankStatus now = statusOf(machine.report());
    if (!now.equals(status)) {
      status = now;
      statuses.tryEmitNext(now);
    }
  }

  private static RankStatus statusOf(Report report) {
    return new RankStatus(
        report.member().name(), report.state(), report.version(), report.update(), report.reason());
  }

  /**
   * Looks for the loss of the controller that is obeyed. Whoever else says something is not looked
   * for, however many they are: they would be in the way of the one on which leases depend.
   */
  private void watchOwner() {
    Peer owner = machine.owner();
    if (owner == null || owner.equals(watched) || isClosing.get()) {
      return;
    }
    watched = owner;
    watching.update(
        Listener.of(
            owner.state().filter(state -> state.lossCause() != null),
            lost -> turn(() -> machine.lost(owner)),
            () -> turn(() -> machine.lost(owner)),
            failure -> turn(() -> machine.lost(owner))));
  }

  /** What controllers say. */
  private final class Receiving implements Inbox.Handler<Command> {

    @Override
    public void received(Peer sender, Command command) {
      turn(() -> {
        machine.receive(command, sender);
        watchOwner();
      });
    }

    /** Whoever asks in another version sees by the answer which one is spoken here. */
    @Override
    public void otherVersion(Peer sender, String why) {
      turns.run(() -> postman.send(sender, VersionCodec.encode(machine.report())));
    }

    @Override
    public void ended() {
      Listener.ofEnd(close(), () -> {}, failure -> {});
    }
  }

  /** What the machine wants done. */
  private final class Doing implements RankMachine.Actions<Peer> {

    /** An update that has its vote is told to any controller that asks, with all of its ranks. */
    @Override
    public @Nullable String refusal(Command.Prepare order) {
      int bytes = VersionCodec.bytesBesideTrace(order);
      int most = engine.options().maxMessageBytes() - VersionCodec.BESIDE_MEMBERS;
      return bytes <= most
          ? null
          : "its "
              + order.members().size()
              + " ranks take "
              + bytes
              + " bytes, and this one can name ranks in at most "
              + most
              + " (EngineOptions.maxMessageBytes); fewer ranks in one update would fit";
    }

    @Override
    public void stopLeases() {
      Gate gate = current;
      if (gate != null) {
        gate.close();
      }
      if (recorded != null) {
        recorded.paused();
      }
    }

    @Override
    public void resumeLeases() {
      Gate gate = current;
      if (gate != null) {
        gate.reopen();
      }
      if (recorded != null) {
        recorded.resumed();
      }
    }

    @Override
    public void serve(UpdateNumber update, long version, int buffer) {
      List<Memory> regions = buffers.get(buffer).regions();
      Gate gate = new Gate(update, version, buffer, regions, of -> turn(() -> drained(of)));
      gates.set(buffer, gate);
      current = gate;
      if (recorded != null) {
        recorded.served(regions.stream().mapToLong(Memory::length).sum());
      }
    }

    /** An earlier gate of the same buffer says nothing of those who read now. */
    private void drained(Gate gate) {
      if (gates.get(gate.buffer) == gate && gate.isDrained()) {
        machine.drained(gate.buffer);
      }
    }

    @Override
    public void open(UpdateNumber update, int buffer, long arrivals) {
      BufferSlot slot = slots.get(buffer);
      try {
        RankTarget target = slot.open(member.name(), arrivals);
        if (recorded != null) {
          recorded.opened();
        }
        turn(() -> machine.opened(update, target));
      } catch (TransferException refused) {
        fail(update, refused);
        return;
      }
      slot.count(arrivals, () -> turn(() -> filled(update)), failure -> fail(update, failure));
    }

    private void filled(UpdateNumber update) {
      if (recorded != null) {
        recorded.filled(update);
      }
      machine.filled(update);
    }

    private void fail(UpdateNumber update, Throwable why) {
      turn(() -> machine.failed(update, String.valueOf(why.getMessage())));
    }

    @Override
    public void seal(int buffer) {
      Listener.ofEnd(
          slots.get(buffer).seal(),
          () -> turn(() -> sealed(buffer)),
          failure -> {
            LOG.warn("rank {} takes no updates any more", member.name(), failure);
            String why = "the key of its buffer cannot be ended: " + failure.getMessage();
            turn(() -> machine.broken(why));
          });
    }

    /** If all has come, it is looked at before that is said. */
    private void sealed(int buffer) {
      Command.Prepare order = machine.filling(buffer);
      Function<? super FilledBuffer, ? extends Publisher<?>> verifier =
          order != null && sums != null && order.hasSums() ? sums : options.verifier;
      if (order == null || verifier == null) {
        machine.sealed(buffer);
        return;
      }
      Verification made = new Verification(order, buffer);
      verification = made;
      made.begin(
          verifier,
          new FilledBuffer(
              member.name(),
              order.update(),
              order.version(),
              order.arrivals(),
              buffers.get(buffer).regions()),
          recorded == null ? Context.empty() : recorded.context(),
          failure -> turn(() -> verified(made, failure)));
    }

    private void verified(Verification of, @Nullable Throwable failure) {
      if (verification != of) {
        return;
      }
      verification = null;
      if (failure != null) {
        machine.failed(
            of.order().update(), "what has come is not right: " + Failure.textOf(failure));
      }
      machine.sealed(of.buffer());
    }

    @Override
    public void dropped(UpdateNumber update, String why) {
      if (recorded != null) {
        recorded.dropped(update, why);
      }
    }

    @Override
    public void report(Peer to, Report report) {
      ByteBuffer bytes = VersionCodec.encode(report);
      int most = engine.options().maxMessageBytes();
      Report.Pending pending = report.pending();
      if (bytes.remaining() > most && pending != null) {
        turn(() ->
            machine.failed(
                pending.update(), "it would take a message of more than " + most + " bytes"));
        return;
      }
      postman.send(to, bytes);
    }
  }
}
