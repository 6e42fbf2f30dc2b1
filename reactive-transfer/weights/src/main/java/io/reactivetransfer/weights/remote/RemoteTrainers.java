package io.reactivetransfer.weights.remote;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.check.ChecksumScope;
import io.reactivetransfer.weights.internal.End;
import io.reactivetransfer.weights.internal.Inbox;
import io.reactivetransfer.weights.internal.Postman;
import io.reactivetransfer.weights.internal.Ticking;
import io.reactivetransfer.weights.internal.Turns;
import io.reactivetransfer.weights.run.RunProgress;
import io.reactivetransfer.weights.version.UpdateNumber;
import io.reactivetransfer.weights.version.WeightsTrainer;
import io.reactivetransfer.weights.version.WriteOrder;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * In the process of a controller: trainers that are elsewhere, each of them with a {@link
 * TrainerService}. One for each engine: it reads message channel 23, and writes to 22. Safe from
 * any thread, never blocks.
 */
public final class RemoteTrainers {

  private static final Logger LOG = Loggers.getLogger(RemoteTrainers.class);

  private static final Duration REPEAT = Duration.ofMillis(250);

  /** An order or a question is repeated when so many of these times have passed in silence. */
  private static final int PATIENCE = 4;

  /** How often a trainer is told to stop that does not say that it has. */
  private static final int MOST_STOPS = 10;

  private record Key(EngineId trainer, UpdateNumber update) {}

  /** How far a trainer is, and by which name. */
  private record Named(String trainer, RunProgress run) {}

  /** Who was told to stop, and has not said yet that it has. */
  private static final class Stopping {
    final Peer peer;
    int told;
    int ticks;

    Stopping(Peer peer) {
      this.peer = peer;
    }
  }

  private final TransferEngine engine;
  private final Scheduler timers;
  private final Turns turns = new Turns();
  private final Postman postman;
  private final Sinks.Many<TrainerProgress> progress = Sinks.many().replay().latest();

  // Only in turns.
  private @Nullable Inbox<RemoteMessage.Answer> inbox;
  private volatile boolean isClosed;
  private final End closed = new End();
  private boolean hasChanged;
  private final Map<Key, RemoteRun> runs = new LinkedHashMap<>();
  private final Map<Key, Stopping> stopping = new HashMap<>();
  private UpdateNumber latest = UpdateNumber.NONE;
  private final Map<EngineId, Named> ofLatest = new LinkedHashMap<>();

  private RemoteTrainers(TransferEngine engine, Scheduler timers) {
    this.engine = engine;
    this.timers = timers;
    this.postman = new Postman(engine, TrainerService.ORDERS, turns, false);
  }

  /**
   * Opens it.
   *
   * @throws IllegalStateException if the engine is closed, or has one already
   */
  public static RemoteTrainers open(TransferEngine engine) {
    return open(engine, Schedulers.parallel());
  }

  /** The same; what is due later runs on a scheduler of the caller's, and signals come there. */
  public static RemoteTrainers open(TransferEngine engine, Scheduler timers) {
    RemoteTrainers made =
        new RemoteTrainers(
            Objects.requireNonNull(engine, "engine"), Objects.requireNonNull(timers, "timers"));
    made.listen();
    return made;
  }

  private void listen() {
    Inbox<RemoteMessage.Answer> opened =
        Inbox.open(engine, TrainerService.ANSWERS, RemoteCodec::decodeAnswer, new Receiving());
    opened.requireOpen("RemoteTrainers");
    turns.run(() -> inbox = opened);
    try {
      Ticking.every(
          REPEAT,
          timers,
          () -> {
            turns.run(this::tick);
            return !isClosed;
          });
    } catch (RuntimeException why) {
      close(); // nobody else could
      throw why;
    }
  }

  /**
   * The trainer of an engine, for {@code WeightsController.update}.
   *
   * <p>What it returns for an order tells the trainer to write when it is subscribed to, once for
   * an order. It completes when the trainer has written all, and fails as soon as it is known that
   * it will not: with {@link io.reactivetransfer.TransferFailedException} when the trainer says why
   * it does not go on, with {@link io.reactivetransfer.PeerUnreachableException} when it is lost,
   * with {@link IllegalArgumentException} if the order is longer than a message, and with {@link
   * CancellationException} when this is closed. Errors name the trainer, which gets quiet by
   * itself. Cancelling tells it to stop and waits for nothing. Signals on the scheduler of the
   * timers. There is no deadline but that of whoever has given the order.
   *
   * <p>The trainer tells inference ranks checksums of samples, which they compare unless they are
   * told otherwise, if all trainers of the update say some. Those that are returned for one engine
   * are equal: it takes part in an update once.
   */
  public WeightsTrainer trainer(Peer peer) {
    return trainer(peer, ChecksumScope.sampled());
  }

  /**
   * The same.
   *
   * @param checksums of which bytes the trainer tells inference ranks checksums
   */
  public WeightsTrainer trainer(Peer peer, ChecksumScope checksums) {
    Objects.requireNonNull(peer, "peer");
    Objects.requireNonNull(checksums, "checksums");
    if (!peer.engine().equals(engine.id())) {
      throw new IllegalArgumentException(
          "expected a trainer as this controller's engine sees it, got "
              + peer.address()
              + " as another one does; use peer(address) of this one");
    }
    if (peer.id().equals(engine.id())) {
      throw new IllegalArgumentException(
          "expected a trainer on another engine than the controller's, got the same one, and an"
              + " engine sends nothing to itself; use TrainerService.local");
    }
    return new One(peer, checksums);
  }

  private final class One implements WeightsTrainer {
    private final Peer peer;
    private final ChecksumScope checksums;
    private volatile @Nullable RemoteRun last;

    One(Peer peer, ChecksumScope checksums) {
      this.peer = peer;
      this.checksums = checksums;
    }

    @Override
    public Publisher<?> write(WriteOrder order) {
      return Mono.defer(() -> {
        RemoteRun run = new RemoteRun(peer, order, checksums, engine.options().maxMessageBytes());
        last = run;
        return written(run);
      });
    }

    @Override
    public String name() {
      RemoteRun run = last;
      return run == null ? "trainer at " + peer.address() : run.name();
    }

    @Override
    public boolean saysChecksums() {
      return checksums.isSome();
    }

    private RemoteTrainers owner() {
      return RemoteTrainers.this;
    }

    /** An engine has one trainer, however often it is asked for: two of it are one twice. */
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof One one && owner() == one.owner() && peer.id().equals(one.peer.id());
    }

    @Override
    public int hashCode() {
      return peer.id().hashCode();
    }
  }

  private Mono<Void> written(RemoteRun run) {
    return Mono.defer(() -> {
      turns.run(() -> begin(run));
      return run.ended().doOnCancel(() -> turns.run(() -> cancel(run))).publishOn(timers);
    });
  }

  /**
   * How far the trainers of the update are that was begun last: what was known last at once, then
   * what has changed, at most four times a second and once more when one of them is done. Of what
   * comes faster than it is asked for, the last. Completes when this is closed. Signals on the
   * scheduler of the timers. Cancelling ends the listening only.
   */
  public Flux<TrainerProgress> progress() {
    return progress.asFlux().onBackpressureLatest().publishOn(timers, 1);
  }

  /**
   * Tells all trainers to stop, fails what waits for them, and reads no messages any more. Does not
   * block, and waits for nothing: {@link #closed()} says when it is over. The end of the engine
   * does the same.
   */
  public void close() {
    turns.run(this::closeNow);
  }

  /**
   * Completes when it is closed, also by the end of its engine: another one can be opened there.
   * Trainers may still stop then. Closes nothing by itself.
   */
  public Mono<Void> closed() {
    return closed;
  }

  private void closeNow() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    if (inbox != null) {
      inbox.dispose();
    }
    try {
      List.copyOf(runs.values()).forEach(this::stopAsClosed);
      stopping.clear();
      progress.tryEmitComplete();
    } finally {
      closed.complete();
    }
  }

  /** What whoever hears of it throws is not the affair of the others. */
  private void stopAsClosed(RemoteRun run) {
    try {
      say(run.peer, new RemoteMessage.Stop(run.order.update()));
      end(run);
      run.fail(new CancellationException(run.name() + " was told to stop: its controller closed"));
    } catch (RuntimeException | Error e) {
      LOG.error("{} could not be ended when its controller closed", run.name(), e);
    }
  }

  private void begin(RemoteRun run) {
    Key key = key(run);
    if (isClosed || runs.containsKey(key)) {
      run.fail(
          new IllegalStateException(
              isClosed
                  ? "expected remote trainers that are in use, got closed ones"
                  : "expected one subscription for an order, got another one for update "
                      + key.update()
                      + " at "
                      + run.name()));
      return;
    }
    ByteBuffer message;
    try {
      message = RemoteCodec.encode(run.start());
    } catch (RuntimeException why) { // else nobody would end what waits for it
      run.fail(
          new IllegalArgumentException(
              run.name() + " cannot be told its order: " + why.getMessage(), why));
      return;
    }
    int most = engine.options().maxMessageBytes();
    if (message.remaining() > most) {
      run.fail(
          new IllegalArgumentException(
              "expected an order of at most "
                  + most
                  + " bytes (EngineOptions.maxMessageBytes) for "
                  + run.name()
                  + ", got "
                  + message.remaining()
                  + "; fewer ranks in one update would fit"));
      return;
    }
    runs.put(key, run);
    stopping.remove(key);
    if (!key.update().equals(latest)) {
      latest = key.update();
      ofLatest.clear();
      hasChanged = true;
    }
    run.begin(
        Mono.defer(() -> engine.send(run.peer, TrainerService.ORDERS, message)),
        failure -> turns.run(() -> fail(run, failure)));
  }

  private static Key key(RemoteRun run) {
    return new Key(run.peer.id(), run.order.update());
  }

  private void cancel(RemoteRun run) {
    if (runs.get(key(run)) != run) {
      return; // it is over, or had not begun
    }
    end(run);
    stopping.put(key(run), new Stopping(run.peer));
    say(run.peer, new RemoteMessage.Stop(run.order.update()));
  }

  private void fail(RemoteRun run, Throwable why) {
    if (runs.get(key(run)) == run) {
      end(run);
      run.fail(why);
    }
  }

  private void end(RemoteRun run) {
    runs.remove(key(run));
    run.end();
  }

  private void tick() {
    publish();
    runs.values()
        .forEach(run -> {
          if (++run.silentTicks >= PATIENCE) {
            run.silentTicks = 0;
            say(run.peer, run.again());
          }
        });
    stopping.values().removeIf(one -> one.told >= MOST_STOPS);
    stopping.forEach((key, one) -> {
      if (++one.ticks % PATIENCE == 0) {
        one.told++;
        say(one.peer, new RemoteMessage.Stop(key.update()));
      }
    });
  }

  private void say(Peer to, RemoteMessage.Order order) {
    postman.send(to, RemoteCodec.encode(order));
  }

  private void received(Peer sender, RemoteMessage.Answer answer) {
    Key key = new Key(sender.id(), answer.update());
    RemoteRun run = runs.get(key);
    boolean isOver = answer instanceof RemoteMessage.Done || answer instanceof RemoteMessage.Failed;
    if (run == null) {
      if (isOver) {
        stopping.remove(key);
      } else if (!stopping.containsKey(key)) {
        // Nobody waits for it any more.
        say(sender, new RemoteMessage.Stop(answer.update()));
      }
      return;
    }
    String name = run.heard(answer.trainer());
    switch (answer) {
      case RemoteMessage.Accepted _ -> {}
      case RemoteMessage.Progress one -> progressed(key, new Named(name, one.run()));
      case RemoteMessage.Done one -> {
        progressed(key, new Named(name, one.run()));
        publish();
        end(run);
        run.complete();
      }
      case RemoteMessage.Failed one -> fail(run, run.failure(one.why()));
    }
  }

  private void progressed(Key key, Named run) {
    if (key.update().equals(latest)) {
      ofLatest.put(key.trainer(), run);
      hasChanged = true;
    }
  }

  private void publish() {
    if (hasChanged) {
      hasChanged = false;
      Map<String, RunProgress> byName = new LinkedHashMap<>();
      // Of two that go by the same name, it is that of the one that was heard first.
      ofLatest.values().forEach(one -> byName.putIfAbsent(one.trainer(), one.run()));
      progress.tryEmitNext(new TrainerProgress(latest, byName));
    }
  }

  private final class Receiving implements Inbox.Handler<RemoteMessage.Answer> {

    @Override
    public void received(Peer sender, RemoteMessage.Answer answer) {
      turns.run(() -> {
        if (!isClosed) {
          RemoteTrainers.this.received(sender, answer);
        }
      });
    }

    @Override
    public void otherVersion(Peer sender, String why) {
      turns.run(() ->
          List.copyOf(runs.values()).stream()
              .filter(run -> run.peer.id().equals(sender.id()))
              .forEach(run -> fail(run, run.failure("it cannot be understood: " + why))));
    }

    @Override
    public void ended() {
      close();
    }
  }
}
