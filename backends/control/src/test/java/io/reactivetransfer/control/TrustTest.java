package io.reactivetransfer.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.control.TestEngine.Driver;
import io.reactivetransfer.control.TestEngine.Found;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.ProtocolException;
import io.reactivetransfer.spi.EngineIdentity;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who gets a session, and who does not. */
class TrustTest {

  private static final ClusterSecret OLD = secret("the old secret of the cluster");
  private static final ClusterSecret NEW = secret("the new secret of the cluster");

  private static ClusterSecret secret(String text) {
    return ClusterSecret.of(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static NettyControl.Builder with(ClusterSecret... secrets) {
    NettyControl.Builder builder = NettyControl.builder();
    return switch (secrets.length) {
      case 0 -> builder;
      case 1 -> builder.secret(secrets[0]);
      default -> builder.secrets(secrets[0], secrets[1]);
    };
  }

  private static TestEngine engine(ClusterSecret... secrets) {
    return new TestEngine(Driver.LOOP, with(secrets).build());
  }

  /** Steps of a renewal, one engine at a time: each meets those of its own step and of the next. */
  @Test
  void aSecretIsRenewedOneEngineAtATime() {
    meet(new ClusterSecret[] {OLD}, new ClusterSecret[] {NEW, OLD});
    meet(new ClusterSecret[] {NEW, OLD}, new ClusterSecret[] {NEW, OLD});
    meet(new ClusterSecret[] {NEW, OLD}, new ClusterSecret[] {NEW});
    lost(new ClusterSecret[] {OLD}, new ClusterSecret[] {NEW}, "got one of another secret");
  }

  private static void meet(ClusterSecret[] some, ClusterSecret[] others) {
    try (TestEngine one = engine(some);
        TestEngine two = engine(others);
        TestEngine three = engine(some)) {
      one.meet(two);
      two.meet(three);
    }
  }

  @Test
  void whoHasNoSecretOrAnotherOneIsRefused() {
    ClusterSecret[] none = {};
    lost(none, new ClusterSecret[] {NEW}, "it wants a cluster secret and this engine has none");
    lost(new ClusterSecret[] {NEW}, none, "it has no cluster secret and this engine has one");
  }

  private static void lost(ClusterSecret[] some, ClusterSecret[] others, String text) {
    try (TestEngine one = engine(some);
        TestEngine two = engine(others)) {
      one.send(two, "never");
      assertThat(one.awaitLost().text()).contains(text).doesNotContain("secret of the cluster");
      one.forgetWaiting();
      assertThat(two.log).isEmpty();
    }
  }

  @Test
  void withoutASecretOnlyThisMachineCanConnect() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NettyControl.builder().host("0.0.0.0").advertised("a").build())
        .withMessageContaining("expected a cluster secret");
    NettyControl.builder().host("0.0.0.0").advertised("a").withoutSecret().build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NettyControl.builder().host("0.0.0.0").secret(OLD).build())
        .withMessageContaining("expected an advertised host");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NettyControl.builder().secret(OLD).withoutSecret().build());
  }

  @Test
  void anotherEngineAtTheAddressIsNotTalkedWith() {
    try (TestEngine one = engine();
        TestEngine two = engine()) {
      one.send(new EngineId(1, 2), two.address, new byte[1]);
      assertThat(one.awaitLost().text())
          .contains("the engine at this address is " + two.id().toShortString());
      one.forgetWaiting();
    }
  }

  @Test
  void enginesOfOtherBackendsAreRefused() {
    NettyControl control = NettyControl.builder().build();
    try (TestEngine one = engine();
        TestEngine two =
            new TestEngine(
                Driver.LOOP, control, EngineIdentity.draw(), Duration.ofSeconds(9), "other")) {
      one.find(1, two.address);
      one.awaitUntil(() -> !one.notFound.isEmpty());
      assertThat(one.notFound.element().text()).contains("uses the backend other");
    }
  }

  /** It gets no session, although it passes on what two honest engines say. */
  @ParameterizedTest
  @EnumSource
  void whoPassesAHandshakeOnUnderAnotherAddressGetsNoSession(Driver driver) {
    try (TestEngine one = new TestEngine(driver, with(OLD).build());
        TestEngine two = new TestEngine(driver, with(OLD).build());
        Relay relay = new Relay(two.address)) {
      one.find(1, relay.address());
      one.awaitUntil(() -> !one.notFound.isEmpty());
      assertThat(one.notFound.element().text())
          .contains("was dialled as " + relay.address())
          .contains("does not know that as an address of its own");
      one.send(two.id(), relay.address(), new byte[1]);
      assertThat(one.awaitLost().code()).isEqualTo(ErrorCode.WRONG_ADDRESS.value);
      one.forgetWaiting();
      assertThat(two.log).isEmpty();
    }
  }

  /** What translates addresses is not someone in the middle, if it is named. */
  @Test
  void anEngineIsReachedUnderTheAddressesThatItKnows() {
    try (TestEngine one = engine(OLD)) {
      Relay[] relay = new Relay[1];
      HostPort outside = FreePort.onLoopback();
      try (TestEngine two = new TestEngine(Driver.LOOP, with(OLD).alsoKnownAs(outside).build())) {
        relay[0] =
            new Relay(
                two.address,
                new OnPort(javax.net.ServerSocketFactory.getDefault(), outside.port()),
                javax.net.SocketFactory.getDefault());
        one.find(1, outside);
        one.awaitUntil(() -> one.found.contains(new Found(1, two.id())));
        one.send(two.id(), outside, "hello".getBytes(StandardCharsets.US_ASCII));
        two.awaitMessage(one.id(), "hello");
        // It can pass frames on, or not; what it changes ends the session.
        relay[0].change =
            piece -> {
              piece[piece.length - 30] ^= 1;
              return piece;
            };
        one.send(
            two.id(),
            outside,
            "a message that is changed under way".getBytes(StandardCharsets.US_ASCII));
        assertThat(two.awaitLost().text())
            .contains("expected a frame with the tag of this session");
        assertThat(two.messages).hasSize(1);
      } finally {
        relay[0].close();
      }
    }
  }

  @Test
  void whoKnowsTheSecretCannotTakeTheIdOfAnother() {
    EngineIdentity honest = EngineIdentity.draw();
    EngineIdentity thief = EngineIdentity.draw();
    Credentials stolen = new Credentials(thief, java.util.List.of(OLD));
    byte[] key = honest.publicKey();
    DialHandshake dial =
        new DialHandshake(
            stolen,
            Binding.without(),
            "b",
            Handshake.MIN_MESSAGE_BYTES,
            null,
            1,
            HOST,
            java.net.InetAddress.getLoopbackAddress());
    AcceptHandshake accept =
        new AcceptHandshake(
            new Credentials(EngineIdentity.draw(), java.util.List.of(OLD)),
            Binding.without(),
            "b",
            Handshake.MIN_MESSAGE_BYTES,
            (_, _) -> true);
    Handshake.Hello own = Handshake.hello(dial.hello());
    byte[] forged =
        Handshake.encode(
            new Handshake.Hello(
                key,
                own.nonce(),
                own.share(),
                null,
                1,
                own.maxMessageBytes(),
                0,
                HOST,
                own.address(),
                "b"));
    byte[] challenge = accept.challenge(forged);
    byte[] transcript = Credentials.hash(forged, challenge, new byte[0]);
    byte[] proof =
        Handshake.encode(
            new Handshake.Proof(
                stolen.sign(Labels.DIALLER, transcript),
                java.util.List.of(stolen.secrets().code(0, Labels.DIALLER, transcript))));
    org.assertj.core.api.Assertions.assertThatThrownBy(() -> accept.welcome(proof, _ -> 0))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("expected a signature of engine " + honest.id().toShortString());
  }

  private static final HostPort HOST = new HostPort("127.0.0.1", 1);
}
