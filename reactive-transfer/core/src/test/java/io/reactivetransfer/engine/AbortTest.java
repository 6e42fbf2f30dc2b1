package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Outcome;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.peers.ControlFrame;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;

/** Rule 8: a write that was taken over and will not arrive is told to its target. And deadlines. */
class AbortTest {

  private static final Imm IMM = Imm.of(9);

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private MemoryRegion source;
  private RemoteRegion target;

  @BeforeEach
  void open() {
    hand.open(
        1,
        o ->
            o.window(8)
                .transferDeadline(Duration.ofSeconds(10))
                .livenessDeadline(Duration.ofMinutes(1)));
    source = hand.region();
    target = hand.remote(1);
  }

  private WriteImm write(int at) {
    return WriteImm.of(source.slice(at, 1), target.slice(at, 1), IMM);
  }

  private List<Integer> aborted() {
    return hand.control().sent(ControlFrame.ABORT).stream()
        .map(frame -> ByteBuffer.wrap(frame.content()).getInt(Integer.BYTES))
        .toList();
  }

  @Test
  void aFailedWriteIsToldToItsTarget() {
    Probe<WriteImm> probe = hand.probe(hand.engine().submit(write(0)));
    hand.turn();
    hand.fail(hand.inFlight().getFirst());
    assertThat(probe.error()).isInstanceOf(TransferFailedException.class);
    assertThat(aborted()).containsExactly(IMM.value());
    assertThat(hand.peer(1).stats().abortsSent()).isEqualTo(1);
  }

  @Test
  void aWriteThatIsRejectedWhenItsTurnComesIsToldToItsTarget() {
    MemoryRegion gone = hand.region();
    WriteImm write = WriteImm.of(gone.slice(0, 1), target.slice(0, 1), IMM);
    Probe<Void> closed = hand.probe(gone.close());
    hand.turn();
    closed.assertComplete();
    Probe<WriteImm> probe = hand.probe(hand.engine().submit(Flux.just(write)));
    hand.turn();
    assertThat(probe.error()).isInstanceOf(TransferRejectedException.class);
    assertThat(aborted()).containsExactly(IMM.value());
  }

  /** Each part that could have been posted counts on it, in a stream that goes on as well. */
  @Test
  void theOthersAreToldOfAScatterWithAPartOfAnotherEngine() {
    EngineByHand other = new EngineByHand();
    other.open(1);
    Scatter.Part own = new Scatter.Part(source.slice(0, 1), target.slice(0, 1));
    Scatter.Part foreign = new Scatter.Part(source.slice(0, 1), other.remote(1).slice(0, 1));
    Probe<Outcome<Scatter>> probe =
        hand.probe(hand.engine().submitEach(Flux.just(Scatter.of(IMM, own, own, foreign))));
    hand.turn();
    assertThat(probe.items()).hasSize(1).noneMatch(Outcome::isDone);
    assertThat(aborted()).as("told once").containsExactly(IMM.value());
    other.end();
  }

  @Test
  void aCancelIsToldWhetherOrNotTheWriteWasPosted() {
    hand.nic(0).room = 1;
    Probe<WriteImm> probe = hand.probe(hand.engine().submit(Flux.range(0, 3).map(this::write)));
    hand.turn();
    probe.cancel();
    hand.turn();
    assertThat(aborted()).as("of those that were not posted").containsExactly(IMM.value());
    hand.nic(0).room = Integer.MAX_VALUE;
    hand.settle();
  }

  @Test
  void aWriteThatNobodyCountsIsToldToNobody() {
    Probe<Write> probe =
        hand.probe(hand.engine().submit(Write.of(source.slice(0, 1), target.slice(0, 1))));
    hand.turn();
    hand.fail(hand.inFlight().getFirst());
    assertThat(probe.error()).isInstanceOf(TransferFailedException.class);
    assertThat(aborted()).isEmpty();
  }

  @Test
  void whatIsDoneIsNotAborted() {
    hand.probe(hand.engine().submit(write(0)));
    hand.turn();
    hand.settle();
    assertThat(aborted()).isEmpty();
  }

  @Test
  void aDeadlineStopsPostingThenWaitsForWhatIsOut() {
    hand.nic(0).room = 1;
    Probe<WriteImm> probe =
        hand.probe(hand.engine().submit(Flux.range(0, 2).map(this::write), Duration.ofMillis(100)));
    hand.turn();
    hand.advance(Duration.ofMillis(200));
    probe.assertOpen(); // one is still out
    hand.nic(0).room = Integer.MAX_VALUE;
    hand.turn();
    assertThat(hand.posted()).as("nothing more is posted").hasSize(1);
    hand.completeAll();
    assertThat(probe.error())
        .isInstanceOf(DeadlineExceededException.class)
        .hasMessageContaining("within 100 ms");
    assertThat(aborted()).contains(IMM.value());
  }

  @Test
  void whatIsStillOutLongAfterItsDeadlineIsGivenUpWithItsPeer() {
    Probe<WriteImm> probe = hand.probe(hand.engine().submit(write(0)));
    hand.turn();
    for (int i = 0; i < 8; i++) {
      if (i < 7) {
        probe.assertOpen();
      }
      hand.control().receive(hand.peer(1).id(), ControlFrame.alive()); // it lives all the time
      hand.turn();
      hand.advance(Duration.ofSeconds(10));
    }
    hand.turn();
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertThat(probe.error()).isInstanceOf(DeadlineExceededException.class);
    assertThat(hand.inFlight()).isEmpty();
  }

  @Test
  void theDeadlineOfTheOptionsHoldsWhereNoneIsGiven() {
    hand.nic(0).room = 0;
    Probe<WriteImm> probe = hand.probe(hand.engine().submit(write(0)));
    hand.turn();
    hand.advance(Duration.ofSeconds(9));
    probe.assertOpen();
    hand.advance(Duration.ofSeconds(2));
    assertThat(probe.error()).isInstanceOf(DeadlineExceededException.class);
  }

  @Test
  void eachTransferHasItsOutcome() {
    Probe<Outcome<WriteImm>> probe =
        hand.probe(hand.engine().submitEach(Flux.range(0, 3).map(this::write)));
    hand.turn();
    var pieces = hand.inFlight();
    hand.fail(pieces.get(1));
    hand.complete(pieces.get(0));
    hand.complete(pieces.get(2));
    probe.assertComplete();
    assertThat(probe.items()).extracting(Outcome::isDone).containsExactly(false, true, true);
    assertThat(probe.items().getFirst().failure()).isInstanceOf(TransferFailedException.class);
  }

  @Test
  void whatWasNeverPostedIsAnOutcomeToo() {
    hand.nic(0).room = 1;
    Upstream<WriteImm> upstream = new Upstream<>();
    Probe<Outcome<WriteImm>> probe = hand.probe(hand.engine().submitEach(upstream));
    upstream.emit(write(0));
    upstream.emit(write(1));
    hand.turn();
    upstream.fail(new IllegalStateException("no more"));
    hand.turn();
    hand.completeAll();
    assertThat(probe.error()).hasMessage("no more");
    assertThat(probe.items()).hasSize(2);
    assertThat(probe.items().stream().filter(outcome -> !outcome.isDone()))
        .singleElement()
        .satisfies(
            outcome -> assertThat(outcome.failure()).isInstanceOf(TransferRejectedException.class));
  }
}
