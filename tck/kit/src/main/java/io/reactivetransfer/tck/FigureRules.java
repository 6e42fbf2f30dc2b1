package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.EngineRecorder.StreamEnd;
import io.reactivetransfer.EngineStats;
import io.reactivetransfer.Imm;
import io.reactivetransfer.Nic;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TrafficStats;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Chapter 27: what an engine tells of itself. */
abstract class FigureRules extends RuleGroup {

  private static final int WRITES = 12;
  private static final int MESSAGES = 3;
  private static final Duration SHORT = Duration.ofMillis(5);

  FigureRules(TransferConformance kit) {
    super(kit);
  }

  /** What it says of one of its peers. */
  private static TrafficStats of(TransferEngine engine, EngineId peer) {
    return engine.peers().stream()
        .filter(each -> each.id().equals(peer))
        .map(Peer::stats)
        .findFirst()
        .orElseThrow(() -> new AssertionError("expected " + peer + " among the engine's peers"));
  }

  private static long sum(EngineStats stats, ToLongFunction<TrafficStats> figure) {
    return stats.nics().values().stream().mapToLong(figure).sum();
  }

  private Probe<WriteImm> submit(Duo duo, Imm imm) {
    return stage().probe("writes", duo.origin().submit(Upstream.of(duo.writes(WRITES, imm))));
  }

  private void until(String what, Duo duo, ToLongFunction<TrafficStats> figure, long value) {
    stage()
        .patience()
        .until(
            what + ": " + value,
            () -> figure.applyAsLong(of(duo.origin(), duo.target().id())) == value);
  }

  /** Until what waits was refused in a turn that has begun since, whatever took long before. */
  private void untilRefusedInATurnOfItsOwn(Duo duo) {
    long refusals = of(duo.origin(), duo.target().id()).refusals() + 2;
    stage()
        .patience()
        .until(
            "two more refusals", () -> of(duo.origin(), duo.target().id()).refusals() >= refusals);
  }

  @Test
  final void r27_1_nicsAndPeersHaveFiguresOfTheirOwn() {
    stage().requireNics(2);
    Valve valve = new Valve();
    Duo duo = Duo.open(stage(), 2, valve);
    stage().done(duo.origin(), duo.write(0, 1)); // to be in touch
    long before = of(duo.origin(), duo.target().id()).writesPosted();
    valve.holdReports(write -> true);
    Imm imm = stage().imm();
    Probe<Void> claim = stage().probe("arrivals", duo.target().counter(imm).next(WRITES));
    Probe<WriteImm> writes = submit(duo, imm);
    claim.awaitCompletion();
    until("writes in flight", duo, TrafficStats::writesInFlight, WRITES);
    stage() // what NICs do is counted once in a turn
        .patience()
        .until(
            "writes in flight on all NICs: " + WRITES,
            () -> sum(duo.origin().stats(), TrafficStats::writesInFlight) == WRITES);
    valve.open();
    writes.awaitCompletion();
    until("writes in flight", duo, TrafficStats::writesInFlight, 0);
    TrafficStats there = of(duo.origin(), duo.target().id());
    assertThat(there.writesPosted() - before).as("writes to the peer").isEqualTo(WRITES);
    assertThat(there.bytesPosted()).as("bytes").isEqualTo(1 + WRITES * Duo.WRITE_BYTES);
    EngineStats own = duo.origin().stats();
    assertThat(own.nics().keySet()).as("NICs").containsExactlyElementsOf(duo.origin().nics());
    assertThat(own.nics().values())
        .as("what each NIC has posted")
        .allMatch(nic -> nic.writesPosted() > 0);
    Map<String, ToLongFunction<TrafficStats>> sums =
        Map.of(
            "writes posted", TrafficStats::writesPosted,
            "bytes posted", TrafficStats::bytesPosted,
            "writes in flight", TrafficStats::writesInFlight);
    sums.forEach((what, figure) ->
        assertThat(sum(own, figure)).as(what).isEqualTo(figure.applyAsLong(there)));
    EngineStats target = duo.target().stats();
    assertThat(sum(target, TrafficStats::arrivals)).as("arrivals").isEqualTo(WRITES);
    // A NIC need not say how long a write was, or who wrote; one that does says it of all.
    long bytes = WRITES * Duo.WRITE_BYTES;
    assertThat(sum(target, TrafficStats::bytesArrived))
        .as("bytes that came, all or none")
        .isIn(0L, bytes)
        .isEqualTo(target.bytesArrived());
    stage()
        .patience()
        .until(
            "arrivals of the origin and their bytes, all or none",
            () -> {
              TrafficStats come = of(duo.target(), duo.origin().id());
              return come.arrivals() == 0
                  ? come.bytesArrived() == 0
                  : come.arrivals() == WRITES && come.bytesArrived() == target.bytesArrived();
            });
  }

  @Test
  final void r27_2_whatWaitsIsRefusedOrFailsIsCounted() {
    Valve valve = new Valve();
    Duo duo = Duo.open(stage(), 1, valve);
    stage().done(duo.origin(), duo.write(0, 1));
    TrafficStats before = of(duo.origin(), duo.target().id());
    valve.shutForWrites();
    Probe<WriteImm> writes = submit(duo, stage().imm());
    until("parts of transfers that wait", duo, TrafficStats::transfersWaiting, WRITES);
    stage().rest(SHORT);
    TrafficStats waiting = of(duo.origin(), duo.target().id());
    assertThat(waiting.refusals()).as("refusals").isGreaterThan(before.refusals());
    assertThat(waiting.writesInFlight()).as("writes in flight").isZero();
    untilRefusedInATurnOfItsOwn(duo);
    valve.open();
    writes.awaitCompletion();
    until("parts of transfers that wait", duo, TrafficStats::transfersWaiting, 0);
    TrafficStats after = of(duo.origin(), duo.target().id());
    assertThat(after.transfersQueued() - before.transfersQueued())
        .as("parts of transfers that have waited")
        .isEqualTo(WRITES);
    assertThat(after.timeQueued().minus(before.timeQueued()))
        .as("the time that they have waited")
        .isGreaterThanOrEqualTo(SHORT.multipliedBy(WRITES));
    assertThat(after.writesFailed()).as("failures").isEqualTo(before.writesFailed());
    valve.failRefused(write -> true);
    stage()
        .probe("a write that fails", duo.origin().submit(duo.write(0, 1)))
        .awaitError(TransferFailedException.class);
    until("failures", duo, TrafficStats::writesFailed, before.writesFailed() + 1);
    assertThat(sum(duo.origin().stats(), TrafficStats::writesFailed)).as("failures").isEqualTo(1);
  }

  @Test
  final void r27_5_messagesArePartOfWhatIsSaidOfAPeer() {
    TransferEngine origin = stage().open(1);
    TransferEngine target = stage().open(1, options -> options.messageCredits(MESSAGES));
    for (int i = 0; i < MESSAGES; i++) {
      stage().complete(origin.send(origin.peer(target.address()), ByteBuffer.allocate(5)));
    }
    ByteBuffer last = ByteBuffer.allocate(7);
    Probe<Void> waiting =
        stage().probe("one without credit", origin.send(origin.peer(target.address()), last));
    untilMessages(origin, target, "wait", TrafficStats::messagesWaiting, 1);
    untilMessages(origin, target, "were sent", TrafficStats::messagesSent, MESSAGES);
    untilMessages(target, origin, "have come", TrafficStats::messagesReceived, MESSAGES);
    stage().probe("messages", target.messages()).awaitValues(MESSAGES);
    waiting.awaitCompletion();
    long bytes = 5 * MESSAGES + 7;
    untilMessages(origin, target, "wait", TrafficStats::messagesWaiting, 0);
    untilMessages(origin, target, "were sent", TrafficStats::messagesSent, MESSAGES + 1);
    untilMessages(origin, target, "bytes were sent", TrafficStats::messageBytesSent, bytes);
    untilMessages(target, origin, "have come", TrafficStats::messagesReceived, MESSAGES + 1);
    untilMessages(target, origin, "bytes have come", TrafficStats::messageBytesReceived, bytes);
    assertThat(sum(origin.stats(), TrafficStats::messagesSent)).as("sent by NICs").isZero();
  }

  private void untilMessages(
      TransferEngine engine,
      TransferEngine peer,
      String what,
      ToLongFunction<TrafficStats> figure,
      long value) {
    stage()
        .patience()
        .until(
            "messages that " + what + ": " + value,
            () -> figure.applyAsLong(of(engine, peer.id())) == value);
  }

  /** Writes down what it is told. */
  private static final class Notes implements EngineRecorder {
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final List<StreamEnd> ends = new CopyOnWriteArrayList<>();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    private void note(String event) {
      events.add(event);
      threads.add(Thread.currentThread());
    }

    @Override
    public void opened(TransferEngine engine) {
      note("opened");
    }

    @Override
    public void closed(TransferEngine engine, @Nullable Throwable reason) {
      note("closed " + reason);
    }

    @Override
    public void peerFound(Peer peer) {
      note("found " + peer.id());
    }

    @Override
    public void peerLost(Peer peer, PeerUnreachableException reason) {
      note("lost " + peer.id());
    }

    @Override
    public void nicFailed(EngineId engine, Nic nic, String reason) {
      note(nic.name() + " failed: " + reason);
    }

    @Override
    public void wayLost(Peer peer, Nic nic, String reason) {
      note(nic.name() + " lost " + peer.id() + ": " + reason);
    }

    @Override
    public void transferFailed(Peer peer, Nic nic, TransferException reason) {
      note("transfer failed to " + peer.id());
    }

    @Override
    public void transferRejected(EngineId engine, TransferException reason) {
      note("transfer rejected");
    }

    @Override
    public void streamEnded(EngineId engine, StreamEnd end) {
      ends.add(end);
      note("ended");
    }
  }

  @Test
  final void r27_3_aRecorderIsToldOfWhatIsRare() {
    Notes notes = new Notes();
    Valve valve = new Valve();
    TransferEngine origin = stage().open(1, valve, options -> options.recorder(notes));
    TransferEngine target = stage().open(1);
    Duo duo = Duo.of(stage(), origin, target);
    submit(duo, stage().imm()).awaitCompletion();
    stage().patience().until("the end of a stream", () -> notes.ends.size() == 1);
    StreamEnd done = notes.ends.getFirst();
    assertThat(done.transfers()).as("transfers of the stream").isEqualTo(WRITES);
    assertThat(done.bytes()).as("bytes of the stream").isEqualTo(WRITES * Duo.WRITE_BYTES);
    assertThat(done.failure()).as("its failure").isNull();
    assertThat(done.duration()).as("its duration").isPositive();
    assertThat(done.isPosted()).as("whether anything of it was posted").isTrue();
    assertThat(done.queued())
        .as("what of its duration it has waited")
        .isBetween(Duration.ZERO, done.duration());
    valve.failRefused(write -> true);
    TransferException failure =
        stage()
            .probe("a write that fails", origin.submit(duo.write(0, 1)))
            .awaitError(TransferFailedException.class);
    stage().patience().until("the end of another stream", () -> notes.ends.size() == 2);
    assertThat(notes.ends.getLast().failure()).as("its failure").isSameAs(failure);
    stage().complete(target.close());
    stage()
        .patience()
        .until("the loss of the peer", () -> notes.events.contains("lost " + target.id()));
    stage().complete(origin.close());
    String found = "found " + target.id();
    assertThat(notes.events)
        .as("what the recorder was told")
        .startsWith("opened", found, "ended")
        .endsWith("closed null")
        .containsOnlyOnce("opened", found, "closed null");
    assertThat(notes.threads).as("threads that told it").hasSize(1);
  }

  @Test
  final void r27_3_aRecorderIsToldOfWhatFails() {
    stage().requireNics(2);
    Notes notes = new Notes();
    Valve valve = new Valve();
    TransferEngine origin = stage().open(2, valve, options -> options.recorder(notes));
    Duo duo = Duo.of(stage(), origin, stage().open(2));
    submit(duo, stage().imm()).awaitCompletion();
    EngineId peer = duo.target().id();
    List<String> nics = origin.nics().stream().map(Nic::name).toList();
    valve.failRefused(write -> true);
    stage()
        .probe("a write that fails", origin.submit(duo.write(0, 1)))
        .awaitError(TransferFailedException.class);
    valve.open();
    Write late = duo.write(0, 1);
    stage().complete(duo.from().region().close());
    stage()
        .probe("a write from closed memory", origin.submit(Upstream.of(List.of(late))))
        .awaitError(TransferRejectedException.class);
    valve.loseWay(1, peer);
    stage().patience().until("the loss to be told", valve::hasLostAll);
    valve.breakNic(1);
    stage().patience().until("one NIC left", () -> origin.nics().size() == 1);
    stage().complete(origin.close());
    assertThat(notes.events)
        .as("what the recorder was told")
        .contains(
            "transfer failed to " + peer,
            "transfer rejected",
            nics.get(1) + " lost " + peer + ": " + ValveDomain.FAILURE_TEXT,
            nics.get(1) + " failed: " + ValveDomain.FAILURE_TEXT)
        .doesNotContain("lost " + peer);
    assertThat(notes.threads).as("threads that told it").hasSize(1);
  }

  /** Has a write wait for a while: no NIC takes it over before the valve is opened. */
  private void waitFor(Duo duo, Valve valve, Runnable submit) {
    valve.shutForWrites();
    submit.run();
    until("parts of transfers that wait", duo, TrafficStats::transfersWaiting, 1);
    stage().rest(SHORT);
    untilRefusedInATurnOfItsOwn(duo);
  }

  @Test
  final void r27_3_ofAStreamIsToldWhatItHasWaitedBeforeItsFirstWrite() {
    Notes notes = new Notes();
    Valve valve = new Valve();
    TransferEngine origin = stage().open(1, valve, options -> options.recorder(notes));
    Duo duo = Duo.of(stage(), origin, stage().open(1));
    stage().done(origin, duo.write(0, 1)); // to be in touch
    stage().patience().until("the end of a stream", () -> notes.ends.size() == 1);
    Upstream<Write> upstream = Upstream.open(List.of(duo.write(0, 1)));
    Probe<Write> writes = stage().probe("two writes", origin.submit(upstream), 0);
    waitFor(duo, valve, () -> writes.request(2));
    valve.open();
    writes.awaitValues(1);
    waitFor(duo, valve, () -> upstream.emit(duo.write(0, 1)));
    valve.open();
    upstream.complete();
    writes.awaitCompletion();
    stage().patience().until("its end", () -> notes.ends.size() == 2);
    StreamEnd waited = notes.ends.getLast();
    assertThat(waited.isPosted()).as("whether anything of it was posted").isTrue();
    assertThat(waited.queued())
        .as("what it has waited before its first write")
        .isBetween(SHORT, waited.duration().minus(SHORT));
    Probe<Write> dropped = stage().probe("a write", origin.submit(duo.write(0, 1)), 0);
    waitFor(duo, valve, () -> dropped.request(1));
    dropped.cancel();
    stage().patience().until("the end of a third stream", () -> notes.ends.size() == 3);
    StreamEnd unposted = notes.ends.getLast();
    assertThat(unposted.isCancelled()).as("whether it was cancelled").isTrue();
    assertThat(unposted.transfersNotDone()).as("its transfers that were not done").isEqualTo(1);
    assertThat(unposted.isPosted()).as("whether anything of it was posted").isFalse();
    assertThat(unposted.queued())
        .as("what it has waited")
        .isEqualTo(unposted.duration())
        .isGreaterThanOrEqualTo(SHORT);
  }

  /** Throws whatever it is told. */
  private static final class Careless implements EngineRecorder {

    private static AssertionError thrown() {
      return new AssertionError("thrown by the conformance kit");
    }

    @Override
    public void opened(TransferEngine engine) {
      throw thrown();
    }

    @Override
    public void closed(TransferEngine engine, @Nullable Throwable reason) {
      throw thrown();
    }

    @Override
    public void peerFound(Peer peer) {
      throw thrown();
    }

    @Override
    public void streamEnded(EngineId engine, StreamEnd end) {
      throw thrown();
    }
  }

  @Test
  final void r27_4_aRecorderThatThrowsEndsNothing() {
    TransferEngine origin = stage().open(1, options -> options.recorder(new Careless()));
    Duo duo = Duo.of(stage(), origin, stage().open(1));
    submit(duo, stage().imm()).awaitCompletion();
    submit(duo, stage().imm()).awaitCompletion();
    stage()
        .patience()
        .until(
            "defects for opened, found, and two streams that ended",
            () -> origin.stats().defects() == 4);
    stage().complete(origin.close());
    assertThat(origin.stats().defects()).as("defects, with the close").isEqualTo(5);
  }
}
