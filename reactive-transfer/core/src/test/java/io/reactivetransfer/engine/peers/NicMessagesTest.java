package io.reactivetransfer.engine.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Peer;
import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.ScriptedNic.Heard;
import io.reactivetransfer.engine.ScriptedNic.Remote;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** NICs talk with NICs of peers over the control channel. */
class NicMessagesTest {

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private Peer peer;
  private Peers peers;

  @BeforeEach
  void open() {
    hand.open(2);
    peer = hand.peer(1);
    peers = hand.peers();
    hand.receive(1, hand.hello(1));
    hand.control().forgetSent();
  }

  private Remote remote(int ours, int theirs) {
    return hand.nic(ours).remote(peer.id(), theirs);
  }

  private List<String> said() {
    return hand.control().sent(ControlFrame.NIC_MESSAGE).stream()
        .map(frame ->
            frame.content()[0]
                + ">"
                + frame.content()[1]
                + " "
                + new String(frame.content(), 2, frame.content().length - 2))
        .toList();
  }

  private long defects() {
    return hand.defects();
  }

  private void hear(int from, int to, String text) {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    hand.receive(1, ControlFrame.nicMessage(from, to, bytes));
  }

  @Test
  void whatTheySayIsCarriedInOrder() {
    hand.nic(0).say(remote(0, 0), "one");
    hand.turn();
    hand.nic(1).say(remote(1, 1), "two");
    hand.turn();
    hand.nic(0).say(remote(0, 0), "three");
    hand.nic(0).say(remote(0, 0), "four");
    hand.turn();
    assertThat(said()).containsExactly("0>0 one", "1>1 two", "0>0 three", "0>0 four");
    assertThat(hand.control().sent()).allMatch(frame -> frame.to().equals(peer.id()));
  }

  @Test
  void whatTheChannelRefusesIsTriedAgainInOrder() {
    hand.control().sendRoom = 0;
    for (String text : List.of("a", "b", "c")) {
      hand.nic(0).say(remote(0, 0), text);
    }
    hand.turn();
    assertThat(said()).isEmpty();
    for (int i = 1; i <= 3; i++) {
      hand.control().sendRoom = 1;
      hand.turn();
      assertThat(said()).hasSize(i);
    }
    assertThat(said()).containsExactly("0>0 a", "0>0 b", "0>0 c");
  }

  @Test
  void whatWaitsIsDroppedWithItsSession() {
    hand.control().sendRoom = 0;
    hand.nic(0).say(remote(0, 0), "too late");
    hand.turn();
    hand.lose(peer);
    hand.nic(0).say(remote(0, 0), "to nobody");
    hand.turn();
    hand.control().sendRoom = Integer.MAX_VALUE;
    hand.receive(1, hand.hello(1));
    assertThat(said()).isEmpty();
    hand.nic(0).say(remote(0, 0), "in time");
    hand.turn();
    assertThat(said()).containsExactly("0>0 in time");
    assertThat(defects()).as("none of this is one").isZero();
  }

  @Test
  void oneThatIsTooLongIsRefused() {
    hand.nic(0).say(remote(0, 0), "x".repeat(1_025));
    hand.turn();
    assertThat(said()).isEmpty();
    assertThat(defects()).isEqualTo(1);
    hand.nic(0).say(remote(0, 0), "x".repeat(1_024));
    hand.turn();
    assertThat(said()).hasSize(1);
  }

  @Test
  void oneForWhomTheNicDidNotResolveIsRefused() {
    hand.nic(0).say(remote(1, 1), "by another NIC's word");
    hand.nic(0).say(new RemotePeer() {}, "for a stranger");
    hand.turn();
    assertThat(said()).isEmpty();
    assertThat(defects()).isEqualTo(2);
  }

  /** It would fill the memory, and nobody who takes so few words can be set up with. */
  @Test
  void aPeerThatTakesNoneIsGivenUp() {
    hand.control().sendRoom = 0;
    for (int i = 0; i <= Mail.MAX_OF_SESSION; i++) {
      hand.nic(0).say(remote(0, 0), "again");
    }
    hand.turn();
    assertThat(hand.control().disconnections())
        .singleElement()
        .satisfies(end -> assertThat(end.reason()).contains("does not take what it is told"));
    assertThat(((PeerLink) peer).mail.ofSession).isEmpty();
  }

  // ---- what they hear ----

  @Test
  void eachHearsWhatIsSaidToIt() {
    hear(0, 1, "one");
    hear(1, 1, "two");
    hear(1, 0, "three");
    assertThat(hand.nic(1).heard())
        .extracting(Heard::text, heard -> heard.from().number())
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("one", 0),
            org.assertj.core.groups.Tuple.tuple("two", 1));
    assertThat(hand.nic(0).heard()).extracting(Heard::text).containsExactly("three");
    assertThat(hand.nic(0).heard().getFirst().from()).isSameAs(remote(0, 1));
    assertThat(defects()).isZero();
  }

  @Test
  void whatConcernsNoNicIsADefectOfTheSender() {
    hear(2, 0, "from none");
    hear(-1, 0, "from none");
    hear(0, 2, "to none");
    hear(0, -1, "to none");
    hear(0, 0, "x".repeat(1_025));
    hand.receive(1, ByteBuffer.wrap(new byte[] {ControlFrame.NIC_MESSAGE}));
    hand.receive(1, ByteBuffer.wrap(new byte[] {ControlFrame.NIC_MESSAGE, 0}));
    assertThat(defects()).isEqualTo(7);
    hand.peer(2);
    hand.receive(2, ControlFrame.nicMessage(0, 0, ByteBuffer.allocate(1))); // it never greeted
    hand.control()
        .receive(new EngineId(9, 9), ControlFrame.nicMessage(0, 0, ByteBuffer.allocate(1)));
    hand.turn();
    assertThat(defects()).isEqualTo(9);
    assertThat(hand.nics()).allMatch(nic -> nic.heard().isEmpty());
  }

  /** The peer has said so in its greeting, and may say anything there. */
  @Test
  void oneFromAnAddressThatNoNicUnderstandsIsADefectOfTheSender() {
    hand.nic(0).resolveFailure = new BackendException(22, "no such NIC");
    hear(1, 0, "from nowhere");
    assertThat(defects()).isEqualTo(1);
    assertThat(hand.nic(0).heard()).isEmpty();
    assertThat(hand.engine().isClosed()).isFalse();
  }

  @Test
  void aNicThatHasFailedHearsNothing() {
    hand.nic(0).breakDown(5, "told to break");
    hand.turn();
    hear(0, 0, "to the dead"); // it would be a violation of the SPI
    hear(0, 1, "to the living");
    assertThat(hand.nic(1).heard()).hasSize(1);
    assertThat(defects()).isZero();
  }

  // ---- who is forgotten ----

  @Test
  void whoIsForgottenIsReleased() {
    assertThat(hand.nic(0).remotes()).isEqualTo(1);
    hear(1, 0, "hello");
    assertThat(hand.nic(0).remotes()).isEqualTo(2);
    Remote old = remote(0, 0);
    hand.lose(peer);
    assertThat(hand.nic(0).remotes()).as("it is remembered").isEqualTo(2);
    peers.bounds(0, 0);
    hand.inTurn(peers::sweep);
    assertThat(hand.nic(0).remotes()).isZero();
    assertThat(hand.nic(1).remotes()).isZero();
    hand.nic(0).say(old, "to the forgotten");
    hand.turn();
    assertThat(defects()).isEqualTo(1);
    hand.receive(1, hand.hello(1));
    hand.control().forgetSent();
    hand.nic(0).say(remote(0, 0), "to the same, met anew");
    hand.turn();
    assertThat(said()).containsExactly("0>0 to the same, met anew");
  }
}
