package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Outcome;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Scatter.Part;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.base.Probe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;

/** What never comes back is given up after the close timeout: first the NICs, then the failures. */
class CloseTimeoutTest {

  private static final Duration ALMOST = Duration.ofMillis(1_999);
  private static final Duration REST = Duration.ofMillis(2);

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private MemoryRegion source;

  private void open(int nics) {
    hand.open(nics, o -> o.closeTimeout(Duration.ofSeconds(2)));
    source = hand.region();
  }

  private Write write() {
    return Write.of(source.slice(0, 10), hand.remote(1).slice(0, 10));
  }

  @Test
  void closesTheNicsBeforeItTells() {
    open(2);
    List<Boolean> closedWhenTold = new ArrayList<>();
    Probe<Write> probe = Probe.unbounded();
    hand.probe(
        hand.engine().submit(write()),
        probe.onEnd(p -> closedWhenTold.add(hand.nics().stream().allMatch(ScriptedNic::isClosed))));
    hand.turn();
    Probe<Void> quiesced = hand.probe(source.quiesced());
    Probe<Void> regionClosed = hand.probe(source.close());
    Probe<Void> closing = hand.close().assertOpen();
    hand.advance(ALMOST);
    closing.assertOpen();
    probe.assertOpen();
    quiesced.assertOpen();
    assertThat(hand.nics()).noneMatch(ScriptedNic::isClosed);
    hand.advance(REST);
    closing.assertComplete();
    quiesced.assertComplete();
    regionClosed.assertComplete();
    // the stream was ended by the close; the write by its timeout
    assertThat(probe.terminals()).isEqualTo(1);
    assertThat(closedWhenTold).containsExactly(true);
    assertThat(hand.stats().transfersInFlight()).isZero();
    assertThat(hand.stats().writesInFlight()).isZero();
    assertThat(hand.stats().openRegions()).isZero();
  }

  @Test
  void whatComesBackInTimeEndsItEarlier() {
    open(1);
    Probe<Write> probe = hand.probe(hand.engine().submit(write()));
    hand.turn();
    Probe<Void> closing = hand.close();
    hand.advance(ALMOST);
    hand.completeAll();
    closing.assertComplete();
    assertThat(probe.terminals()).isEqualTo(1);
    assertThat(hand.backend.journal()).contains("nic0 closed with 0 in flight");
  }

  @Test
  void aFailedStreamKeepsItsFirstError() {
    open(1);
    Upstream<Write> upstream = new Upstream<>();
    Probe<Write> probe = hand.probe(hand.engine().submit(upstream));
    upstream.emit(write());
    upstream.emit(write());
    hand.turn();
    hand.fail(hand.inFlight().getFirst());
    hand.close();
    hand.advance(ALMOST.plus(REST));
    assertThat(probe.error())
        .isInstanceOf(TransferFailedException.class)
        .hasMessageContaining("told to fail");
  }

  @Test
  void scattersAndWritesInTwoPhasesEndToo() {
    hand.backend.maxWriteBytes = 10;
    open(2);
    Probe<WriteImm> leading =
        hand.probe(
            hand.engine()
                .submit(
                    WriteImm.of(source.slice(0, 200), hand.remote(1).slice(0, 200), Imm.of(1))));
    Part part = new Part(source.slice(0, 20), hand.remote(2).slice(0, 20));
    Probe<Scatter> scatter =
        hand.probe(hand.engine().submit(Scatter.of(Imm.of(2), part, part, part)));
    hand.turn();
    hand.nics().forEach(nic -> nic.room = 0);
    hand.probe(hand.engine().submit(write()));
    hand.turn();
    hand.close().assertOpen();
    hand.advance(ALMOST.plus(REST));
    assertThat(leading.terminals()).isEqualTo(1);
    assertThat(scatter.terminals()).isEqualTo(1);
    assertThat(hand.stats().transfersInFlight()).isZero();
    assertThat(hand.stats().writesInFlight()).isZero();
  }

  @Test
  void whatWasPostedHasFailedAndWasNotRejected() {
    open(1);
    Probe<Write> alone = hand.probe(hand.engine().submit(write()));
    Upstream<Write> upstream = new Upstream<>();
    Probe<Write> stream = hand.probe(hand.engine().submit(upstream));
    Probe<Outcome<Write>> each = hand.probe(hand.engine().submitEach(Flux.just(write())));
    Part part = new Part(source.slice(0, 20), hand.remote(2).slice(0, 20));
    Probe<Scatter> scatter = hand.probe(hand.engine().submit(Scatter.of(Imm.of(2), part)));
    upstream.emit(write());
    hand.turn();
    hand.close();
    upstream.emit(write());
    hand.advance(ALMOST.plus(REST));
    for (Throwable failure :
        List.of(
            alone.error(), stream.error(), scatter.error(), each.items().getFirst().failure())) {
      assertThat(failure)
          .isInstanceOf(TransferFailedException.class)
          .hasMessageContaining("closed before the outcome was known");
    }
  }

  /** Though a part of it is done by then, which nobody is told of. */
  @Test
  void whatIsCutShortHasFailedAndWasNotRejected() {
    hand.backend.maxWriteBytes = 10;
    open(1);
    hand.nics().getFirst().room = 3;
    Probe<Write> pieces =
        hand.probe(
            hand.engine().submit(Write.of(source.slice(0, 200), hand.remote(1).slice(0, 200))));
    hand.turn();
    Probe<Write> waiting = hand.probe(hand.engine().submit(write()));
    Probe<Outcome<Write>> each = hand.probe(hand.engine().submitEach(Flux.just(write())));
    Probe<Void> closing = hand.close();
    hand.completeAll();
    closing.assertComplete();
    assertThat(pieces.error())
        .isInstanceOf(TransferFailedException.class)
        .hasMessageContaining("only a part");
    assertThat(waiting.error()).isInstanceOf(TransferRejectedException.class);
    assertThat(each.items().getFirst().failure()).isInstanceOf(TransferRejectedException.class);
  }

  @Test
  void ofWhatGoesToSeveralPeersAPartThatIsDoneIsNotDenied() {
    open(1);
    hand.nics().getFirst().room = 1;
    Part one = new Part(source.slice(0, 20), hand.remote(1).slice(0, 20));
    Part other = new Part(source.slice(0, 20), hand.remote(2).slice(0, 20));
    Probe<Scatter> scatter = hand.probe(hand.engine().submit(Scatter.of(Imm.of(2), one, other)));
    hand.turn();
    Probe<Void> closing = hand.close();
    hand.completeAll();
    closing.assertComplete();
    assertThat(scatter.error())
        .isInstanceOf(TransferFailedException.class)
        .hasMessageContaining("only a part");
  }

  @Test
  void aCancelledWriteIsWaitedForAsWell() {
    open(1);
    Probe<Write> probe = hand.probe(hand.engine().submit(write()));
    hand.turn();
    probe.cancel();
    Probe<Void> closing = hand.close().assertOpen();
    hand.advance(ALMOST);
    closing.assertOpen();
    hand.advance(REST);
    closing.assertComplete();
  }

  /** An earlier timer does not take the place of a later one, nor the other way round. */
  @Test
  void aTaskInTheFarFutureDoesNotHoldItUp() {
    open(1);
    hand.engine().scheduler().schedule(() -> {}, 1, TimeUnit.HOURS);
    hand.turn();
    hand.probe(hand.engine().submit(write()));
    hand.turn();
    Probe<Void> closing = hand.close();
    hand.advance(ALMOST.plus(REST));
    closing.assertComplete();
  }
}
