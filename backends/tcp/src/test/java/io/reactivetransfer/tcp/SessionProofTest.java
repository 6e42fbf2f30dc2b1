package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.tcp.Authentication.Role;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Who has no session with an engine is not listened to, and not written to. */
class SessionProofTest {

  private static final String WORD = "the two engines of a session know";
  private static final Authentication.Sessions SESSION = session(WORD);
  private static final Authentication.Sessions OTHER = session("those of another session");
  private static final Authentication.Sessions NONE = _ -> null;

  private static Authentication.Sessions session(String key) {
    return _ -> key.getBytes(StandardCharsets.UTF_8);
  }

  private static TestNic nic(Authentication.@Nullable Sessions sessions) {
    TcpBackend backend = new TcpBackend();
    return new TestNic(backend, backend.nics().getFirst(), 8, Duration.ofSeconds(30), sessions);
  }

  private static Authentication knowing(EngineId self) {
    return new Authentication(new KeySource(), self, SESSION);
  }

  @Test
  void twoThatHaveOneMeet() {
    try (TestNic origin = nic(SESSION);
        TestNic target = nic(SESSION)) {
      origin.send(origin.peer(target), "hello");
      target.awaitUntil(() -> !target.messages.isEmpty());
      assertThat(origin.lost).isEmpty();
    }
  }

  @Test
  void oneThatHasAnotherIsRefused() {
    lost(OTHER, SESSION, "expected a proof of the session with this engine");
  }

  @Test
  void oneThatHasNoneConnectsToNobody() {
    lost(NONE, SESSION, "expected a session with engine", "got a connection without one");
    lost(null, SESSION, "wants a proof of a session");
  }

  @Test
  void oneThatIsNotKnownIsRefused() {
    lost(SESSION, NONE, "expected a session with engine", "got a connection without one");
  }

  @Test
  void oneThatHasOneRefusesOneThatProvesNothing() {
    lost(SESSION, null, "did not prove that it has a session");
  }

  private static void lost(
      Authentication.@Nullable Sessions ofOrigin,
      Authentication.@Nullable Sessions ofTarget,
      String... text) {
    try (TestNic origin = nic(ofOrigin);
        TestNic target = nic(ofTarget)) {
      origin.send(origin.peer(target), "hello");
      var lost = origin.awaitLost();
      assertThat(lost.code()).isEqualTo(ErrorCode.UNAUTHENTICATED.value);
      assertThat(lost.text()).contains(text).doesNotContain(WORD);
      assertThat(target.messages).isEmpty();
    }
  }

  @Test
  void whatComesBeforeTheProofIsNotTaken() {
    try (TestNic target = nic(SESSION);
        RawConnection raw = RawConnection.to(target)) {
      raw.send(out -> Handshake.putHello(out, RawConnection.helloTo(target)));
      assertThat(raw.reply()).isInstanceOf(Handshake.Challenge.class);
      raw.send(Wire.WRITE, 0, 0, 0, 2, 'h', 'i', 0);
      assertThat(raw.reply()).isInstanceOf(Handshake.Refusal.class);
      assertThat(raw.isAtEnd()).isTrue();
      assertThat(target.messages).isEmpty();
    }
  }

  /** It has shown nothing yet, so it learns nothing. */
  @Test
  void whoHasNoSessionIsNotToldWhoItHasMet() {
    try (TestNic target = nic(NONE);
        RawConnection raw = RawConnection.to(target)) {
      EngineId stranger = new EngineId(7, 7);
      EngineId unknown = new EngineId(0, 0);
      Handshake.Hello hello =
          new Handshake.Hello(stranger, unknown, 0, new byte[Authentication.NONCE_BYTES]);
      raw.send(out -> Handshake.putHello(out, hello));
      assertThat(raw.reply()).isInstanceOf(Handshake.Challenge.class);
      raw.send(out -> Handshake.putProof(out, new byte[Authentication.PROOF_BYTES]));
      assertThat(((Handshake.Refusal) raw.reply()).why().text())
          .contains("expected a session with engine " + stranger.toShortString())
          .doesNotContain(target.id.toShortString());
    }
  }

  @Test
  void aHelloOfAnotherLengthIsToldWhichOneIsRight() {
    try (TestNic target = nic(SESSION);
        RawConnection raw = RawConnection.to(target)) {
      raw.send('R', 'T', 'T', 'H', 0, Handshake.VERSION, 0, 64);
      assertThat(((Handshake.Refusal) raw.reply()).why().text())
          .isEqualTo("expected a handshake of 65 bytes, got 64");
    }
  }

  @Test
  void aProofIsGoodForOneChallengeOnly() {
    Authentication knowing = knowing(RawConnection.ID);
    try (TestNic target = nic(SESSION)) {
      Handshake.Hello hello = RawConnection.helloTo(target);
      byte[] proof;
      try (RawConnection recorded = RawConnection.to(target)) {
        recorded.send(out -> Handshake.putHello(out, hello));
        var challenge = (Handshake.Challenge) recorded.reply();
        proof = knowing.proof(Role.DIALLER, hello, challenge.nonce(), new byte[0]);
        recorded.send(out -> Handshake.putProof(out, proof));
        assertThat(recorded.reply()).isInstanceOf(Handshake.Welcome.class);
      }
      try (RawConnection replay = RawConnection.to(target)) {
        replay.send(out -> Handshake.putHello(out, hello));
        replay.reply();
        replay.send(out -> Handshake.putProof(out, proof));
        assertThat(replay.reply()).isInstanceOf(Handshake.Refusal.class);
      }
    }
  }

  @Test
  void aProofIsGoodForOneHelloOnly() {
    try (TestNic target = nic(SESSION);
        RawConnection raw = RawConnection.to(target)) {
      Handshake.Hello hello = RawConnection.helloTo(target);
      Handshake.Hello another =
          new Handshake.Hello(target.id, hello.acceptor(), hello.nicIndex(), hello.nonce());
      raw.send(out -> Handshake.putHello(out, hello));
      var challenge = (Handshake.Challenge) raw.reply();
      byte[] proof =
          knowing(target.id).proof(Role.DIALLER, another, challenge.nonce(), new byte[0]);
      raw.send(out -> Handshake.putProof(out, proof));
      assertThat(raw.reply()).isInstanceOf(Handshake.Refusal.class);
    }
  }

  /** Who ends TLS in between shows a certificate of its own to the one who dials. */
  @Test
  void aProofIsGoodForTheCertificateThatWasShownOnly() {
    EngineId dialler = new EngineId(1, 1);
    EngineId acceptor = new EngineId(2, 2);
    byte[] shown = {1};
    byte[] seen = {2};
    assertThat(replyTo(dialler, acceptor, shown, shown)).isInstanceOf(Handshake.Welcome.class);
    assertThat(replyTo(dialler, acceptor, shown, seen)).isInstanceOf(Handshake.Refusal.class);
    assertThat(replyTo(dialler, acceptor, shown, new byte[0]))
        .isInstanceOf(Handshake.Refusal.class);
  }

  private static Handshake.Reply replyTo(
      EngineId dialler, EngineId acceptor, byte[] shown, byte[] seen) {
    Authentication dialling = knowing(dialler);
    Handshake.Hello hello = new Handshake.Hello(dialler, acceptor, 0, dialling.newNonce());
    DialHandshake from = new DialHandshake(dialling, hello);
    AcceptHandshake at = new AcceptHandshake(knowing(acceptor), acceptor);
    byte[] body =
        Arrays.copyOfRange(
            Handshake.bytesOf(hello), Handshake.HEAD_BYTES, Handshake.bytesOf(hello).length);
    at.bodyOf(ByteBuffer.wrap(Handshake.bytesOf(hello)));
    var challenge = (Handshake.Challenge) at.reply(body, shown);
    Handshake.Reply reply = at.reply(from.prove(challenge, seen), shown);
    if (reply instanceof Handshake.Welcome welcome) {
      from.check(welcome);
    }
    return reply;
  }

  @Test
  void aTargetThatOnlySendsTheProofBackIsRefused() throws IOException {
    try (TestNic origin = nic(SESSION);
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      origin.send(peer(origin, server), "hello");
      try (RawConnection raw = RawConnection.from(server)) {
        raw.hello();
        var challenge = new Handshake.Challenge(new byte[Authentication.NONCE_BYTES]);
        raw.send(out -> Handshake.putChallenge(out, challenge));
        raw.read(Handshake.HEAD_BYTES);
        byte[] proof = raw.read(Authentication.PROOF_BYTES);
        var welcome = new Handshake.Welcome(RawConnection.ID, proof);
        raw.send(out -> Handshake.putWelcome(out, welcome));
        assertThat(origin.awaitLost().code()).isEqualTo(ErrorCode.UNAUTHENTICATED.value);
      }
    }
  }

  @Test
  void aTargetThatChallengesTwiceIsRefused() throws IOException {
    try (TestNic origin = nic(SESSION);
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      origin.send(peer(origin, server), "hello");
      try (RawConnection raw = RawConnection.from(server)) {
        raw.hello();
        var challenge = new Handshake.Challenge(new byte[Authentication.NONCE_BYTES]);
        raw.send(out -> Handshake.putChallenge(out, challenge));
        raw.send(out -> Handshake.putChallenge(out, challenge));
        assertThat(origin.awaitLost().code()).isEqualTo(ErrorCode.PROTOCOL.value);
      }
    }
  }

  @Test
  void aProofThatNobodyAskedForIsNoWelcome() throws IOException {
    try (TestNic origin = nic(null);
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      origin.send(peer(origin, server), "hello");
      try (RawConnection raw = RawConnection.from(server)) {
        raw.hello();
        byte[] proof = new byte[Authentication.PROOF_BYTES];
        var welcome = new Handshake.Welcome(RawConnection.ID, proof);
        raw.send(out -> Handshake.putWelcome(out, welcome));
        var lost = origin.awaitLost();
        assertThat(lost.code()).isEqualTo(ErrorCode.PROTOCOL.value);
        assertThat(lost.text()).contains("without a proof");
      }
    }
  }

  private static RemotePeer peer(TestNic origin, ServerSocket server) {
    byte[] address = RawConnection.addressOf(server).encode();
    return origin.call(() -> origin.domain.resolve(RawConnection.ID, 0, address));
  }
}
