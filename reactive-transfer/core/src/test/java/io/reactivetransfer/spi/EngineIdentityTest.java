package io.reactivetransfer.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.reactivetransfer.EngineId;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Nobody speaks under the id of another. */
class EngineIdentityTest {

  private static final HexFormat HEX = HexFormat.of();

  /** RFC 8032, section 7.1, test 2; before the key, the prefix of RFC 8410, section 4. */
  private static final byte[] RFC_KEY =
      HEX.parseHex(
          "302a300506032b6570032100"
              + "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");

  private static final byte[] RFC_MESSAGE = {0x72};

  private static final byte[] RFC_SIGNATURE =
      HEX.parseHex(
          "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
              + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");

  /** The first 16 bytes of the SHA-256 of these 44, by another program. */
  private static final EngineId RFC_ID = new EngineId(0xdeb2ded39dc26fceL, 0x0e6085b6fc34bf6bL);

  private static byte[] message(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void isTheHashOfItsKey() {
    assertThat(EngineIdentity.idOf(RFC_KEY)).isEqualTo(RFC_ID);
  }

  @Test
  void verifiesWhatTheStandardSays() {
    assertThat(EngineIdentity.verify(RFC_ID, RFC_KEY, RFC_MESSAGE, RFC_SIGNATURE)).isTrue();
  }

  @Test
  void whatItSignsIsVerified() {
    EngineIdentity identity = EngineIdentity.draw();
    assertThat(identity.isProvable()).isTrue();
    assertThat(identity.publicKey()).hasSize(44);
    assertThat(EngineIdentity.idOf(identity.publicKey())).isEqualTo(identity.id());
    for (byte[] message : new byte[][] {{}, message("hello"), new byte[10_000]}) {
      byte[] signature = identity.sign(message);
      assertThat(signature).hasSize(64);
      assertThat(EngineIdentity.verify(identity.id(), identity.publicKey(), message, signature))
          .isTrue();
    }
  }

  @Test
  void everyoneHasItsOwn() {
    assertThat(Stream.generate(EngineIdentity::draw).limit(10).map(EngineIdentity::id))
        .doesNotHaveDuplicates();
  }

  @Test
  void aChangeOfAnyByteIsFoundOut() {
    byte[][] parts = {RFC_KEY, RFC_MESSAGE, RFC_SIGNATURE};
    for (int part = 0; part < parts.length; part++) {
      for (int at = 0; at < parts[part].length; at++) {
        byte[][] changed = parts.clone();
        changed[part] = parts[part].clone();
        changed[part][at] ^= 1;
        assertThat(EngineIdentity.verify(RFC_ID, changed[0], changed[1], changed[2]))
            .as("byte %d of part %d", at, part)
            .isFalse();
      }
    }
  }

  /** It proves that it has its own key, and gives another one's id. */
  @Test
  void theIdOfAnotherIsNotProven() {
    EngineIdentity thief = EngineIdentity.draw();
    EngineIdentity owner = EngineIdentity.draw();
    byte[] message = message("it is me");
    byte[] signature = thief.sign(message);
    assertThat(EngineIdentity.verify(owner.id(), thief.publicKey(), message, signature)).isFalse();
    assertThat(EngineIdentity.verify(owner.id(), owner.publicKey(), message, signature)).isFalse();
  }

  @Test
  void bytesThatAreNoKeyOrNoSignatureProveNothing() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      byte[] key = new byte[random.nextInt(100)];
      byte[] signature = new byte[random.nextInt(100)];
      random.nextBytes(key);
      random.nextBytes(signature);
      byte[] noKey = random.nextBoolean() ? key : Arrays.copyOf(RFC_KEY, random.nextInt(44));
      assertThat(EngineIdentity.verify(EngineIdentity.idOf(noKey), noKey, RFC_MESSAGE, signature))
          .as("seed %d, round %d", seed, i)
          .isFalse();
      assertThat(EngineIdentity.verify(RFC_ID, RFC_KEY, RFC_MESSAGE, signature)).isFalse();
    }
  }

  @Test
  void withAnIdAloneItProvesNothing() {
    EngineIdentity identity = EngineIdentity.of(new EngineId(1, 2));
    assertThat(identity.id()).isEqualTo(new EngineId(1, 2));
    assertThat(identity.isProvable()).isFalse();
    assertThat(identity.publicKey()).isEmpty();
    assertThatIllegalStateException()
        .isThrownBy(() -> identity.sign(RFC_MESSAGE))
        .withMessageContaining("an id alone");
    assertThat(EngineIdentity.verify(identity.id(), new byte[0], RFC_MESSAGE, RFC_SIGNATURE))
        .isFalse();
  }

  @Test
  void givesNobodyItsOwnArrayAndShowsNoKey() {
    EngineIdentity identity = EngineIdentity.draw();
    byte[] key = identity.publicKey();
    Arrays.fill(identity.publicKey(), (byte) 0);
    assertThat(identity.publicKey()).isEqualTo(key);
    assertThat(identity).hasToString("EngineIdentity[" + identity.id().toShortString() + "]");
  }

  @Test
  void itsTablesHaveASeedOfTheirOwnThatItAloneKnows() {
    EngineIdentity one = EngineIdentity.draw();
    assertThat(one.tableSeed()).isEqualTo(one.tableSeed());
    assertThat(Stream.generate(EngineIdentity::draw).limit(8).map(EngineIdentity::tableSeed))
        .as("of several, more than one")
        .anyMatch(seed -> seed != one.tableSeed());
    assertThat(EngineIdentity.of(one.id()).tableSeed()).isZero();
  }
}
