package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.ScriptedNic.Piece;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.spi.BackendException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What NICs have resolved of the memory of peers, they are told to release. That nothing is
 * released while it is in use, twice, or after its peer, the NIC of these tests sees to.
 */
class ReleasedMemoryTest {

  /** So many regions of a peer are resolved at most while few of them are in use. */
  private static final int MOST = 4_096;

  /** Of which two thirds are more than that. */
  private static final int MANY = 2 * MOST;

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private MemoryRegion source;

  @BeforeEach
  void open() {
    hand.open(2, o -> o.minPieceBytes(1));
    source = hand.region();
    submit(hand.remote(1));
    hand.settle();
  }

  private RemoteRegion region(int peer, long number) {
    List<byte[]> keys = IntStream.range(0, 2).mapToObj(i -> ("key" + i).getBytes()).toList();
    return hand.engine()
        .remote(new RegionDescriptor(hand.address(peer), number, 64, Access.REMOTE_WRITE, keys));
  }

  private Probe<Transfer> submit(RemoteRegion target) {
    return submit(Write.of(source.slice(0, 1), target.slice(0, 1)));
  }

  private Probe<Transfer> submit(Transfer transfer) {
    Probe<Transfer> probe = Probe.unbounded();
    hand.engine().submit(transfer).subscribe(probe);
    hand.turn();
    return probe;
  }

  private void revoke(int peer, long number) {
    hand.receive(peer, ControlFrame.revoke(number));
  }

  private int targets() {
    assertThat(hand.nic(1).targets()).isEqualTo(hand.nic(0).targets());
    return hand.nic(0).targets();
  }

  private long stopped() {
    return hand.control().sent(ControlFrame.STOPPED).size();
  }

  @Test
  void aRevokedRegionIsReleasedWhenNothingIsOnItsWayThere() {
    int before = targets();
    Probe<Transfer> first = submit(region(1, 7));
    Probe<Transfer> second = submit(region(1, 7));
    assertThat(targets()).isEqualTo(before + 2);
    revoke(1, 7);
    assertThat(targets()).isEqualTo(before + 2);
    hand.complete(hand.inFlight().getFirst());
    assertThat(targets()).isEqualTo(before + 2);
    assertThat(stopped()).isZero();
    hand.settle();
    first.assertComplete();
    second.assertComplete();
    assertThat(targets()).isEqualTo(before);
    assertThat(stopped()).isEqualTo(1);
    assertThat(submit(region(1, 7)).error()).isInstanceOf(TransferFailedException.class);
    assertThat(targets()).isEqualTo(before);
  }

  /** Such as one with a key that the second NIC does not understand. */
  @Test
  void whatOnlyOneNicCouldResolveIsReleased() {
    int before = targets();
    RemoteRegion target = region(1, 9);
    hand.nic(1).resolveFailure = new BackendException(5, "told to fail");
    for (int i = 0; i < 3; i++) {
      assertThat(submit(target).error()).isInstanceOf(TransferRejectedException.class);
    }
    assertThat(hand.nic(0).targets()).isEqualTo(before);
    hand.nic(1).resolveFailure = null;
    Probe<Transfer> again = submit(target);
    hand.settle();
    again.assertComplete();
  }

  @Test
  void aForgottenPeerLeavesNothing() {
    submit(region(2, 1));
    submit(region(2, 2));
    hand.settle();
    hand.peers().bounds(0, 0);
    hand.lose(hand.peer(2));
    hand.lose(hand.peer(1));
    hand.inTurn(hand.peers()::sweep);
    assertThat(targets()).isZero();
    RemoteRegion again = region(2, 2);
    Probe<Transfer> write = submit(again);
    hand.settle();
    write.assertComplete();
  }

  @Test
  void whatOtherRoutesHadResolvedIsReleasedWithTheRest() {
    int before = hand.nic(0).targets();
    RemoteRegion region = region(1, 7);
    submit(region);
    hand.settle();
    hand.receive(1, ControlFrame.nicsFailed(1));
    submit(region);
    hand.settle();
    assertThat(hand.nic(0).targets()).isEqualTo(before + 2);
    revoke(1, 7);
    assertThat(hand.nic(0).targets()).isEqualTo(before);
  }

  @Test
  void shortLivedRegionsLeaveNothing() {
    int before = targets();
    for (int i = 0; i < MANY; i++) {
      submit(region(1, 100 + i));
      hand.nics().forEach(ScriptedNic::completeAll);
      hand.turn();
      revoke(1, 100 + i);
      forget();
    }
    assertThat(targets()).isEqualTo(before);
  }

  private void forget() {
    hand.control().forgetSent();
    hand.nics().forEach(ScriptedNic::forgetPosted);
  }

  /** As when a descriptor is resolved anew for each request, and its owner goes on living. */
  @Test
  void regionsThatNobodyRevokesAreBounded() {
    RemoteRegion first = region(1, 1);
    submit(first);
    Piece stays = hand.inFlight().getFirst();
    int most = 0;
    for (int i = 0; i < MANY; i++) {
      RemoteRegion region = region(1, i % 3 == 0 ? 7 : 100 + i);
      Probe<Transfer> write = submit(region);
      hand.inFlight().stream().filter(piece -> !piece.equals(stays)).forEach(hand::complete);
      write.assertComplete();
      most = Math.max(most, targets());
      forget();
    }
    assertThat(most).isBetween(MOST, MOST + 1);
    hand.settle();
    Probe<Transfer> again = submit(first);
    hand.settle();
    again.assertComplete();
  }

  /** Room is made while a transfer begins that has resolved some of its targets already. */
  @Test
  void targetsOfOneTransferAreNotReleasedBeforeItBegins() {
    Scatter scatter =
        Scatter.of(
            null,
            IntStream.range(0, MOST + MOST / 8)
                .mapToObj(i -> new Scatter.Part(source.slice(0, 1), region(1, 100 + i).slice(0, 1)))
                .toArray(Scatter.Part[]::new));
    Probe<Transfer> write = submit(scatter);
    hand.settle();
    write.assertComplete();
    Probe<Transfer> again = submit(scatter);
    hand.settle();
    again.assertComplete();
  }

  @Test
  void whatAPeerSaysOfRegionsItDoesNotHaveReleasesNothing() {
    int before = targets();
    revoke(1, 4_711);
    assertThat(targets()).isEqualTo(before);
  }
}
