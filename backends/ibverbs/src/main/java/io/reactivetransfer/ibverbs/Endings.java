package io.reactivetransfer.ibverbs;

import io.reactivetransfer.ibverbs.Connection.State;
import io.reactivetransfer.spi.CompletionSink;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Ends connections, each in three steps: its queue pair is put into the state of error, so that
 * nothing is sent or received any more; what had come by then is read, for an incoming one when the
 * device has said that it takes no more receives; it is destroyed, and what has come is read once
 * more. Only then is the rest of its writes reported, also where the first step was refused again
 * and again: who has destroyed a queue pair knows that the device is done with it.
 */
final class Endings {

  /** A step that was refused is tried again after so long. */
  private static final long RETRY_NANOS = 10_000_000;

  /** How often the first step is tried. */
  private static final int STOPS = 3;

  /** Somebody waits until nothing comes any more of these connections. */
  private record Fence(CompletableFuture<Void> stage, List<Connection> ending) {

    boolean isOver() {
      return ending.stream().allMatch(each -> each.state == State.CLOSED);
    }
  }

  private final QueuePairs queuePairs;
  private final Tasks tasks;
  private final CompletionReader reader;
  private final Outbox outbox;
  private final Consumer<VerbsPeer> whenOver;

  private final LastReceives lastReceives = new LastReceives();

  /** Those whose queue pair may still be there, also of peers that were released meanwhile. */
  private final List<Connection> all = new ArrayList<>();

  private final List<Fence> fences = new ArrayList<>();

  /** Those of which what has come is being read, before the next step. */
  private final List<Connection> draining = new ArrayList<>();

  /**
   * None yet.
   *
   * @param whenOver told that a connection of this peer has ended
   */
  Endings(
      QueuePairs queuePairs,
      Tasks tasks,
      CompletionReader reader,
      Outbox outbox,
      Consumer<VerbsPeer> whenOver) {
    this.queuePairs = queuePairs;
    this.tasks = tasks;
    this.reader = reader;
    this.outbox = outbox;
    this.whenOver = whenOver;
  }

  /**
   * Ends one.
   *
   * @param keepsRest whether what has certainly not begun is posted again
   */
  void end(Connection connection, Failure why, boolean keepsRest) {
    if (connection.isEnding()) {
      return;
    }
    boolean isBusy = connection.isBusy();
    connection.state = State.CLOSING;
    connection.end = why;
    connection.keepsRest = keepsRest;
    connection.peer().leave(connection);
    connection.peer().ending().add(connection);
    all.add(connection);
    outbox.drop(connection);
    if (!isBusy) {
      stop(connection);
    }
  }

  /** The first step; where the connection was busy, whoever was calls it. */
  void stop(Connection connection) {
    if (!connection.mayBeConnected) { // nothing is sent or received, and there is no such step
      connection.stops = STOPS;
      read(connection);
      return;
    }
    step(
        connection,
        () -> queuePairs.stop(connection.qp),
        () -> {
          connection.wasRefused = false;
          connection.stops = STOPS;
          awaitLastReceive(connection);
        });
  }

  private void awaitLastReceive(Connection connection) {
    if (connection.hasReceived && !connection.hasTakenLastReceive) {
      connection.awaitsLastReceive = true;
      connection.againNanos = System.nanoTime() + lastReceives.waitNanos();
    }
  }

  /** A queue pair that is being ended takes no more of the shared receives, if it is this one. */
  void hasTakenLastReceive(long qp) {
    for (Connection connection : all) {
      if (connection.isIncoming() && connection.qp == qp) {
        hasTakenLastReceive(connection);
        return;
      }
    }
  }

  /** The queue pair of this one, present or ending, does. */
  void hasTakenLastReceive(Connection connection) {
    lastReceives.said();
    connection.hasTakenLastReceive = true;
    if (connection.awaitsLastReceive) {
      connection.awaitsLastReceive = false;
      reader.mark(connection); // what it has taken may be complete only now
    }
  }

  /** Whether the device is expected to say something about one that ends. */
  boolean awaitEvents() {
    return !draining.isEmpty() && draining.stream().anyMatch(each -> each.awaitsLastReceive);
  }

  /** When what it had received before was read, it is destroyed; then the same once more. */
  private void drained(Connection connection, CompletionSink sink) {
    if (connection.qp == 0) {
      reader.finish(connection, sink);
      over(connection);
      return;
    }
    if (connection.stops < STOPS) {
      stop(connection);
      return;
    }
    if (connection.hasWaitedInVain()) {
      connection.awaitsLastReceive = false;
      lastReceives.waitedInVain();
      read(connection); // what has come meanwhile
      return;
    }
    step(
        connection,
        () -> queuePairs.destroy(connection.qp),
        () -> {
          connection.qp = 0;
          connection.wasRefused = false;
        });
  }

  /**
   * What it has received by the end of the step is read before the next one, or before another try.
   */
  private void step(Connection connection, Runnable task, Runnable then) {
    tasks.run(
        () -> {
          task.run();
          return connection;
        },
        done -> {
          then.run();
          read(connection);
        },
        refusal -> {
          // While there is no thread for it, it was not tried.
          connection.stops += Tasks.lacksThread(refusal) ? 0 : 1;
          connection.wasRefused = true;
          connection.againNanos = System.nanoTime() + RETRY_NANOS;
          read(connection);
        });
  }

  private void read(Connection connection) {
    reader.mark(connection);
    draining.add(connection);
  }

  /** There is no queue pair of it, or no more. */
  void over(Connection connection) {
    VerbsPeer peer = connection.peer();
    connection.state = State.CLOSED;
    peer.leave(connection);
    peer.ending().remove(connection);
    all.remove(connection);
    List<Fence> done = fences.stream().filter(Fence::isOver).toList();
    fences.removeAll(done);
    done.forEach(fence -> fence.stage().complete(null));
    whenOver.accept(peer);
  }

  /**
   * Completes when nothing comes any more of what is being ended now with this NIC, also with what
   * stood for it before and was released.
   */
  CompletionStage<Void> fence(VerbsPeer peer) {
    CompletableFuture<Void> stage = new CompletableFuture<>();
    List<Connection> ending = all.stream().filter(each -> each.peer().isSameNicAs(peer)).toList();
    if (ending.isEmpty()) {
      stage.complete(null);
    } else {
      fences.add(new Fence(stage, ending));
    }
    return stage;
  }

  /** Whether one of them is for the writes of a peer. */
  boolean haveIncoming() {
    return all.stream().anyMatch(Connection::isIncoming);
  }

  boolean areDue(long now) {
    return !draining.isEmpty()
        && draining.stream().anyMatch(each -> each.awaitsLastReceive || !each.isWaiting(now));
  }

  /** Goes on with those of which all was read; returns how many. */
  int drain(CompletionSink sink) {
    if (draining.isEmpty()) {
      return 0;
    }
    long now = System.nanoTime();
    List<Connection> read =
        draining.stream().filter(each -> reader.hasRead(each) && !each.isWaiting(now)).toList();
    draining.removeAll(read);
    read.forEach(connection -> drained(connection, sink));
    return read.size();
  }
}
