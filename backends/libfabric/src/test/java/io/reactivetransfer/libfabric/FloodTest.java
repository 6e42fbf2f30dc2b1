package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.libfabric.Frame.Type;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whatever comes, and however much of it, what is kept of it is bounded. */
class FloodTest {

  private static final byte[] NAME = {1, 2, 3, 4};
  private static final byte[] NOTHING = {};
  private static final int MANY = 20_000;

  private final TappedNic nic = new TappedNic();

  @AfterEach
  void close() {
    nic.close();
  }

  private static byte[] control(int sender, long number) {
    return TappedNic.frame(Type.CONTROL, new EngineId(7, sender), 1, number, NAME, NOTHING);
  }

  private static byte[] ask(int sender, long number, Token token) {
    byte[] content = ByteBuffer.allocate(24).putLong(number).put(token.encode()).array();
    return TappedNic.frame(Type.ASK, new EngineId(7, sender), 1, number, NAME, content);
  }

  private static byte[] bye(int sender, long number) {
    return TappedNic.frame(Type.BYE, new EngineId(7, sender), 1, number, NAME, NOTHING);
  }

  @Test
  void strangersAreRememberedUpToABound() {
    for (int sender = 0; sender < MANY; sender++) {
      nic.hear(control(sender, 0));
    }
    assertThat(nic.peers.all()).hasSize(KnownPeers.MAX_STRANGERS);
    assertThat(nic.sink.reports()).as("each was heard").hasSize(MANY);
    assertThat(nic.peers.areNeedy()).isFalse();
  }

  @Test
  void enginesThatComeAndGoFillNothing() {
    Token token = nic.register();
    for (int sender = 0; sender < MANY; sender++) {
      nic.hear(ask(sender, 0, token));
      nic.hear(bye(sender, 1));
    }
    assertThat(nic.peers.all()).hasSizeLessThanOrEqualTo(KnownPeers.MAX_STRANGERS);
    assertThat(nic.tap.sent()).as("each had its answer").isGreaterThanOrEqualTo(MANY);
    assertThat(nic.tap.addresses()).isLessThanOrEqualTo(KnownPeers.MAX_STRANGERS);
    assertThat(nic.peers.areNeedy()).isFalse();
  }

  @Test
  void thoseThatTheEngineHasAskedForAreNotForgotten() {
    HeldPeer peer = nic.peers.resolve(new EngineId(7, 0), 0, NAME);
    nic.hear(bye(0, 0));
    for (int sender = 1; sender < MANY; sender++) {
      nic.hear(bye(sender, 0));
    }
    assertThat(nic.peers.all()).contains(peer.peer()).hasSizeLessThan(MANY / 2);
    assertThat(nic.peers.resolve(new EngineId(7, 0), 0, NAME)).isSameAs(peer);
  }

  @Test
  void whoAsksAndTakesNoAnswerIsGivenUp() {
    Token token = nic.register();
    nic.tap.sends(() -> false);
    int number = 0;
    while (!nic.sink.has("lost 7") && number < MANY) {
      nic.hear(ask(0, number, token));
      number++;
    }
    assertThat(number).isEqualTo(Peers.MAX_ANSWERS + 1);
    assertThat(nic.peers.all().iterator().next().outbox()).isEmpty();
    assertThat(nic.sink.texts()).singleElement().asString().contains("takes no answers");
  }

  @Test
  void whoWasForgottenIsSpokenToInALaterEpoch() {
    FabricPeer known = nic.peers.resolve(new EngineId(7, 1), 1, NAME).peer();
    for (int sender = 2; sender <= KnownPeers.MAX_STRANGERS + 2; sender++) {
      nic.hear(bye(sender, 0));
    }
    FabricPeer back = nic.peers.resolve(new EngineId(7, 2), 2, NAME).peer();
    assertThat(known.epoch()).isEqualTo(1);
    assertThat(back.epoch()).isGreaterThan(2);
  }
}
