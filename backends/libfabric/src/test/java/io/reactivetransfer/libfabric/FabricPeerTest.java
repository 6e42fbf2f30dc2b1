package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.libfabric.FabricPeer.Step;
import org.junit.jupiter.api.Test;

class FabricPeerTest {

  private final FabricPeer peer = new FabricPeer(new EngineId(1, 2), 3, new byte[] {4});

  @Test
  void framesAreTakenByTheirNumbers() {
    assertThat(peer.heard(1, 0)).isEqualTo(Step.NEXT);
    assertThat(peer.heard(1, 1)).isEqualTo(Step.NEXT);
    assertThat(peer.heard(1, 1)).as("the same again").isEqualTo(Step.OUT_OF_STEP);
    assertThat(peer.heard(1, 3)).as("one is missing").isEqualTo(Step.OUT_OF_STEP);
    assertThat(peer.heard(1, 2)).isEqualTo(Step.NEXT);
  }

  @Test
  void whatBeginsInTheMiddleIsOutOfStep() {
    assertThat(peer.heard(1, 1)).isEqualTo(Step.OUT_OF_STEP);
    assertThat(peer.heard(1, -1)).isEqualTo(Step.OUT_OF_STEP);
    assertThat(peer.heard(5, 0)).as("whatever its first epoch").isEqualTo(Step.NEXT);
  }

  @Test
  void aLaterEpochBeginsAnew() {
    peer.heard(1, 0);
    assertThat(peer.heard(3, 1)).as("not its first").isEqualTo(Step.OUT_OF_STEP);
    assertThat(peer.heard(3, 0)).isEqualTo(Step.ANEW);
    assertThat(peer.heard(3, 1)).isEqualTo(Step.NEXT);
    assertThat(peer.heard(2, 0)).as("an earlier one").isEqualTo(Step.OUT_OF_STEP);
    assertThat(peer.heard(1, 1)).isEqualTo(Step.OUT_OF_STEP);
  }

  @Test
  void aLostPeerIsHeardAgainInItsNextEpochOnly() {
    peer.heard(1, 0);
    peer.stopListening();
    assertThat(peer.heard(1, 1)).isEqualTo(Step.OUT_OF_STEP);
    assertThat(peer.heard(1, 0)).isEqualTo(Step.OUT_OF_STEP);
    assertThat(peer.heard(1, -1)).as("no number at all").isEqualTo(Step.OUT_OF_STEP);
    assertThat(peer.heard(2, 0)).isEqualTo(Step.ANEW);
  }

  @Test
  void startingOverCountsTheEpochUpAndTheFramesFromZero() {
    peer.numbered();
    int before = peer.epoch();
    peer.startOver();
    assertThat(peer.epoch()).isEqualTo(before + 1);
    assertThat(peer.nextNumber()).isZero();
    assertThat(peer.isWell()).isTrue();
  }

  @Test
  void silenceLastsFromTheFirstQuestion() {
    assertThat(peer.silentFor(100)).isZero();
    peer.waitsSince(100);
    peer.waitsSince(150);
    assertThat(peer.silentFor(170)).isEqualTo(70);
    peer.spoke(180);
    assertThat(peer.silentFor(200)).as("nothing was asked any more").isZero();
  }
}
