package io.reactivetransfer.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.ProtocolException;
import io.reactivetransfer.spi.EngineIdentity;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a dialler says of itself that cannot be: it is refused before there is a challenge. */
class MalformedHelloTest {

  private static final EngineIdentity IDENTITY = EngineIdentity.draw();
  private static final int FEWEST = Handshake.MIN_MESSAGE_BYTES;
  private static final byte[] IPV4 = {127, 0, 0, 1};
  private static final int POINT = 12;

  private static byte[] hello(byte[] key, int maxMessageBytes, byte[] address) {
    byte[] share = new byte[Handshake.KEY_BYTES];
    byte[] nonce = new byte[Handshake.NONCE_BYTES];
    HostPort at = new HostPort("h", 1);
    return Handshake.encode(
        new Handshake.Hello(key, nonce, share, null, 1, maxMessageBytes, 0, at, address, "b"));
  }

  private static byte[] challenge(byte[] hello) {
    ClusterSecret secret = ClusterSecret.of(new byte[ClusterSecret.MIN_BYTES]);
    Credentials own = new Credentials(EngineIdentity.draw(), List.of(secret));
    return new AcceptHandshake(own, Binding.without(), "b", FEWEST, (_, _) -> true)
        .challenge(hello);
  }

  private static void refused(byte[] hello, String text) {
    assertThatExceptionOfType(ProtocolException.class)
        .isThrownBy(() -> challenge(hello))
        .withMessageContaining(text)
        .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  @Test
  void oneWithNothingWrongIsChallenged() {
    assertThat(challenge(hello(IDENTITY.publicKey(), FEWEST, IPV4))).isNotEmpty();
    assertThat(challenge(hello(IDENTITY.publicKey(), FEWEST, new byte[16]))).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 5, 15, 17})
  void anAddressIsOf4Or16Bytes(int length) {
    refused(hello(IDENTITY.publicKey(), FEWEST, new byte[length]), "16 bytes, got " + length);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1, 16, 100, 4_095})
  void whoTakesLessThanEnginesSayIsRefused(int bytes) {
    refused(hello(IDENTITY.publicKey(), bytes, IPV4), "a longest message of 4096 bytes or more");
  }

  /** The signature of 64 bytes that is the neutral element and 0 would hold for any message. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"
      })
  void anIdentityOfSmallOrderIsRefused(String point) {
    byte[] key = Arrays.copyOf(IDENTITY.publicKey(), Handshake.KEY_BYTES);
    byte[] bytes = HexFormat.of().parseHex(point);
    System.arraycopy(bytes, 0, key, POINT, bytes.length);
    refused(hello(key, FEWEST, IPV4), "of small order");
  }

  @Test
  void aCountOfProofsIsShownAsItCame() {
    byte[] proof = Handshake.encode(new Handshake.Proof(new byte[64], List.of()));
    proof[proof.length - 1] = (byte) 255;
    assertThatExceptionOfType(ProtocolException.class)
        .isThrownBy(() -> Handshake.proof(proof))
        .withMessage("expected 0 to 2 proofs of a secret, got 255");
  }
}
