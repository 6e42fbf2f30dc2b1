package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import org.junit.jupiter.api.Test;

class PresenceTest {

  private static final EngineId PEER = new EngineId(1, 1);
  private static final EngineId OTHER = new EngineId(2, 2);

  private final Presence presence = new Presence();

  @Test
  void severalConnectionsAreOneLoss() {
    presence.began(PEER);
    presence.began(PEER);
    presence.began(OTHER);

    assertThat(presence.ended(PEER)).isTrue();
    assertThat(presence.ended(PEER)).isFalse();
    assertThat(presence.ended(OTHER)).isTrue();
  }

  @Test
  void whoComesBackCanBeLostAgain() {
    presence.began(PEER);
    assertThat(presence.ended(PEER)).isTrue();
    presence.began(PEER);
    assertThat(presence.ended(PEER)).isTrue();
  }

  @Test
  void whoComesBackBeforeAllHasEndedCanBeLostAgain() {
    presence.began(PEER);
    presence.began(PEER);
    assertThat(presence.ended(PEER)).isTrue();
    presence.began(PEER);
    assertThat(presence.ended(PEER)).isTrue();
    assertThat(presence.ended(PEER)).isFalse();
  }

  @Test
  void whoIsGivenSomethingAfterItsLossCanBeLostAgain() {
    Presence.Known known = presence.began(PEER);
    presence.began(PEER);
    assertThat(presence.ended(PEER)).isTrue();
    known.used();
    assertThat(presence.ended(PEER)).isTrue();
  }
}
