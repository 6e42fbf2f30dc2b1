package io.reactivetransfer.weights.version;

import io.reactivetransfer.Peer;
import io.reactivetransfer.TraceContext;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.internal.End;
import io.reactivetransfer.weights.internal.Inbox;
import io.reactivetransfer.weights.internal.Postman;
import io.reactivetransfer.weights.internal.Recording;
import io.reactivetransfer.weights.internal.Ticking;
import io.reactivetransfer.weights.internal.Turns;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/**
 * Decides which version inference ranks serve: has all ranks of an update take it, or none. One for
 * each engine: it reads message channel 21, and writes to 20. It writes no weights; trainers do.
 * The ranks are on other engines than this one. Safe from any thread, never blocks; signals come on
 * {@code Schedulers.parallel()} unless another scheduler is given.
 *
 * <p>Ranks obey one controller at a time, the one that has recovered last. The first thing that a
 * controller does, a recovery or an update, makes it that one; once another one has taken over, all
 * that it does ends as {@link UpdateResult.Decision#SUPERSEDED}, until it recovers again.
 *
 * <p>Ranks that are not in an update keep what they have. One that joins later may be filled by its
 * application from wherever it likes, and opened with that version, or waits for the next update.
 */
public final class WeightsController {

  /** After that time without an answer, a rank is told again. */
  private static final Duration REPEAT = Duration.ofMillis(250);

  private final TransferEngine engine;
  private final Scheduler timers;
  private final Turns turns = new Turns();
  private final ControllerMachine machine;
  private final Postman postman;
  private final Recording<VersionRecorder> recording;
  private @Nullable Inbox<Report> inbox;

  /** What is done now; only in turns, like the next ones. */
  private @Nullable ControllerRun run;

  /** All that were ever named, by the name that each had last: those that ask are answered. */
  private final Map<String, Peer> peers = new HashMap<>();

  private boolean isClosed;

  private final End closed = new End();

  /** Makes what decides; another one only where mistakes are looked for. */
  interface Machines {
    ControllerMachine make(long id, ControllerMachine.Actions actions);
  }

  private WeightsController(
      TransferEngine engine,
      Scheduler timers,
      long id,
      Machines machines,
      VersionRecorder recorder) {
    this.recording = new Recording<>(recorder, VersionRecorder.NONE);
    this.engine = engine;
    this.timers = timers;
    this.machine = machines.make(id, new Doing());
    this.postman = new Postman(engine, VersionCodec.COMMANDS, turns, false);
  }

  private WeightsController listening() {
    Inbox<Report> opened =
        Inbox.open(engine, VersionCodec.REPORTS, VersionCodec::decodeReport, new Receiving());
    opened.requireOpen("WeightsController");
    turns.run(() -> {
      inbox = opened;
      if (isClosed) {
        opened.dispose();
      } else {
        recording.tell(recorder -> recorder.opened(this));
      }
    });
    return this;
  }

  /**
   * Opens it.
   *
   * @throws IllegalStateException if the engine is closed, or has one already
   */
  public static WeightsController open(TransferEngine engine) {
    return open(engine, Schedulers.parallel());
  }

  /**
   * The same; what is due later runs on a scheduler of the caller's. Where that takes no such
   * tasks, or does not any more, updates and recoveries fail with a {@link
   * RejectedExecutionException}.
   */
  public static WeightsController open(TransferEngine engine, Scheduler timers) {
    return open(engine, timers, ThreadLocalRandom.current().nextLong());
  }

  /**
   * The same, for simulations that do the same again.
   *
   * @param id which no other controller has had or will have; drawn at random unless it is given
   */
  public static WeightsController open(TransferEngine engine, Scheduler timers, long id) {
    return open(engine, timers, id, ControllerMachine::new);
  }

  /**
   * The same, with somebody who is told of what becomes of updates and recoveries.
   *
   * @param recorder such as one that shows meters
   */
  public static WeightsController open(
      TransferEngine engine, Scheduler timers, VersionRecorder recorder) {
    return open(
        engine,
        timers,
        ThreadLocalRandom.current().nextLong(),
        ControllerMachine::new,
        Objects.requireNonNull(recorder, "recorder"));
  }

  static WeightsController open(
      TransferEngine engine, Scheduler timers, long id, Machines machines) {
    return open(engine, timers, id, machines, VersionRecorder.NONE);
  }

  private static WeightsController open(
      TransferEngine engine,
      Scheduler timers,
      long id,
      Machines machines,
      VersionRecorder recorder) {
    return new WeightsController(
            Objects.requireNonNull(engine, "engine"),
            Objects.requireNonNull(timers, "timers"),
            id,
            machines,
            recorder)
        .listening();
  }

  /** By which it speaks to ranks. */
  public TransferEngine engine() {
    return engine;
  }

  /**
   * Has all these ranks take a version, or none of them. Begins when it is subscribed to, once for
   * each subscription, and one at a time: fails with {@link IllegalStateException} while another
   * one runs. What becomes of it is a result and no error. Cancelling gives it up, unless it is
   * decided already: then it goes on. Trainers see the Context of the subscriber. Where all of them
   * say checksums, ranks compare what has come ({@link WeightsRankBuilder#verify}).
   *
   * @param ranks all that are to flip, each name once
   * @param trainers who write, 1 or more, each once; told when all ranks are open to writes
   * @throws IllegalArgumentException if the update names other ranks, they are more than one
   *     message can name, or one is as another engine sees it, or on the controller's own; or if
   *     there is no trainer, or one twice
   */
  public Mono<UpdateResult> update(
      WeightsUpdate update,
      Collection<RankMember> ranks,
      Collection<? extends WeightsTrainer> trainers) {
    Objects.requireNonNull(update, "update");
    Objects.requireNonNull(trainers, "trainers");
    Map<String, Peer> byName = byName(ranks);
    if (!byName.keySet().equals(update.arrivals().keySet())) {
      throw new IllegalArgumentException(
          "expected arrivals at ranks " + byName.keySet() + ", got " + update.arrivals().keySet());
    }
    requireRoom(update, byName.keySet());
    // In the order in which the ranks were named, as their ends come out.
    Map<String, Long> arrivals = new LinkedHashMap<>();
    byName.keySet().forEach(name -> arrivals.put(name, update.arrivals().getOrDefault(name, 0L)));
    List<WeightsTrainer> writers = List.copyOf(trainers);
    requireOnce(writers);
    return mono(
        byName,
        update.deadline(),
        update,
        writers,
        trace ->
            machine.update(
                new ControllerMachine.Plan(
                    update.version(),
                    update.mode(),
                    arrivals,
                    writers.stream().allMatch(ControllerRun::saysSums),
                    trace)));
  }

  private static void requireOnce(List<WeightsTrainer> trainers) {
    if (trainers.isEmpty()) {
      throw new IllegalArgumentException(
          "expected 1 or more trainers, got none: nobody would write what the ranks wait for");
    }
    Set<WeightsTrainer> seen = new HashSet<>();
    for (WeightsTrainer trainer : trainers) {
      if (!seen.add(trainer)) {
        throw new IllegalArgumentException(
            "expected each trainer once, got " + ControllerRun.name(trainer) + " twice");
      }
    }
  }

  private void requireRoom(WeightsUpdate update, Collection<String> ranks) {
    List<MemberId> members = ranks.stream().map(name -> new MemberId(name, 1)).toList();
    Command.Prepare longest =
        new Command.Prepare(
            Term.NONE,
            1,
            UpdateNumber.NONE,
            update.version(),
            update.mode(),
            1,
            false,
            members,
            TraceContext.NONE);
    int bytes = VersionCodec.bytesBesideTrace(longest);
    int most = engine.options().maxMessageBytes() - VersionCodec.BESIDE_MEMBERS;
    if (bytes > most && members.size() == 1) {
      throw new IllegalArgumentException(
          VersionCodec.tooShort(
              "a controller", VersionCodec.BESIDE_MEMBERS + bytes, engine.options()));
    }
    if (bytes > most || members.size() > VersionCodec.MAX_MEMBERS) {
      throw new IllegalArgumentException(
          "expected at most "
              + VersionCodec.MAX_MEMBERS
              + " ranks whose names take "
              + most
              + " bytes (EngineOptions.maxMessageBytes), got "
              + members.size()
              + " in "
              + bytes);
    }
  }

  /**
   * Takes over from whatever controller was before, and ends what it has left: updates that are
   * pending at some rank flip everywhere or nowhere. Begins when it is subscribed to; fails with
   * {@link IllegalStateException} while something else runs. Cancelling gives it up.
   *
   * @param living all ranks that live or may live, each name once. Whoever is not named is taken
   *     for dead for ever: it must not serve any more
   * @param deadline above 0; if a rank whose answer is needed is silent until then, the result is
   *     {@link UpdateResult.Decision#BLOCKED}
   */
  public Mono<UpdateResult> recover(Collection<RankMember> living, Duration deadline) {
    if (!Objects.requireNonNull(deadline, "deadline").isPositive()) {
      throw new IllegalArgumentException("expected a deadline above 0, got " + deadline);
    }
    Map<String, Peer> byName = byName(living);
    return mono(byName, deadline, null, List.of(), _ -> machine.recover(byName.keySet()));
  }

  private Map<String, Peer> byName(Collection<RankMember> ranks) {
    Map<String, Peer> byName = new LinkedHashMap<>();
    for (RankMember rank : Objects.requireNonNull(ranks, "ranks")) {
      if (!rank.peer().engine().equals(engine.id())) {
        throw new IllegalArgumentException(
            "expected ranks as this controller's engine sees them, got "
                + rank.name()
                + " as another one does; use peer(address) of this one");
      }
      if (rank.peer().id().equals(engine.id())) {
        throw new IllegalArgumentException(
            "expected ranks on other engines than the controller's, got "
                + rank.name()
                + " on the same one: an engine sends nothing to itself");
      }
      if (byName.put(rank.name(), rank.peer()) != null) {
        throw new IllegalArgumentException(
            "expected each rank once, got " + rank.name() + " twice");
      }
    }
    if (byName.isEmpty()) {
      throw new IllegalArgumentException("expected 1 or more ranks, got none");
    }
    return byName;
  }

  private Mono<UpdateResult> mono(
      Map<String, Peer> ranks,
      Duration deadline,
      @Nullable WeightsUpdate update,
      List<WeightsTrainer> trainers,
      Consumer<TraceContext> begin) {
    long version = update == null ? 0 : update.version();
    return Mono.deferContextual(subscriber -> {
      Context context = Context.of(subscriber);
      ControllerRun made =
          new ControllerRun(turns, machine, timers, ranks, deadline, version, trainers, context);
      turns.run(() -> begin(made, update, begin));
      return made.result()
          .doOnCancel(() ->
              turns.run(() -> {
                if (run == made) {
                  made.isCancelled = true;
                  machine.cancel("it was cancelled");
                }
              }))
          .publishOn(timers) // whose cancel is first, so that what it leads to is heard no more
          .onErrorMap(
              RejectedExecutionException.class, refused -> Ticking.refused(timers, refused));
    });
  }

  private static String refusal(@Nullable ControllerRun running) {
    if (running == null) {
      return "expected a controller that is in use, got a closed one";
    }
    return "expected a controller that does nothing, got one that runs an update"
        + (running.isCancelled
            ? ": it was cancelled, and still ends, at most for its deadline once more"
            : "");
  }

  private void begin(
      ControllerRun made, @Nullable WeightsUpdate update, Consumer<TraceContext> begin) {
    if (isClosed || run != null) {
      made.fail(new IllegalStateException(refusal(run)));
      return;
    }
    try {
      made.watch(REPEAT); // before anybody is told of what nobody would end
    } catch (RejectedExecutionException why) {
      made.fail(why);
      return;
    }
    run = made;
    if (recording.isOn()) {
      Set<String> names = Collections.unmodifiableSet(made.ranks.keySet());
      made.record(
          new RecordedDecision(
              recording, new RecordedDecision.Begin(this, update, names, made.context)));
    }
    peers.putAll(made.ranks);
    begin.accept(made.traceContext());
  }

  /**
   * Gives up what runs, unless it is decided, and reads no messages any more. Ranks that have voted
   * and were not told of the decision wait for another controller. Does not block: {@link
   * #closed()} says when it is over.
   */
  public void close() {
    turns.run(this::end);
  }

  /**
   * Completes when it is closed, also by the end of its engine: it reads no messages any more, its
   * recorder has heard of it, and another one can be opened on the engine. What was begun here is
   * over then, too, but for trainers that still stop. Closes nothing by itself.
   */
  public Mono<Void> closed() {
    return closed;
  }

  private void end() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    try {
      if (inbox != null) {
        inbox.dispose();
      }
      machine.cancel("its controller was closed");
      // Nobody's answers are read any more: what they would have said is not known.
      for (int i = 0; i < 2 && run != null; i++) {
        machine.deadline();
      }
      if (inbox != null) { // else nobody was told that it had opened
        recording.tell(recorder -> recorder.closed(this));
      }
    } finally { // whatever somebody who is told throws
      closed.complete();
    }
  }

  private final class Receiving implements Inbox.Handler<Report> {

    @Override
    public void received(Peer sender, Report report) {
      turns.run(() -> {
        if (isMember(sender, report.member().name())) {
          machine.report(report);
        }
        namedOtherwise(sender, report);
      });
    }

    /** Of whom the update that runs knows by another name that it is there. */
    private void namedOtherwise(Peer sender, Report report) {
      ControllerRun now = run;
      if (now != null) {
        now.ranks.forEach((name, peer) -> {
          if (peer.id().equals(sender.id()) && !name.equals(report.member().name())) {
            machine.misnamed(name, report, sender.address().toString());
          }
        });
      }
    }

    private boolean isMember(Peer sender, String name) {
      Peer known = peers.get(name);
      return known != null && known.id().equals(sender.id());
    }

    @Override
    public void otherVersion(Peer sender, String why) {
      turns.run(() ->
          List.copyOf(peers.keySet()).stream()
              .filter(name -> isMember(sender, name))
              .forEach(name -> machine.unreadable(name, why)));
    }

    @Override
    public void ended() {
      close();
    }
  }

  private final class Doing implements ControllerMachine.Actions {

    @Override
    public void send(String rank, Command command) {
      Peer peer = peers.get(rank);
      if (peer != null) {
        ControllerRun of = run;
        postman.send(
            peer, VersionCodec.encode(command), of == null ? why -> {} : of.unreachable(rank));
      }
    }

    @Override
    public void startTrainers(UpdateNumber update, List<RankTarget> targets) {
      if (run != null) {
        run.startTrainers(update, targets);
      }
    }

    @Override
    public void stopTrainers() {
      if (run != null) {
        run.stopTrainers();
      }
    }

    @Override
    public void done(UpdateResult result) {
      ControllerRun ended = run;
      run = null;
      if (ended != null) {
        ended.done(result);
      }
    }
  }
}
