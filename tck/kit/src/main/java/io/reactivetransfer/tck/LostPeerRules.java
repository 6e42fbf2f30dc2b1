package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Signal;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Chapter 7: a lost peer is a terminal signal. */
abstract class LostPeerRules extends RuleGroup {

  /** A quarter of it passes before a peer is asked. */
  private static final Duration LIVENESS = Duration.ofSeconds(2);

  /** How often a peer is forgotten. */
  private static final int FORGOTTEN = 2;

  /** What engines say of a barrier, and how many rounds one of them may be ahead. */
  private static final byte BARRIER = 7;

  private static final int MAX_LEAD = 1_024;

  LostPeerRules(TransferConformance kit) {
    super(kit);
  }

  @Test
  final void r7_1_writesToALostPeerEnd() {
    stage().require(Capability.LOST_PEERS);
    Duo duo = Duo.open(stage(), 1);
    stage().done(duo.origin(), duo.write(0, 100));
    stage().complete(duo.target().close());
    PeerUnreachableException lost = awaitFailure("a write to a closed engine", duo);
    assertThat(lost.peer()).isEqualTo(duo.target().id());
  }

  /**
   * The next write to a peer that has closed must fail. Where writes are done when their source is
   * free, one that is posted before the loss is noticed may be done: there, one of the next.
   */
  private PeerUnreachableException awaitFailure(String what, Duo toClosed) {
    TransferEngine origin = toClosed.origin();
    boolean delivered = origin.completionLevel() == CompletionLevel.DELIVERED;
    WriteImm write = toClosed.write(0, 100, stage().imm());
    Mono<Void> writes = Mono.defer(() -> origin.submit(write)).repeat(() -> !delivered).then();
    return stage().probe(what, writes).awaitError(PeerUnreachableException.class);
  }

  @Test
  final void r7_2_claimsBoundToALostPeerFail() {
    stage().require(Capability.LOST_PEERS);
    Duo duo = Duo.open(stage(), 1);
    Duo other = Duo.of(stage(), stage().open(1), duo.target());
    Imm imm = stage().imm();
    for (Duo each : new Duo[] {duo, other}) {
      Probe<Void> begun = stage().claim(each.target(), imm, 1);
      stage().done(each.origin(), each.signal(imm));
      begun.awaitCompletion();
    }
    var counter = duo.target().counter(imm);
    Probe<Void> unbound = stage().claim(duo.target(), imm, 1);
    Probe<Void> bound =
        stage().probe("bound", counter.boundTo(duo.target().peer(duo.origin().address())).next(1));
    Probe<Void> elsewhere =
        stage()
            .probe(
                "elsewhere", counter.boundTo(duo.target().peer(other.origin().address())).next(1));
    stage().complete(duo.origin().close());
    PeerUnreachableException lost = bound.awaitError(PeerUnreachableException.class);
    assertThat(lost.peer()).isEqualTo(duo.origin().id());
    elsewhere.assertSilent();
    unbound.assertPending();
  }

  @Test
  final void r7_3_aPeerThatNeverWasThereIsUnreachable() {
    stage().require(Capability.LOST_PEERS);
    TransferEngine origin = stage().open(1);
    TransferEngine gone = stage().open(1);
    Plot to = stage().plot(gone, 1_000);
    RemoteRegion view = stage().seenBy(origin, to);
    stage().complete(gone.close());
    Plot from = stage().plot(origin, 1_000);
    stage()
        .probe(
            "a write",
            origin.submit(WriteImm.of(from.slice(0, 10), view.slice(0, 10), stage().imm())))
        .awaitError(PeerUnreachableException.class);
    stage()
        .probe("a signal", origin.submit(Signal.of(origin.peer(gone.address()), stage().imm())))
        .awaitError(PeerUnreachableException.class);
  }

  /** Its address is right, and nobody answers there. */
  @Test
  final void r7_3_aPeerThatDoesNotAnswerIsUnreachable() {
    stage().require(Capability.LOST_PEERS);
    Wire wire = Wire.open(stage(), Wire.LENGTH, 0);
    String lost = "lost " + wire.target().engine();
    stage()
        .patience()
        .until(
            "a write to be taken over, or the loss of a peer that is never turned",
            () -> {
              boolean taken =
                  wire.origin().call(nic -> nic.post(wire.write(0, 0, 100, 1)).isTaken());
              wire.origin().turn();
              return taken || wire.origin().hasReported(lost);
            });
  }

  @Test
  final void r7_4_otherPeersAreUnharmed() {
    stage().require(Capability.LOST_PEERS);
    TransferEngine gone = stage().open(1);
    Valve valve = new Valve().holdReports(w -> !w.peer().equals(gone.id()));
    Duo lost = Duo.of(stage(), stage().open(1, valve), gone);
    Duo well = Duo.of(stage(), lost.origin(), stage().open(1));
    stage().done(lost.origin(), lost.write(0, 100));
    Probe<Write> stream =
        stage().probe("a stream", well.origin().submit(Upstream.of(well.writes(3))));
    stage().patience().until("3 writes posted", () -> valve.inFlight() == 3);
    stage().complete(gone.close());
    awaitFailure("a write", lost);
    stream.assertPending();
    valve.open();
    stream.awaitCompletion();
  }

  @Test
  final void r7_5_messagesToALostPeerEnd() {
    stage().require(Capability.LOST_PEERS);
    TransferEngine gone = stage().open(1, options -> options.messageCredits(1));
    TransferEngine origin = stage().open(1);
    stage().complete(origin.send(origin.peer(gone.address()), ByteBuffer.allocate(4)));
    Probe<Void> waiting =
        stage().probe("send", origin.send(origin.peer(gone.address()), ByteBuffer.allocate(4)));
    waiting.assertSilent();
    stage().complete(gone.close());
    waiting.awaitError(PeerUnreachableException.class);
  }

  @Test
  final void r7_7_nicsAreToldToReleaseAPeerThatIsForgotten() {
    Valve valve = new Valve();
    Duo duo = Duo.open(stage(), 1, valve);
    TransferEngine other = stage().open(1);
    Duo beside = Duo.of(stage(), duo.origin(), other);
    stage().done(beside.origin(), beside.write(0, 1));
    int peers = valve.peers();
    int targets = valve.targets();
    for (int round = 0; round < FORGOTTEN; round++) {
      awaitWrite(duo, round);
      assertThat(valve.peers()).as("NICs of peers that are resolved").isGreaterThan(peers);
      stage()
          .patience()
          .until(
              "its NIC and its memory released",
              () -> {
                boolean released = valve.peers() == peers && valve.targets() == targets;
                if (!released && valve.hasHeardAll()) {
                  enterTooOften(valve, duo.target().id()); // again, if it was forgotten meanwhile
                }
                return released;
              });
      stage().done(beside.origin(), beside.write(8L * round, 8));
    }
    awaitWrite(duo, FORGOTTEN);
    stage().awaitBytes("what it was written to in between", duo.to());
  }

  /** The peer may learn of what was before only now, and one that is found anew is lost once. */
  private void awaitWrite(Duo duo, int round) {
    stage()
        .patience()
        .until(
            "a write to a peer that was forgotten",
            () -> {
              Probe<Write> write =
                  stage().probe("a write", duo.origin().submit(duo.write(64L * round, 64)));
              write.awaitTerminal();
              return !write.values().isEmpty();
            });
    duo.expect(64L * round, 64);
  }

  /** An engine forgets who enters more rounds of barriers than it remembers. */
  private static void enterTooOften(Valve valve, EngineId peer) {
    for (int round = 1; round <= 1 + MAX_LEAD; round++) {
      ByteBuffer frame = ByteBuffer.allocate(1 + EngineId.BYTES + 3 * Integer.BYTES);
      frame.put(BARRIER).putLong(4_711).putLong(round).putInt(0).putInt(round).putInt(0);
      valve.say(peer, frame.flip());
    }
  }

  @Test
  final void r7_6_theStateOfAPeerIsTold() {
    stage().require(Capability.LOST_PEERS);
    TransferEngine origin = stage().open(1, options -> options.livenessDeadline(LIVENESS));
    TransferEngine target = stage().open(1);
    Probe<PeerState> states = stage().probe("states", origin.peer(target.address()).state());
    stage().patience().until("a sign of life", () -> last(states) instanceof PeerState.Alive);
    stage().complete(target.close());
    stage().patience().until("the loss", () -> last(states) instanceof PeerState.Lost);
    assertThat(states.values().getFirst()).isInstanceOf(PeerState.Unknown.class);
  }

  private static @Nullable PeerState last(Probe<PeerState> states) {
    return states.values().isEmpty() ? null : states.values().getLast();
  }
}
