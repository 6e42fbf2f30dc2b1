package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import org.junit.jupiter.api.Test;

class FabricPeerTest {

  private final FabricPeer peer = new FabricPeer(new EngineId(1, 2), 3, new byte[] {4});

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
    peer.answered();
    assertThat(peer.silentFor(200)).as("nothing was asked any more").isZero();
  }

  @Test
  void timeInWhichNobodyLookedDoesNotCount() {
    peer.waitsSince(100);
    peer.refused(120);
    peer.nobodyLookedFor(50, 180);
    assertThat(peer.silentFor(190)).isEqualTo(40);
    assertThat(peer.unreachableFor(190)).isEqualTo(20);
  }

  @Test
  void whatBeganWhenItWasLookedAtAgainIsNotPutOff() {
    peer.waitsSince(175);
    peer.nobodyLookedFor(50, 180);
    assertThat(peer.silentFor(190)).isEqualTo(10);
  }
}
