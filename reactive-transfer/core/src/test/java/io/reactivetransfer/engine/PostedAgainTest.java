package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Nic;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.TrafficStats;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.ScriptedNic.Piece;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.peers.ControlFrame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;

/**
 * Rule 23.5: what a lost way carried takes another one, as soon as it is certain that nothing of it
 * arrives any more; what is counted, only if it never arrived.
 */
class PostedAgainTest {

  private static final long TWO_PIECES = 200_000;

  /** The number of the peer's region. */
  private static final long REGION = 1;

  private static final Duration DEADLINE = Duration.ofSeconds(5);

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private MemoryRegion source;
  private Peer peer;

  private void open(int nics) {
    hand.open(nics, o -> o.minPieceBytes(1).transferDeadline(DEADLINE));
    source = hand.region();
    peer = hand.peer(1);
    hand.receive(1, hand.hello(1));
  }

  private RemoteSlice target(long length) {
    return hand.remote(1).slice(0, length);
  }

  private <T extends Transfer> Probe<T> submit(T transfer) {
    Probe<T> probe = hand.probe(hand.engine().submit(transfer));
    hand.turn();
    return probe;
  }

  private Probe<Write> write(long length) {
    return submit(Write.of(source.slice(0, length), target(length)));
  }

  private Probe<WriteImm> writeImm(long length) {
    return submit(WriteImm.of(source.slice(0, length), target(length), Imm.of(7)));
  }

  private List<Piece> onlyOver(int nic) {
    assertThat(hand.inFlight()).isNotEmpty().allMatch(piece -> piece.nic() == nic);
    return hand.inFlight();
  }

  private List<Piece> over(int nic) {
    return hand.inFlight().stream().filter(piece -> piece.nic() == nic).toList();
  }

  /** The NIC loses its way, and knows of all that it had taken over that it was never sent. */
  private void loseWayUnsent(int nic) {
    List<Piece> unsent = over(nic);
    hand.nic(nic).report(sink -> sink.peerLost(peer.id(), 1, "told to lose its way"));
    unsent.forEach(piece -> hand.nic(nic).refuse(piece, 1, "never sent"));
    hand.turn();
  }

  private static void assertSameBytes(List<Piece> again, List<Piece> lost) {
    assertThat(again)
        .extracting(Piece::sourceOffset, Piece::targetOffset, Piece::length)
        .containsExactlyInAnyOrderElementsOf(
            lost.stream()
                .map(piece -> tuple(piece.sourceOffset(), piece.targetOffset(), piece.length()))
                .toList());
  }

  @Test
  void thatWaitsUntilTheLostWayIsShut() {
    open(2);
    Probe<Write> write = write(TWO_PIECES);
    List<Piece> lost = over(0);
    over(1).forEach(hand::complete);
    hand.loseWay(0, peer);
    hand.turn();
    assertThat(hand.inFlight()).as("pieces on a way while another may bring them, too").isEmpty();
    write.assertOpen();
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertSameBytes(onlyOver(1), lost);
    hand.settle();
    assertThat(hand.stats().nics().values())
        .extracting(TrafficStats::writesPostedAgain)
        .containsExactly((long) lost.size(), 0L);
    assertThat(peer.stats().writesPostedAgain()).isEqualTo(lost.size());
    write.assertComplete();
  }

  @Test
  void ofTwoLostWaysBothAreShutBefore() {
    open(3);
    Probe<Write> write = write(300_000);
    List<Piece> lost = new ArrayList<>(over(0));
    lost.addAll(over(1));
    over(2).forEach(hand::complete);
    hand.loseWay(0, peer);
    hand.loseWay(1, peer);
    hand.receive(1, ControlFrame.fenced(1, 1));
    assertThat(hand.inFlight()).isEmpty();
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertSameBytes(onlyOver(2), lost);
    hand.settle();
    write.assertComplete();
  }

  @Test
  void whatANicThatFailedCarriedGoesOverAnother() {
    open(2);
    Probe<Write> write = write(TWO_PIECES);
    List<Piece> lost = over(0);
    hand.nic(0).breakDown(5, "it was pulled out");
    hand.turn();
    over(1).forEach(hand::complete);
    hand.turn();
    write.assertOpen();
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertSameBytes(onlyOver(1), lost);
    hand.settle();
    write.assertComplete();
  }

  @Test
  void whatANicOfThePeerThatFailedWasToTakeGoesToAnother() {
    open(2);
    Probe<Write> write = write(TWO_PIECES);
    List<Piece> lost = over(1);
    hand.receive(1, ControlFrame.nicsFailed(2));
    hand.turn();
    List<Piece> again = hand.inFlight();
    assertThat(again).extracting(piece -> piece.target().key()).containsOnly("key0");
    assertSameBytes(again.subList(1, 2), lost);
    hand.settle();
    write.assertComplete();
  }

  @Test
  void whatIsCountedAndMayHaveArrivedFails() {
    open(2);
    Probe<WriteImm> write = writeImm(TWO_PIECES);
    hand.loseWay(0, peer);
    hand.settle();
    write.assertOpen();
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertThat(write.error()).isInstanceOf(PeerUnreachableException.class);
  }

  @Test
  void whatIsCountedAndNeverArrivedGoesAtOnce() {
    open(2);
    Probe<WriteImm> write = writeImm(TWO_PIECES);
    Probe<WriteImm> small = writeImm(1); // over NIC 0
    List<Piece> lost = over(0);
    over(1).forEach(hand::complete);
    loseWayUnsent(0);
    assertSameBytes(onlyOver(1), lost);
    assertThat(hand.inFlight()).allMatch(Piece::counted);
    hand.settle();
    write.assertComplete();
    small.assertComplete();
    assertThat(hand.control().sent(ControlFrame.ABORT)).isEmpty();
  }

  @Test
  void pagesGoAgainWhereTheyBelong() {
    open(2);
    PageList from = PageList.of(9, 8, 7, 6, 5, 4, 3, 2);
    PageList to = PageList.of(0, 2, 4, 6, 8, 10, 12, 14);
    Probe<PagedWrite> write =
        submit(PagedWrite.of(1_000, source.slice(0, 16_000), from, target(16_000), to, null));
    List<Piece> lost = over(0);
    assertThat(lost).hasSize(4);
    over(1).forEach(hand::complete);
    hand.loseWay(0, peer);
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertSameBytes(onlyOver(1), lost);
    hand.settle();
    write.assertComplete();
  }

  @Test
  void theFirstPhaseOfALongWriteIsWholeBeforeTheSecond() {
    hand.backend.maxWriteBytes = 1_000;
    open(2);
    Probe<WriteImm> write = writeImm(12_000);
    List<Piece> lost = over(0);
    assertThat(lost).hasSize(2).noneMatch(Piece::counted);
    over(1).forEach(hand::complete);
    hand.loseWay(0, peer);
    hand.turn();
    assertThat(hand.inFlight()).as("counted pieces before the others").isEmpty();
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertSameBytes(onlyOver(1), lost);
    hand.completeAll();
    hand.turn();
    assertThat(hand.inFlight()).hasSize(8).allMatch(Piece::counted);
    hand.settle();
    write.assertComplete();
  }

  @Test
  void whatIsLostOnceMoreGoesOnceMore() {
    open(3);
    Probe<Write> write = write(1); // over NIC 0
    List<Piece> lost = over(0);
    loseWayUnsent(0);
    loseWayUnsent(hand.inFlight().getFirst().nic());
    assertThat(hand.inFlight()).hasSize(1);
    assertSameBytes(hand.inFlight(), lost);
    loseWayUnsent(hand.inFlight().getFirst().nic());
    assertThat(write.error()).as("with the last way").isInstanceOf(PeerUnreachableException.class);
  }

  @Test
  void withoutAnotherWayItFailsWhenNothingOfItComes() {
    open(1);
    Probe<Write> write = write(1);
    hand.loseWay(0, peer);
    write.assertOpen();
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertThat(write.error()).isInstanceOf(PeerUnreachableException.class);
  }

  @Test
  void whatItsTargetRefusesFails() {
    open(2);
    Probe<Write> write = write(1);
    hand.nic(0).refuse(hand.inFlight().getFirst(), 3, "no such memory");
    hand.turn();
    assertThat(write.error())
        .isInstanceOf(TransferFailedException.class)
        .hasMessageContaining("no such memory");
  }

  /** Each NIC says of every piece that its counterpart is gone, though another one is there. */
  @Test
  void notForEver() {
    open(2);
    hand.receive(1, ControlFrame.nicsFailed(2));
    Probe<Write> write = write(1);
    hand.receive(1, ControlFrame.nicsFailed(1));
    for (int i = 0; i < 10 * Nic.MAX_PER_ENGINE && !hand.inFlight().isEmpty(); i++) {
      hand.fail(hand.inFlight().getFirst());
      hand.turn();
    }
    assertThat(hand.inFlight()).isEmpty();
    assertThat(write.error()).isInstanceOf(TransferFailedException.class);
  }

  @Test
  void whatIsHeldEndsWithItsDeadline() {
    open(2);
    Probe<Write> write = write(1);
    hand.loseWay(0, peer);
    hand.receive(1, ControlFrame.alive());
    for (int i = 0; i < 6; i++) {
      hand.advance(Duration.ofSeconds(1));
      hand.receive(1, ControlFrame.alive());
    }
    write.assertOpen();
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertThat(write.error())
        .isInstanceOf(DeadlineExceededException.class)
        .hasMessageContaining("0 of 1 pieces");
  }

  @Test
  void whatIsHeldEndsWithItsStream() {
    open(2);
    Probe<Write> write =
        hand.probe(
            hand.engine()
                .submit(
                    Flux.just(Write.of(source.slice(0, 1), target(1))).concatWith(Flux.never())));
    hand.turn();
    hand.loseWay(0, peer);
    write.cancel();
    hand.turn();
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertThat(hand.inFlight()).isEmpty();
    assertThat(hand.stats().writesInFlight()).isZero();
  }

  @Test
  void whatIsHeldEndsWithItsPeer() {
    open(2);
    Probe<Write> write = write(1);
    hand.loseWay(0, peer);
    hand.lose(peer);
    assertThat(write.error())
        .isInstanceOf(PeerUnreachableException.class)
        .hasMessageContaining("told to lose it");
  }

  @Test
  void whatIsHeldForMemoryThatIsRevokedFails() {
    open(2);
    Probe<Write> write = write(1);
    hand.loseWay(0, peer);
    write.assertOpen();
    hand.receive(1, ControlFrame.revoke(REGION));
    assertThat(hand.control().sent(ControlFrame.STOPPED)).as("what may come can come").isEmpty();
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertThat(write.error())
        .isInstanceOf(TransferFailedException.class)
        .hasMessageContaining("its owner has revoked");
    assertThat(hand.control().sent(ControlFrame.STOPPED)).hasSize(1);
  }

  @Test
  void whatThePeerHasShutTakesAnotherWayToo() {
    open(2);
    Probe<Write> write = write(1); // over NIC 0
    List<Piece> lost = over(0);
    hand.receive(1, ControlFrame.fence(0, 0));
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertSameBytes(onlyOver(1), lost);
    hand.settle();
    write.assertComplete();
  }

  @Test
  void whatWasPostedAsAWholeGoesToAnotherNicOfThePeerOverAnyOfOurs() {
    open(2);
    write(1); // over NIC 0
    Probe<Write> write = write(1); // over NIC 1
    List<Piece> lost = over(1);
    hand.nic(0).room = 0;
    hand.receive(1, ControlFrame.nicsFailed(2));
    hand.turn();
    assertSameBytes(over(1), lost);
    assertThat(over(1)).extracting(piece -> piece.target().key()).containsOnly("key0");
    hand.settle();
    write.assertComplete();
  }

  @Test
  void whatWasOutWhenItsMemoryWasRevokedIsNotPostedAgain() {
    open(2);
    Probe<Write> write = write(1);
    hand.receive(1, ControlFrame.revoke(REGION));
    hand.loseWay(0, peer);
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertThat(hand.inFlight()).isEmpty();
    assertThat(write.error()).isInstanceOf(PeerUnreachableException.class);
    assertThat(hand.control().sent(ControlFrame.STOPPED)).hasSize(1);
  }
}
