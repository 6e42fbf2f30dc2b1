package io.reactivetransfer.engine.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Signal;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.ScriptedControl;
import io.reactivetransfer.engine.ScriptedNic.Piece;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.spi.BackendException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A peer is written to when it has greeted, because it says in its greeting by which NICs. */
class GreetingFirstTest {

  private static final Duration LIVENESS = Duration.ofSeconds(1);
  private static final int KNOWN_AT = Integer.BYTES;

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private MemoryRegion source;

  @BeforeEach
  void open() {
    hand.open(2, o -> o.minPieceBytes(1).livenessDeadline(LIVENESS).connectTimeout(LIVENESS));
    hand.control().peersGreet = false;
    source = hand.region();
  }

  private <T extends Transfer> Probe<T> submit(T transfer) {
    Probe<T> probe = hand.probe(hand.engine().submit(transfer));
    hand.turn();
    return probe;
  }

  private Write write(int peer) {
    return Write.of(source.slice(0, 10), hand.remote(peer).slice(0, 10));
  }

  private List<ScriptedControl.Frame> greetings(int peer) {
    return hand.control().sent(ControlFrame.HELLO).stream()
        .filter(frame -> frame.to().equals(hand.peer(peer).id()))
        .toList();
  }

  private long defects() {
    return hand.defects();
  }

  private List<Piece> postedTo(int peer) {
    return hand.posted().stream()
        .filter(piece -> piece.target().peer().engine().equals(hand.peer(peer).id()))
        .toList();
  }

  @Test
  void nothingIsPostedBeforeAndAllOfItRightAfter() {
    MemorySlice from = source.slice(0, 10);
    RemoteSlice to = hand.remote(1).slice(0, 10);
    PageList pages = PageList.of(0, 1);
    List<Probe<? extends Transfer>> probes =
        List.of(
            submit(Write.of(from, to)),
            submit(WriteImm.of(from, to, Imm.of(1))),
            submit(PagedWrite.of(5, from, pages, to, pages, Imm.of(2))),
            submit(new Scatter(List.of(new Scatter.Part(from, to)), Imm.of(3))),
            submit(Signal.of(hand.peer(1), Imm.of(4))));
    hand.turn();
    assertThat(hand.posted()).isEmpty();
    assertThat(greetings(1)).as("it is greeted, once").hasSize(1);
    hand.control().receive(hand.peer(1).id(), hand.hello(1));
    hand.loop.runUntilIdle();
    hand.turn();
    assertThat(postedTo(1)).hasSize(probes.size() + 1); // one piece each, but for two pages
    assertThat(postedTo(1))
        .allSatisfy(piece ->
            assertThat(piece.target().peer().address()).isEqualTo("peer1nic" + piece.nic()));
    hand.settle();
    probes.forEach(Probe::assertComplete);
    submit(write(1));
    assertThat(hand.inFlight()).as("from now on at once").hasSize(1);
    assertThat(greetings(1)).as("one, and one that says who has greeted").hasSize(2);
    hand.settle();
  }

  @Test
  void whoWaitsForOneHoldsUpNoOther() {
    Probe<Write> waiting = submit(write(1));
    Probe<Write> going = submit(write(2));
    hand.receive(2, hand.hello(2));
    hand.settle();
    going.assertComplete();
    waiting.assertOpen();
    hand.receive(1, hand.hello(1));
    hand.settle();
    waiting.assertComplete();
  }

  /** The others of its group are not posted to before it, and not after it. */
  @Test
  void eachOfAGroupIsPostedToWhenItHasGreeted() {
    Probe<Signal> signal = submit(Signal.of(PeerGroup.of(hand.peer(1), hand.peer(2)), Imm.of(1)));
    hand.receive(2, hand.hello(2));
    assertThat(postedTo(2)).hasSize(1);
    assertThat(postedTo(1)).isEmpty();
    hand.receive(1, hand.hello(1));
    assertThat(postedTo(1)).hasSize(1);
    hand.settle();
    signal.assertComplete();
  }

  @Test
  void whatWasCancelledMeanwhileIsNotPosted() {
    Probe<Write> cancelled = submit(write(1));
    Probe<Write> kept = submit(write(1));
    cancelled.cancel();
    hand.turn();
    hand.receive(1, hand.hello(1));
    assertThat(postedTo(1)).hasSize(1);
    hand.settle();
    kept.assertComplete();
  }

  @Test
  void whoNeverGreetsIsLost() {
    Probe<Write> write = submit(write(1));
    Probe<Void> message = hand.probe(hand.engine().send(hand.peer(2), ByteBuffer.allocate(1)));
    for (int i = 0; i < 16; i++) {
      hand.advance(LIVENESS.dividedBy(8));
      hand.turn();
    }
    for (Probe<?> probe : List.of(write, message)) {
      assertThat(probe.error())
          .isInstanceOf(PeerUnreachableException.class)
          .hasMessageContaining("silent");
    }
    assertThat(hand.posted()).isEmpty();
  }

  @Test
  void aDeadlineGoesOnMeanwhile() {
    Probe<Write> probe = hand.probe(hand.engine().submit(write(1), Duration.ofMillis(100)));
    hand.turn();
    hand.advance(Duration.ofMillis(200));
    hand.turn();
    assertThat(probe.error()).isInstanceOf(DeadlineExceededException.class);
    hand.receive(1, hand.hello(1));
    assertThat(hand.posted()).isEmpty();
  }

  // ---- greetings that are of no use ----

  @Test
  void anAddressThatNoNicUnderstandsFailsWhatGoesThere() {
    hand.receive(2, hand.hello(2));
    Probe<Write> other = submit(write(2));
    Probe<Write> waiting = submit(write(1));
    hand.nic(1).resolveFailure = new BackendException(22, "no such NIC");
    hand.receive(1, hand.hello(1));
    assertThat(waiting.error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContaining("cannot resolve the address of")
        .hasMessageContaining("peer1:7400")
        .hasMessageContaining("no such NIC");
    Probe<Write> later = submit(write(1));
    assertThat(later.error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContaining("no such NIC");
    other.assertOpen();
    hand.settle();
    other.assertComplete();
    assertThat(defects()).isEqualTo(1);
  }

  @Test
  void aDescriptorWithAnotherNumberOfKeysFailsWhatGoesThere() {
    RemoteSlice three =
        hand.engine().remote(EngineByHand.descriptor(hand.address(1), 3, 100)).slice(0, 10);
    Probe<Write> waiting = submit(Write.of(source.slice(0, 10), three));
    Probe<Write> good = submit(write(1));
    hand.receive(1, hand.hello(1));
    assertThat(waiting.error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContaining("expected a key for each of its owner's 2 NICs, got 3");
    good.assertOpen();
    hand.settle();
    good.assertComplete();
    Probe<Write> later = submit(Write.of(source.slice(0, 10), three));
    assertThat(later.error()).isInstanceOf(TransferRejectedException.class);
    assertThat(defects()).as("of the peer").isZero();
  }

  @Test
  void whoSaysLaterThatItHasMoreNicsIsNotBelieved() {
    hand.receive(1, hand.hello(1));
    hand.receive(1, EngineByHand.hello(hand.peer(1).id(), 3, 1, hand.epoch(1)));
    assertThat(defects()).isEqualTo(1);
    Probe<Write> write = submit(write(1));
    hand.settle();
    write.assertComplete();
    assertThat(postedTo(1)).hasSize(1);
  }

  // ---- when a session is over ----

  @Test
  void theLossOfTheSessionFailsWhatWaitsAndTheNextWriteGreetsAnew() {
    Peer peer = hand.peer(1);
    Probe<Write> waiting = submit(write(1));
    hand.lose(peer);
    assertThat(waiting.error())
        .isInstanceOf(PeerUnreachableException.class)
        .hasMessageContaining("told to lose it");
    hand.receive(1, hand.hello(1));
    Probe<Write> out = submit(write(1));
    assertThat(hand.inFlight()).hasSize(1);
    hand.lose(peer);
    assertThat(out.error()).isInstanceOf(PeerUnreachableException.class);
    assertThat(hand.inFlight()).isEmpty();
    int before = greetings(1).size();
    Probe<Write> again = submit(write(1));
    assertThat(hand.inFlight()).as("it must greet in the new session").isEmpty();
    assertThat(greetings(1)).hasSize(before + 1);
    assertThat(ByteBuffer.wrap(greetings(1).getLast().content()).getInt(KNOWN_AT)).isZero();
    hand.receive(1, hand.hello(1));
    hand.settle();
    again.assertComplete();
  }

  /** It was silent, so that it does not know of the end that this engine made. */
  @Test
  void whoIsGivenUpIsDisconnected() {
    hand.receive(1, hand.hello(1));
    Probe<Write> write = submit(write(1));
    for (int i = 0; i < 16; i++) {
      hand.advance(LIVENESS.dividedBy(8));
      hand.turn();
    }
    assertThat(write.error()).isInstanceOf(PeerUnreachableException.class);
    assertThat(hand.control().disconnections())
        .singleElement()
        .satisfies(end -> {
          assertThat(end.peer()).isEqualTo(hand.peer(1).id());
          assertThat(end.reason()).contains("silent for 1000 ms");
        });
  }
}
