package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.libfabric.FabricPeer.Step;
import org.junit.jupiter.api.Test;

/** What the numbers of frames say of a peer. */
class ConversationTest {

  private final FabricPeer peer = new FabricPeer(new EngineId(1, 2), 1, new byte[1]);

  @Test
  void aPeerThatBeginsAnewWhileItIsListenedToHasLostThisSide() {
    assertThat(peer.heard(1, 0)).isEqualTo(Step.NEXT);
    assertThat(peer.heard(1, 1)).isEqualTo(Step.NEXT);
    assertThat(peer.heard(2, 0)).isEqualTo(Step.ANEW);
    assertThat(peer.heard(2, 1)).isEqualTo(Step.NEXT);
  }

  @Test
  void aPeerThatBeginsAnewBecauseThisSideDidIsNotLostAgain() {
    peer.heard(1, 0);
    peer.startOver();
    peer.stopListening();

    assertThat(peer.heard(1, 1)).isEqualTo(Step.OUT_OF_STEP);
    assertThat(peer.heard(2, 0)).isEqualTo(Step.NEXT);
    assertThat(peer.heard(2, 1)).isEqualTo(Step.NEXT);
    assertThat(peer.heard(3, 0)).isEqualTo(Step.ANEW);
  }
}
