package io.reactivetransfer.tools.soak;

import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineStats;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.TransferEngine;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/** One engine for one life of it, on one side, and all that it does. */
final class Node {

  private final Plan plan;
  private final Task task;
  private final int side;
  private final Tally tally;
  private final Await await;
  private final Judge judge;
  private final Arena arena = Arena.ofShared();
  private final TransferEngine engine;
  private final Letters letters;
  private final BarrierLoop barriers;
  private volatile long endNanos;
  private @Nullable Peer peer;

  @SuppressWarnings("MustBeClosed") // close() closes it
  Node(Plan plan, Task task, int side, TransferEngine engine, Tally tally)
      throws InterruptedException {
    this.plan = plan;
    this.task = task;
    this.side = side;
    this.tally = tally;
    this.engine = engine;
    this.await = new Await(plan.limit());
    this.judge = new Judge(where(side, 0));
    this.letters = new Letters(engine, judge, plan);
    this.barriers = new BarrierLoop(this, arena, side == 0);
    tally.add(Tally.ENGINES, 1);
  }

  private Where where(int origin, int stream) {
    return new Where(plan.seed(), task, origin, stream);
  }

  TransferEngine engine() {
    return engine;
  }

  Letters letters() {
    return letters;
  }

  Await await() {
    return await;
  }

  Tally tally() {
    return tally;
  }

  Peer peer() {
    if (peer == null) {
      throw new IllegalStateException("expected to run");
    }
    return peer;
  }

  /** No new round begins. */
  boolean isOver() {
    return System.nanoTime() - endNanos >= 0;
  }

  boolean isDelivered() {
    return engine.completionLevel() == CompletionLevel.DELIVERED;
  }

  Round round(Where where, int number) {
    return Round.of(plan, where, Pages.count(where), isDelivered(), number);
  }

  /** What the other side must know: the address, and where the barriers' words are. */
  String greeting() {
    return engine.address().toText()
        + " "
        + Base64.getUrlEncoder().encodeToString(barriers.descriptor().toBytes());
  }

  /** Works until it is over and all has come to rest. */
  void run(String greeting) throws InterruptedException {
    String[] parts = greeting.split(" ", -1);
    peer = engine.peer(PeerAddress.fromText(parts[0]));
    endNanos = System.nanoTime() + task.millis() * 1_000_000;
    letters.open(peer());
    Disposable watch =
        peer().state().subscribe(this::seen, e -> judge.unexpected("Peer.state() to go on", e));
    RegionDescriptor words = RegionDescriptor.fromBytes(Base64.getUrlDecoder().decode(parts[1]));
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    try {
      List<Future<?>> all = new ArrayList<>();
      for (Work work : works(words)) {
        all.add(threads.submit(() -> guarded(work)));
      }
      var _ = judge.verdict().thenAccept(failure -> threads.shutdownNow());
      awaitAll(all);
    } finally {
      threads.shutdownNow();
      threads.close();
      watch.dispose();
      letters.close();
    }
    if (judge.isOver()) {
      throw judge.verdict().join();
    }
  }

  private List<Work> works(RegionDescriptor words) throws InterruptedException {
    List<Work> works = new ArrayList<>();
    for (int stream = 0; stream < plan.streams(); stream++) {
      works.add(new OriginStream(this, arena, where(side, stream))::run);
      works.add(new TargetStream(this, arena, where(1 - side, stream))::run);
    }
    if (plan.has(Feature.MESSAGES)) {
      Chat chat = new Chat(this, where(side, 0), where(1 - side, 0));
      works.add(chat::speak);
      works.add(chat::listen);
    }
    if (plan.has(Feature.BARRIERS)) {
      works.add(() -> barriers.run(words));
    }
    return works;
  }

  private void guarded(Work work) {
    try {
      work.run();
    } catch (InterruptedException e) {
      if (!judge.isOver()) {
        judge.unexpected("not to be interrupted", e);
      }
    } catch (Throwable e) {
      judge.unexpected("no exception", e);
    }
  }

  private static void awaitAll(List<Future<?>> all) throws InterruptedException {
    for (Future<?> each : all) {
      try {
        each.get();
      } catch (ExecutionException e) {
        throw new IllegalStateException(e); // a guarded one throws nothing
      }
    }
  }

  private void seen(PeerState state) {
    if (state.lossCause() != null) {
      judge.unexpected("no loss of the peer, since nobody cut it", state.lossCause());
    }
  }

  /** The other side has come to rest, too. */
  void close() throws InterruptedException {
    try {
      EngineStats stats = engine.stats();
      if (stats.transfersInFlight() + stats.writesInFlight() + stats.pendingClaims() > 0
          || stats.droppedImms() > 0) {
        throw SoakFailure.at(
            where(side, 0), "an engine at rest, that has lost nothing", stats.toString(), null);
      }
    } finally {
      await.value(engine.close(), "TransferEngine.close", where(side, 0));
      arena.close();
    }
  }

  /** Ends it after a failure; what fails now was told by what failed first. */
  void abandon() {
    letters.close();
    engine.close().onErrorComplete().block();
    arena.close();
  }

  /** What runs on a thread of its own. */
  private interface Work {
    void run() throws InterruptedException;
  }
}
