package io.reactivetransfer.weights.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.weights.version.UpdateNumber;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** The bytes of messages about sums, and that others are refused. */
class SumCodecTest {

  private static final UpdateNumber UPDATE = new UpdateNumber(3, 0xabcdefL, 5);

  static final List<SumMessage> MESSAGES =
      List.of(
          new SumMessage(UPDATE, "t", 4_000, 0, 0, List.of()),
          new SumMessage(
              UPDATE,
              "t",
              7,
              1,
              0,
              List.of(
                  new SumMessage.OfTensor(
                      "w", List.of(new SumMessage.Sum(1, 4_096, 64, 2, 128, 0xcafebabe))))),
          new SumMessage(
              UPDATE,
              "trainer-ä",
              1,
              9,
              5,
              List.of(
                  new SumMessage.OfTensor(
                      "qkv",
                      List.of(
                          new SumMessage.Sum(0, 0, 1, 1, 1, 0),
                          new SumMessage.Sum(2, 1L << 40, 1L << 32, 3, 1L << 33, -1))),
                  new SumMessage.OfTensor(
                      "norm", List.of(new SumMessage.Sum(0, 9, 8, 1, 8, 17))))));

  static byte[] bytes(SumMessage message) {
    ByteBuffer encoded = SumCodec.encode(message);
    byte[] bytes = new byte[encoded.remaining()];
    encoded.get(bytes);
    return bytes;
  }

  static SumMessage decode(byte[] bytes) {
    return SumCodec.decode(ByteBuffer.wrap(bytes));
  }

  static byte[] sealed(byte[] bytes) {
    byte[] sealed = bytes.clone();
    if (sealed.length >= Integer.BYTES) {
      int end = sealed.length - Integer.BYTES;
      CRC32C checksum = new CRC32C();
      checksum.update(sealed, 0, end);
      ByteBuffer.wrap(sealed).putInt(end, (int) checksum.getValue());
    }
    return sealed;
  }

  @Test
  void whatIsWrittenIsRead() {
    for (SumMessage message : MESSAGES) {
      assertThat(decode(bytes(message))).isEqualTo(message);
    }
  }

  @Test
  void theBytesAreThoseOfTheDocument() {
    byte[] bytes = bytes(MESSAGES.get(1));
    assertThat(HexFormat.of().formatHex(bytes, 0, bytes.length - Integer.BYTES))
        .isEqualTo(
            "0101"
                + "0000000000000003"
                + "0000000000abcdef"
                + "0000000000000005"
                + "0174"
                + "0000000000000007"
                + "00000001"
                + "00000000"
                + "00000001"
                + "0177"
                + "00000001"
                + "00000001"
                + "0000000000001000"
                + "0000000000000040"
                + "0000000000000002"
                + "0000000000000080"
                + "cafebabe");
  }

  @Test
  void everyTruncationAndEveryBitThatFlipsIsRefused() {
    for (SumMessage message : MESSAGES) {
      byte[] good = bytes(message);
      for (int length = 0; length < good.length; length++) {
        byte[] shorter = Arrays.copyOf(good, length);
        assertThatThrownBy(() -> decode(shorter)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> decode(sealed(shorter)))
            .isInstanceOf(IllegalArgumentException.class);
      }
      for (int bit = 0; bit < good.length * 8; bit++) {
        byte[] flipped = good.clone();
        flipped[bit / 8] ^= (byte) (1 << bit % 8);
        assertThatThrownBy(() -> decode(flipped))
            .hasMessageStartingWith("not a message of weights: expected");
      }
    }
  }

  @Test
  void rowsThatOverlapAndMoreSumsThanThereAreAreRefused() {
    SumMessage.Sum overlapping = new SumMessage.Sum(0, 0, 64, 2, 63, 0);
    assertThatThrownBy(() ->
            decode(
                bytes(
                    new SumMessage(
                        UPDATE,
                        "t",
                        1,
                        1,
                        0,
                        List.of(new SumMessage.OfTensor("w", List.of(overlapping)))))))
        .hasMessageContaining("expected rows of 64 bytes apart, got a stride of 63");
    SumMessage.OfTensor two =
        new SumMessage.OfTensor(
            "w",
            List.of(new SumMessage.Sum(0, 0, 1, 1, 1, 0), new SumMessage.Sum(0, 1, 1, 1, 1, 0)));
    assertThatThrownBy(() -> decode(bytes(new SumMessage(UPDATE, "t", 1, 9, 8, List.of(two)))))
        .hasMessageContaining("expected at most 1 sums behind 8, got 2");
  }
}
