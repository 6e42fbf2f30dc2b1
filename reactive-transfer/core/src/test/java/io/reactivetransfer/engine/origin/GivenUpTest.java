package io.reactivetransfer.engine.origin;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.ScriptedNic;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.engine.peers.PeerLink;
import io.reactivetransfer.engine.peers.Peers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;

/** What an origin tells of what it gave up, and what it holds meanwhile. Rules 8.4 to 8.7. */
class GivenUpTest {

  private static final Duration LIVENESS = Duration.ofSeconds(4);

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private MemoryRegion source;
  private RemoteRegion target;
  private Peer peer;

  @BeforeEach
  void open() {
    hand.open(1, o -> o.livenessDeadline(LIVENESS).transferDeadline(Duration.ofMinutes(30)));
    source = hand.region();
    target = hand.remote(1);
    peer = hand.peer(1);
  }

  private WriteImm write(int at, int imm) {
    return WriteImm.of(source.slice(at, 1), target.slice(at, 1), Imm.of(imm));
  }

  private Probe<WriteImm> submit(WriteImm write) {
    Probe<WriteImm> probe = hand.probe(hand.engine().submit(write));
    hand.turn();
    return probe;
  }

  /** Its last piece is refused by the target, or lost on its way. */
  private void fail(boolean refused) {
    ScriptedNic.Piece piece = hand.inFlight().getLast();
    if (refused) {
      hand.nic(0).refuse(piece, 5, "told to refuse");
      hand.turn();
    } else {
      hand.fail(piece);
    }
  }

  private List<ByteBuffer> aborts() {
    return hand.control().sent(ControlFrame.ABORT).stream()
        .map(frame -> ByteBuffer.wrap(frame.content()))
        .toList();
  }

  private void answer(ByteBuffer frame) {
    hand.control().receive(peer.id(), frame);
    hand.turn();
  }

  @Test
  void theNextAttemptIsHeldUntilTheTargetKnows() {
    Probe<WriteImm> stream = hand.probe(hand.engine().submit(Flux.just(write(0, 9), write(1, 9))));
    hand.turn();
    hand.fail(hand.inFlight().getFirst());
    hand.completeAll();
    assertThat(stream.error()).isInstanceOf(TransferFailedException.class);
    Probe<WriteImm> again = submit(write(0, 9));
    assertThat(again.error()).isInstanceOf(TransferRejectedException.class);
  }

  @Test
  void aDeadWriteThatHadCountedHoldsTheNextOneOnly() {
    hand.nic(0).room = 1;
    WriteImm pages = write(0, 9);
    Probe<WriteImm> first =
        hand.probe(hand.engine().submit(Flux.just(pages, write(1, 9)), Duration.ofSeconds(1)));
    hand.turn();
    hand.advance(Duration.ofMillis(1_500)); // neither is done by now, and one is out
    hand.nic(0).room = Integer.MAX_VALUE;
    hand.completeAll();
    assertThat(first.error()).isNotNull();
    assertThat(aborts()).as("one at a time").hasSize(1);
    answer(ControlFrame.aborted(1));
    ByteBuffer told = aborts().getLast();
    assertThat(told.getLong(2 * Integer.BYTES)).as("shares").isEqualTo(WireImm.SHARES);
    int before = hand.posted().size();
    Probe<WriteImm> again = submit(write(0, 9));
    Probe<WriteImm> other = submit(write(2, 10));
    assertThat(hand.posted()).as("only the other one").hasSize(before + 1);
    hand.settle();
    other.assertComplete();
    again.assertOpen();
    answer(ControlFrame.aborted(aborts().size()));
    hand.settle();
    again.assertComplete();
  }

  /** Chapter 8: whoever reads the message may discard, and nothing is taken back afterwards. */
  @Test
  void aMessageComesAfterAllThatWasGivenUpBeforeIt() {
    answer(hand.hello(1));
    hand.control().receive(peer.id(), hand.credit(1, 1));
    hand.nic(0).room = 1;
    Flux<WriteImm> two = Flux.just(write(0, 9), write(1, 9));
    hand.probe(hand.engine().submit(two, Duration.ofSeconds(1)));
    hand.turn();
    hand.advance(Duration.ofMillis(1_500)); // neither is done by now, and one is out
    hand.nic(0).room = Integer.MAX_VALUE;
    assertThat(aborts()).as("that it failed").hasSize(1);
    hand.completeAll();
    assertThat(aborts()).as("what has counted: not before the first is acknowledged").hasSize(1);
    hand.probe(hand.engine().send(peer, ByteBuffer.allocate(4)));
    hand.turn();
    assertThat(aborts()).hasSize(2);
    assertThat(aborts().getLast().getLong(2 * Integer.BYTES)).isEqualTo(WireImm.SHARES);
    List<Byte> kinds = hand.control().sent().stream().map(frame -> frame.kind()).toList();
    assertThat(kinds.lastIndexOf(ControlFrame.ABORT))
        .isLessThan(kinds.indexOf(ControlFrame.MESSAGE));
    answer(ControlFrame.aborted(1));
    answer(ControlFrame.aborted(2));
    assertThat(Outbound.to((PeerLink) peer).givenUp.isSettled()).isTrue();
    assertThat(aborts()).hasSize(2);
  }

  @Test
  void whatATargetMayHaveTakenBackBeforeItForgotIsInDoubt() {
    answer(hand.hello(1));
    aDeadline();
    long taken = aborts().stream().mapToLong(abort -> abort.getLong(2 * Integer.BYTES)).sum();
    assertThat(taken).as("shares").isPositive();
    Probe<WriteImm> held = submit(write(0, 9));
    held.assertOpen();
    answer(hand.hello(1, 2, hand.epoch(1)));
    assertThat(held.error()).isInstanceOf(Exception.class);
    assertThat(aborts().getLast().get(2 * Integer.BYTES + Long.BYTES) & ControlFrame.DOUBT)
        .isNotZero();
    assertThat(submit(write(0, 9)).error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContaining("in doubt");
    int seq = aborts().getLast().getInt(0);
    answer(ControlFrame.aborted(seq));
    answer(ControlFrame.cleared(9, seq));
    Probe<WriteImm> again = submit(write(0, 9));
    hand.settle();
    again.assertComplete();
  }

  /** Here it is this engine that begins anew, with a peer that breaks a bound. */
  @Test
  void whatATargetMayHaveTakenBackBeforeItWasForgottenIsInDoubt() {
    answer(hand.hello(1));
    aDeadline();
    hand.nic(0).failsWhatIsGivenUp = false;
    submit(write(3, 11)).assertOpen();
    int told = aborts().size();
    for (int i = 1; i <= 1_025; i++) {
      answer(ControlFrame.barrier(new EngineId(7, i), hand.epoch(1), i, 0));
    }
    answer(hand.hello(1, 2, 0));
    ByteBuffer next = aborts().get(told);
    assertThat(next.getInt(Integer.BYTES)).as("immediate").isEqualTo(9);
    assertThat(next.getLong(2 * Integer.BYTES)).as("shares").isZero();
    assertThat(next.get(2 * Integer.BYTES + Long.BYTES) & ControlFrame.DOUBT).isNotZero();
    hand.nic(0).failsWhatIsGivenUp = true;
  }

  /** The last that is known to have been meant is told again, and not what came before it. */
  @Test
  void whatWasFollowedByAnotherUseIsNoFailureForWhoHasForgotten() {
    answer(hand.hello(1));
    hand.nic(0).room = 0;
    Probe<WriteImm> first = hand.probe(hand.engine().submit(write(0, 9), Duration.ofSeconds(1)));
    hand.turn();
    hand.advance(Duration.ofMillis(1_500));
    assertThat(first.error()).isNotNull();
    hand.nic(0).room = Integer.MAX_VALUE;
    Probe<WriteImm> again = submit(write(0, 9));
    hand.settle();
    again.assertComplete();
    assertThat(aborts()).as("that it failed, and that it is used again").hasSize(2);
    answer(hand.hello(1, 2, hand.epoch(1)));
    assertThat(aborts().subList(2, aborts().size()))
        .noneMatch(abort -> (abort.get(2 * Integer.BYTES + Long.BYTES) & ControlFrame.FAILS) != 0);
  }

  /** The user may have let go of its peer long before it is heard of. */
  @Test
  void aPeerThatHasToBeToldSomethingIsHeld() {
    int before = hand.peers().size();
    hand.control().sendRoom = 0;
    Probe<WriteImm> probe =
        hand.probe(
            hand.engine()
                .submit(
                    Flux.just(
                        WriteImm.of(closed(), target.slice(0, 1), Imm.of(8)),
                        WriteImm.of(source.slice(0, 1), hand.remote(7).slice(0, 1), Imm.of(9)))));
    hand.turn();
    assertThat(probe.error()).isInstanceOf(TransferRejectedException.class);
    assertThat(hand.peers().size()).as("peers that are held").isEqualTo(before + 2);
    hand.control().sendRoom = Integer.MAX_VALUE;
  }

  /** Of a region that is closed by now. */
  private MemorySlice closed() {
    MemoryRegion region = hand.region();
    MemorySlice slice = region.slice(0, 1);
    hand.probe(region.close());
    hand.turn();
    return slice;
  }

  @Test
  void aLostPeerThatHasToTakeSomethingBackIsNotForgotten() {
    answer(hand.hello(1));
    aDeadline();
    hand.lose(peer);
    Peers peers = hand.peers();
    peers.bounds(4, 4);
    int epoch = hand.epoch(1);
    for (int i = 100; i < 150; i++) {
      hand.receive(i, hand.hello(i, 1, 0));
      hand.lose(hand.peer(i));
    }
    hand.inTurn(peers::sweep);
    assertThat(hand.epoch(1)).as("it is the same acquaintance").isEqualTo(epoch);
    int before = aborts().size();
    answer(hand.hello(1));
    assertThat(aborts()).as("it is told again").hasSizeGreaterThan(before);
    assertThat(peers.size()).isLessThanOrEqualTo(10);
  }

  @Test
  void whatIsHeldEndsWithItsPeer() {
    aDeadline();
    Probe<WriteImm> again = submit(write(0, 9));
    again.assertOpen();
    hand.lose(peer);
    assertThat(again.error()).isInstanceOf(PeerUnreachableException.class);
  }

  @Test
  void whatIsHeldIsCancelled() {
    aDeadline();
    Probe<WriteImm> again = submit(write(0, 9));
    again.cancel();
    hand.turn();
    assertThat(hand.stats().transfersInFlight()).isZero();
  }

  @Test
  void whatIsInDoubtIsRejectedUntilTheTargetHasDiscarded() {
    submit(write(0, 9));
    fail(false);
    int seq = aborts().getLast().getInt(0);
    answer(ControlFrame.aborted(seq));
    assertThat(submit(write(0, 9)).error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContaining("immediate 9 is in doubt")
        .hasMessageContaining("discard()");
    answer(ControlFrame.cleared(9, seq - 1));
    assertThat(submit(write(0, 9)).error()).as("an older word").isNotNull();
    answer(ControlFrame.cleared(9, seq));
    Probe<WriteImm> again = submit(write(0, 9));
    hand.settle();
    again.assertComplete();
  }

  @Test
  void whatWasRefusedIsNotInDoubt() {
    submit(write(0, 9));
    fail(true);
    Probe<WriteImm> again = submit(write(0, 9));
    hand.settle();
    again.assertComplete();
  }

  @Test
  void aLostPeerIsToldWhenItIsHeardAgain() {
    aDeadline();
    int told = aborts().size();
    hand.lose(peer);
    int hellos = hand.control().sent(ControlFrame.HELLO).size();
    hand.turn();
    assertThat(hand.control().sent(ControlFrame.HELLO)).as("it is left alone").hasSize(hellos);
    answer(ControlFrame.alive());
    assertThat(aborts()).hasSize(told + 1);
    assertThat(aborts().getLast()).as("word for word").isEqualTo(aborts().get(told - 1));
  }

  @Test
  void aLostPeerIsSoughtNowAndThen() {
    aDeadline();
    hand.lose(peer);
    int told = aborts().size();
    hand.advance(LIVENESS.plusSeconds(2));
    assertThat(aborts()).as("after one deadline").hasSize(told + 1);
    hand.lose(peer);
    hand.advance(LIVENESS);
    assertThat(aborts()).as("not so soon").hasSize(told + 1);
    hand.advance(LIVENESS.plusSeconds(2));
    assertThat(aborts()).as("after two more").hasSize(told + 2);
  }

  private static void tell(GivenUp givenUp) {
    while (givenUp.hasToTell()) {
      givenUp.next();
      givenUp.sent(1);
    }
  }

  @Test
  void aPeerThatAcknowledgesNothingPinsNoMoreThanSoMuch() {
    GivenUp givenUp = Outbound.to((PeerLink) peer).givenUp;
    for (int imm = 1; imm < 2 * GivenUp.MAX_UNACKNOWLEDGED; imm++) {
      givenUp.add(imm, 0, null, "because", 0);
      tell(givenUp);
    }
    assertThat(givenUp.size()).isLessThanOrEqualTo(GivenUp.MAX_UNACKNOWLEDGED + 1);
    assertThat(submit(write(0, 0)).error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContaining("has not acknowledged");
    givenUp.acknowledged(Integer.MAX_VALUE / 2);
    tell(givenUp); // of everything once more
    givenUp.acknowledged(Integer.MAX_VALUE / 2);
    assertThat(givenUp.isSettled()).isTrue();
    Probe<WriteImm> again = submit(write(0, 0));
    hand.settle();
    again.assertComplete();
  }

  @Test
  void aPeerThatStaysAwayPinsNoMoreThanSoMuch() {
    GivenUp givenUp = Outbound.to((PeerLink) peer).givenUp;
    givenUp.add(0, 1, null, "because", 0);
    givenUp.interrupted();
    for (int imm = 1; imm < 100_000; imm++) {
      givenUp.add(imm, 0, null, "because", 0);
    }
    assertThat(givenUp.size()).isLessThanOrEqualTo(GivenUp.MAX_UNTOLD + 1);
    givenUp.wake();
    int frames = 0;
    boolean all = false;
    while (givenUp.hasToTell()) {
      all |= givenUp.next().imm() == ControlFrame.ALL_IMMS;
      givenUp.sent(1);
      frames++;
    }
    assertThat(all).as("one word for the rest").isTrue();
    assertThat(frames).isLessThanOrEqualTo(GivenUp.MAX_UNTOLD + 1);
    givenUp.acknowledged(frames);
    assertThat(givenUp.size()).isZero();
  }

  /** The peer keeps a note by which it fails those who claim later, until it is told otherwise. */
  @Test
  void thatAnImmediateIsUsedAgainIsNotForgottenAmongMany() {
    hand.nic(0).room = 1;
    hand.probe(hand.engine().submit(Flux.just(write(0, 8), write(1, 9)), Duration.ofSeconds(1)));
    hand.turn();
    hand.advance(Duration.ofMillis(1_500));
    hand.nic(0).room = Integer.MAX_VALUE;
    hand.completeAll();
    for (int seq = 1; seq <= aborts().size(); seq++) {
      answer(ControlFrame.aborted(seq));
    }
    int told = aborts().size();
    GivenUp givenUp = Outbound.to((PeerLink) peer).givenUp;
    hand.control().sendRoom = 0;
    submit(write(1, 9));
    for (int imm = 100; imm < 100 + 2 * GivenUp.MAX_UNTOLD; imm++) {
      givenUp.add(imm, 0, null, "because", 0);
    }
    givenUp.interrupted();
    hand.control().sendRoom = Integer.MAX_VALUE;
    answer(hand.hello(1));
    assertThat(aborts().subList(told, aborts().size()))
        .as("immediate 9 is used again")
        .anyMatch(abort ->
            abort.getInt(Integer.BYTES) == 9
                && (abort.get(2 * Integer.BYTES + Long.BYTES) & ControlFrame.RESUMED) != 0);
  }

  /** One write of two misses its deadline while the other is out, which is done then. */
  private void aDeadline() {
    hand.nic(0).room = 1;
    Probe<WriteImm> first = hand.probe(hand.engine().submit(write(0, 9), Duration.ofSeconds(1)));
    hand.turn();
    hand.advance(Duration.ofMillis(1_500));
    hand.completeAll();
    hand.nic(0).room = Integer.MAX_VALUE;
    assertThat(first.error()).isNotNull();
  }
}
