package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Message;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;

/** Chapter 9: revoked is revoked. */
abstract class RevocationRules extends RuleGroup {

  /** Regions that are written to once. */
  private static final int SHORT_LIVED = 50;

  private static final int STREAMS = 6;

  /** In the other direction: what goes there may carry news of what came. */
  private static final int STREAMS_BACK = 2;

  /** Many are under way whenever one region is revoked, and few have to fail for it. */
  private static final int STREAM_WINDOW = 16;

  /** Streams of short writes, one after the other, and each ended by a revocation. */
  private static final int SHORT_STREAMS = 10;

  private static final int REVOCATIONS = STREAMS + STREAMS_BACK + 2;

  /** How many writes of each stream are done between two revocations: a sign that it goes on. */
  private static final int WRITES_BETWEEN = 4;

  RevocationRules(TransferConformance kit) {
    super(kit);
  }

  @Test
  final void r9_1_writesUnderARevokedDescriptorAreRefused() {
    stage().require(Capability.REVOCATION);
    Duo duo = unasked();
    stage().done(duo.origin(), duo.write(0, 100));
    duo.expect(0, 100);
    stage().awaitBytes("before revoking", duo.to());
    stage().complete(duo.to().region().revoke());
    expectRefusal(duo);
  }

  @Test
  final void r9_1_writesUnderTheDescriptorOfAClosedRegionAreRefused() {
    stage().require(Capability.REVOCATION);
    Duo duo = unasked();
    stage().complete(duo.to().region().close());
    expectRefusal(duo);
  }

  /** Cards give out the number of a registration that has ended again, the last one first. */
  @Test
  final void r9_8_whatWasNamedOnceNamesNothingElseLater() {
    stage().require(Capability.REVOCATION);
    for (int revocations = 2; revocations <= 3; revocations++) {
      Duo duo = unasked();
      for (int i = 0; i < revocations; i++) {
        stage().complete(duo.to().region().revoke());
      }
      expectRefusal(duo);
    }
    for (int registrations = 1; registrations <= 2; registrations++) {
      Duo duo = unasked();
      MemoryRegion region = duo.to().region();
      for (int i = 0; i < registrations; i++) {
        stage().complete(region.close());
        region = stage().get(duo.target().register(Plot.memoryOf(region)));
      }
      expectRefusal(duo);
    }
  }

  private void expectRefusal(Duo duo) {
    Imm imm = stage().imm();
    long arrivals = duo.target().stats().arrivals();
    Probe<WriteImm> write = stage().probe("a write", duo.origin().submit(duo.write(200, 100, imm)));
    if (delivers(duo)) {
      write.awaitError(TransferFailedException.class);
    } else {
      write.awaitTerminal(); // perhaps that its source is free, and no more
      stage().patience().throughout(() -> expectUnchanged(duo, arrivals));
    }
    expectUnchanged(duo, arrivals);
    assertThat(stage().get(duo.target().counter(imm).discard())).isZero();
  }

  private static boolean delivers(Duo duo) {
    return duo.origin().completionLevel() == CompletionLevel.DELIVERED;
  }

  private static void expectUnchanged(Duo duo, long arrivals) {
    duo.to().assertAsExpected("after a refused write");
    assertThat(duo.target().stats().arrivals()).as("arrivals").isEqualTo(arrivals);
  }

  @Test
  final void r9_1_revocationEndsWritesThatAreOnTheirWay() {
    stage().require(Capability.REVOCATION);
    Duo duo = unasked();
    long length = Duo.SIZE - 1_000;
    Imm imm = stage().imm();
    Flux<WriteImm> writes =
        Flux.range(0, Integer.MAX_VALUE)
            .map(i -> WriteImm.of(duo.from().slice(i % 64, length), duo.sink(100, length), imm));
    Probe<WriteImm> stream = stage().probe("writes", duo.origin().submit(writes));
    stream.awaitValues(3);
    stage().complete(duo.to().region().revoke());
    long arrivals = duo.target().stats().arrivals();
    Plot after = duo.to().copy();
    if (delivers(duo)) {
      stream.awaitError(TransferException.class);
    } else {
      stage().patience().throughout(() -> after.assertAsExpected("after revoking"));
      stream.cancel();
    }
    after.assertAsExpected("after revoking");
    assertThat(duo.target().stats().arrivals()).as("arrivals").isEqualTo(arrivals);
  }

  /** A NIC may look at the key for the bytes, and forget it until it tells of them. */
  @Test
  final void r9_1_revocationEndsWritesBetweenTheirBytesAndTheirCount() {
    stage().require(Capability.REVOCATION);
    Duo duo = unasked();
    for (int round = 0; round < SHORT_STREAMS; round++) {
      RemoteRegion view = stage().seenBy(duo.origin(), duo.to());
      Imm imm = stage().imm();
      Flux<WriteImm> writes =
          Flux.range(0, Integer.MAX_VALUE)
              .map(i -> WriteImm.of(duo.source(i % 64, 8), view.slice(8L * (i % 64), 8), imm));
      Probe<WriteImm> stream = stage().probe("short writes", duo.origin().submit(writes));
      stream.awaitValues(3);
      stage().complete(duo.to().region().revoke());
      long arrivals = duo.target().stats().arrivals();
      if (delivers(duo)) {
        stream.awaitError(TransferException.class);
      } else {
        stream.cancel();
      }
      expectOneMore(duo, arrivals);
    }
  }

  /** What is late of the writes before may be counted when what came behind them is. */
  private void expectOneMore(Duo duo, long arrivals) {
    Imm behind = stage().imm();
    Probe<Void> claim = stage().claim(duo.target(), behind, 1);
    stage().done(duo.origin(), duo.signal(behind));
    claim.awaitCompletion();
    assertThat(duo.target().stats().arrivals()).as("arrivals").isEqualTo(arrivals + 1);
  }

  @Test
  final void r9_2_revokingGivesANewDescriptor() {
    stage().require(Capability.REVOCATION);
    Duo duo = Duo.open(stage(), 1);
    RegionDescriptor before = duo.to().region().descriptor();
    stage().complete(duo.to().region().revoke());
    assertThat(duo.to().region().descriptor()).isNotEqualTo(before);
    assertThat(duo.to().region().isClosed()).isFalse();
    stage()
        .done(
            duo.origin(),
            Write.of(duo.source(500, 100), stage().target(duo.origin(), duo.to(), 500, 100)));
    duo.expect(500, 100);
    stage().awaitBytes("under the new descriptor", duo.to());
  }

  @Test
  final void r9_3_ownWritesFromARevokedRegionGoOn() {
    Valve valve = new Valve().holdWrites(w -> true);
    Duo duo = Duo.open(stage(), 1, valve);
    Probe<Write> write = stage().probe("a write", duo.origin().submit(duo.write(0, 100)));
    stage().patience().until("a write posted", () -> valve.inFlight() == 1);
    stage().complete(duo.from().region().revoke());
    valve.open();
    write.awaitCompletion();
    duo.expect(0, 100);
    stage().awaitBytes("after revoking the source", duo.to());
  }

  @Test
  final void r9_7_nicsAreToldToReleaseWhatWasRevoked() {
    Valve valve = new Valve();
    Duo duo = Duo.open(stage(), 1, valve);
    stage().done(duo.origin(), duo.write(0, 1));
    int before = valve.targets();
    for (int i = 0; i < SHORT_LIVED; i++) {
      Plot plot = stage().plot(duo.target(), 64);
      stage()
          .done(duo.origin(), Write.of(duo.source(0, 1), stage().target(duo.origin(), plot, 0, 1)));
      stage().complete(plot.region().close());
    }
    stage().patience().until("as few as before", () -> valve.targets() == before);
    valve.holdReports(write -> true);
    int done = valve.ended();
    Plot plot = stage().plot(duo.target(), 64);
    Write late = Write.of(duo.source(0, 1), stage().target(duo.origin(), plot, 0, 1));
    Probe<Write> write = stage().probe("a write", duo.origin().submit(late));
    stage().patience().until("a write that is not reported", () -> valve.ended() == done + 1);
    stage().complete(plot.region().revoke());
    stage()
        .patience()
        .throughout(() ->
            assertThat(valve.targets())
                .as("what is resolved while a write is out")
                .isEqualTo(before + 1));
    valve.open();
    write.awaitCompletion();
    stage().patience().until("as few as before again", () -> valve.targets() == before);
  }

  @Test
  final void r9_5_writersAreAskedToStopFirst() {
    stage().require(Capability.REVOCATION);
    Valve valve = new Valve();
    TransferEngine origin = stage().open(1, valve);
    Duo duo = Duo.of(stage(), origin, openWithGrace(stage().patience().signal()));
    introduce(duo);
    valve.holdReports(piece -> true);
    Probe<Write> out =
        stage().probe("a write that is out", duo.origin().submit(duo.write(200, 100)));
    stage().patience().until("it done", () -> valve.ended() == 2);
    Probe<Void> revoked = stage().probe("revoking", duo.to().region().revoke());
    awaitMessageBehind(duo); // by then the writer was asked
    revoked.assertPending();
    Probe<Write> late = stage().probe("a write after that", duo.origin().submit(duo.write(400, 1)));
    late.awaitError(TransferFailedException.class);
    valve.open();
    out.awaitCompletion();
    revoked.awaitCompletion();
    duo.expect(0, 100);
    duo.expect(200, 100);
    stage().awaitBytes("before it was revoked", duo.to());
  }

  private void awaitMessageBehind(Duo duo) {
    Probe<Message> message = stage().probe("a message behind it", duo.origin().messages(), 1);
    stage()
        .complete(
            duo.target().send(duo.target().peer(duo.origin().address()), ByteBuffer.allocate(1)));
    message.awaitValues(1);
    message.cancel();
  }

  @Test
  final void r9_6_whoDoesNotAnswerIsNotWaitedForLongerThanTheGrace() {
    stage().require(Capability.REVOCATION);
    Valve valve = new Valve();
    TransferEngine origin = stage().open(1, valve);
    Duo duo = Duo.of(stage(), origin, openWithGrace(Duration.ofMillis(1)));
    introduce(duo);
    valve.holdReports(piece -> true);
    Probe<Write> out =
        stage().probe("a write that is out", duo.origin().submit(duo.write(200, 100)));
    stage().patience().until("it done", () -> valve.ended() == 2);
    stage().complete(duo.to().region().revoke());
    out.assertPending();
    valve.open();
    out.awaitTerminal();
  }

  /**
   * Has the target know that the origin writes there: that is said on the control channel, which
   * may be slower than the NICs, and where nothing comes before what was said earlier.
   */
  private void introduce(Duo duo) {
    stage().done(duo.origin(), duo.write(0, 100));
    Probe<Message> heard = stage().probe("a message behind it", duo.target().messages(), 1);
    stage().complete(duo.origin().send(duo.peer(), ByteBuffer.allocate(1)));
    heard.awaitValues(1);
    heard.cancel();
  }

  /** Nobody is asked to stop: what ends a key is the NIC. */
  private Duo unasked() {
    return Duo.of(stage(), stage().open(1), openWithGrace(Duration.ZERO));
  }

  private TransferEngine openWithGrace(Duration grace) {
    return stage().open(1, options -> options.revocationGrace(grace));
  }

  @ParameterizedTest(name = "{0} NICs")
  @MethodSource("fewNics")
  final void r9_4_revokingOneRegionFailsNoWritesIntoOthers(int nics) {
    stage().require(Capability.REVOCATION);
    TransferEngine one = stage().open(nics, options -> options.window(STREAM_WINDOW));
    TransferEngine other = stage().open(nics, options -> options.window(STREAM_WINDOW));
    List<Load> streams = new ArrayList<>();
    streams.addAll(streams(one, other, STREAMS));
    streams.addAll(streams(other, one, STREAMS_BACK));
    for (int round = 0; round < REVOCATIONS; round++) {
      Load.awaitMore(stage(), streams, WRITES_BETWEEN);
      int hit = round % streams.size();
      Load revoked = streams.get(hit);
      stage().complete(revoked.to().region().revoke());
      revoked.stop(); // whether it has failed is another rule
      revoked.stream().awaitTerminal();
      streams.set(hit, revoked.elsewhere(stage()));
    }
    Load.awaitMore(stage(), streams, WRITES_BETWEEN);
    streams.forEach(Load::stop);
    streams.forEach(stream -> stream.stream().awaitCompletion());
  }

  /** Streams from one engine to another, each into a region of its own. */
  private List<Load> streams(TransferEngine origin, TransferEngine target, int count) {
    Plot from = stage().plot(origin, Load.BYTES, Access.LOCAL);
    List<Load> streams = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      streams.add(new Load(stage(), from, stage().plot(target, Load.BYTES)));
    }
    return streams;
  }
}
