package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Outcome;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.spi.BackendException;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;

/** A NIC that cannot give memory up: nobody is told that the memory is quiet. */
class NotClosedTest {

  private static final BackendException REFUSED = new BackendException(16, "still busy below");

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private MemoryRegion region;

  @BeforeEach
  void open() {
    hand.open(2, options -> options.closeTimeout(Duration.ofMillis(100)));
    region = hand.region();
  }

  private Write write() {
    return Write.of(region.slice(0, 10), hand.remote(1).slice(0, 10));
  }

  private static void assertNotQuiet(Probe<?> probe) {
    assertThat(probe.error())
        .isInstanceOf(TransferFailedException.class)
        .hasMessageContainingAll(
            "NIC s1 could not be closed: still busy below (code 16)", "free and reuse none");
    assertThat(((TransferFailedException) probe.error()).nic()).isEqualTo("s1");
    assertThat(((TransferFailedException) probe.error()).code()).isEqualTo(16);
  }

  private static void assertRevocationFailed(Probe<?> probe) {
    assertThat(probe.error())
        .isInstanceOf(TransferFailedException.class)
        .hasMessageContainingAll("NIC s1", "still busy below (code 16)", "descriptor");
  }

  /** Closes the engine while a write is out that never comes back. */
  private Probe<Void> closeWithWritesOut() {
    Probe<Void> closing = hand.probe(hand.engine().close());
    hand.turn();
    closing.assertOpen();
    hand.advance(Duration.ofMillis(200));
    hand.turn();
    return closing;
  }

  @Test
  void whoWaitsForMemoryIsToldSo() {
    hand.nic(1).closeFailure = REFUSED;
    Probe<Write> write = hand.probe(hand.engine().submit(write()));
    Probe<Write> failing = hand.probe(hand.engine().submit(Flux.just(write(), write())));
    hand.turn();
    Probe<Void> quiesced = hand.probe(region.quiesced());
    Probe<Void> closed = hand.probe(region.close());
    hand.turn();
    hand.fail(hand.inFlight().getLast());
    failing.assertOpen();
    Probe<Void> closing = closeWithWritesOut();
    List.of(closing, write, failing, quiesced, closed).forEach(NotClosedTest::assertNotQuiet);
    List<Probe<Void>> later =
        List.of(
            hand.probe(region.quiesced()),
            hand.probe(region.revoke()),
            hand.probe(region.close()),
            hand.probe(hand.engine().close()));
    hand.turn();
    later.forEach(NotClosedTest::assertNotQuiet);
    assertThat(failing.error()).hasMessageContaining("told to fail");
  }

  @Test
  void soIsWhoeverGetsAnOutcomeForEachTransfer() {
    hand.nic(1).closeFailure = REFUSED;
    Scatter.Part part = new Scatter.Part(region.slice(0, 10), hand.remote(1).slice(0, 10));
    Probe<Outcome<Scatter>> outcomes =
        hand.probe(
            hand.engine().submitEach(Flux.just(new Scatter(List.of(part, part, part), Imm.of(1)))));
    hand.turn();
    hand.fail(hand.inFlight().getFirst());
    closeWithWritesOut();
    assertThat(outcomes.items()).hasSize(1);
    Outcome<Scatter> outcome = outcomes.items().getFirst();
    assertThat(outcome.failure())
        .hasMessageContainingAll("told to fail", "NIC s1 could not be closed");
  }

  @Test
  void whatWasDeregisteredBeforeIsQuiet() {
    hand.nic(1).closeFailure = REFUSED;
    Probe<Void> closed = hand.probe(region.close());
    hand.turn();
    closed.assertComplete();
    assertNotQuiet(hand.close());
    Probe<Void> again = hand.probe(region.close());
    Probe<Void> quiesced = hand.probe(region.quiesced());
    hand.turn();
    again.assertComplete();
    quiesced.assertComplete();
  }

  @Test
  void aBreakdownSaysSo() {
    hand.nic(1).closeFailure = REFUSED;
    Probe<Write> write = hand.probe(hand.engine().submit(write()));
    Probe<Void> quiesced = hand.probe(region.quiesced());
    hand.turn();
    hand.nic(0).pollFailure = new IllegalStateException("broken below");
    hand.turn();
    List.of(write, quiesced).forEach(NotClosedTest::assertNotQuiet);
    assertNotQuiet(hand.close());
  }

  @Test
  void whatCannotBeDeregisteredIsQuietWhenTheNicsAreClosed() {
    hand.nic(1).deregisterFailure = REFUSED;
    Probe<Void> closed = hand.probe(region.close());
    hand.turn();
    closed.assertComplete();
    assertThat(hand.nics()).allMatch(ScriptedNic::isClosed);
    assertThat(hand.nic(0).registrations())
        .as("given up by the other NIC: all but its own")
        .isOne();
  }

  @Test
  void norThenIfOneOfThemCannotBe() {
    hand.nic(1).deregisterFailure = REFUSED;
    hand.nic(1).closeFailure = REFUSED;
    Probe<Void> closed = hand.probe(region.close());
    hand.turn();
    assertNotQuiet(closed);
  }

  @Test
  void aRegistrationThatCannotBeUndoneSaysSo() {
    hand.nic(1).registerFailure = new BackendException(12, "no room");
    hand.nic(0).deregisterFailure = REFUSED;
    Probe<MemoryRegion> probe =
        hand.probe(
            hand.engine()
                .register(new HostMemory(Arena.ofAuto().allocate(8)), Access.REMOTE_WRITE));
    hand.turn();
    assertThat(probe.error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContainingAll("no room", "NIC s0", "still busy below", "neither free nor reuse");
    assertThat(hand.nics()).allMatch(ScriptedNic::isClosed);
  }

  @Test
  void aRevocationThatIsRefusedSaysWhatIsLeftOfTheDescriptor() {
    hand.nic(1).revokeFailure = REFUSED;
    Probe<Void> revoked = hand.probe(region.revoke());
    hand.turn();
    assertRevocationFailed(revoked);
    assertThat(hand.engine().isClosed()).isFalse();
    hand.nic(1).revokeFailure = null;
    Probe<Void> again = hand.probe(region.revoke());
    hand.turn();
    again.assertComplete();
  }

  @Test
  void theOtherNicsRevokeAllTheSame() {
    hand.nic(0).revokeFailure = REFUSED;
    hand.probe(region.revoke());
    hand.turn();
    assertThat(hand.nic(1).revocations()).isOne();
  }

  /** While it waits for its own writes, a region that is being closed may still be written. */
  @Test
  void aRevocationOfWhatIsBeingClosedIsNotSaidToHaveGoneWell() {
    hand.nic(1).revokeFailure = REFUSED;
    hand.probe(hand.engine().submit(write()));
    hand.turn();
    Probe<Void> closed = hand.probe(region.close());
    hand.turn();
    closed.assertOpen();
    Probe<Void> revoked = hand.probe(region.revoke());
    hand.turn();
    assertRevocationFailed(revoked);
    hand.settle();
    closed.assertComplete();
  }
}
