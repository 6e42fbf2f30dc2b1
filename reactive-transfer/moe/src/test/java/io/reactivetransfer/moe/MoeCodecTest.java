package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.RegionDescriptor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class MoeCodecTest {

  static final List<MoeMessage> MESSAGES =
      List.of(
          new MoeMessage.Join(
              group(3),
              3,
              true,
              0x123456789abcdefL,
              "a shape",
              "some ranks",
              1 << 28,
              descriptor()),
          new MoeMessage.Join(
              new GroupEpoch("ü", Long.MAX_VALUE), 0, false, -1, "", "", 0, descriptor()),
          new MoeMessage.GiveUp(group(2), 7, 19, "was lost"),
          new MoeMessage.GiveUp(group(0), -1, MoeMessage.NOT_HEARD, ""),
          new MoeMessage.Leave(group(1), List.of(5L, 0L, Long.MAX_VALUE)),
          new MoeMessage.Ask(group(1), 1),
          new MoeMessage.Tell(group(1), 63, 4 * 17 + 2));

  private static GroupEpoch group(long epoch) {
    return new GroupEpoch("layers/1", epoch);
  }

  private static RegionDescriptor descriptor() {
    PeerAddress owner = new PeerAddress("tcp", new EngineId(1, 2), HostPort.parse("10.0.0.1:4711"));
    return new RegionDescriptor(owner, 9, 4_096, Access.REMOTE_WRITE, List.of(new byte[] {1, 2}));
  }

  static byte[] bytes(MoeMessage message) {
    ByteBuffer encoded = MoeCodec.encode(message);
    byte[] bytes = new byte[encoded.remaining()];
    encoded.get(bytes);
    return bytes;
  }

  /** With the checksum that belongs to what is before it. */
  static byte[] sealed(byte[] bytes) {
    if (bytes.length < Integer.BYTES) {
      return bytes;
    }
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, 0, bytes.length - Integer.BYTES);
    byte[] sealed = bytes.clone();
    ByteBuffer.wrap(sealed).putInt(bytes.length - Integer.BYTES, (int) checksum.getValue());
    return sealed;
  }

  @ParameterizedTest
  @FieldSource("MESSAGES")
  void whatIsWrittenIsRead(MoeMessage message) {
    assertThat(MoeCodec.decode(ByteBuffer.wrap(bytes(message)))).isEqualTo(message);
  }

  @ParameterizedTest
  @FieldSource("MESSAGES")
  void whatIsCutShortOrDamagedIsRefused(MoeMessage message) {
    byte[] bytes = bytes(message);
    for (int length = 0; length < bytes.length; length++) {
      ByteBuffer cut = ByteBuffer.wrap(Arrays.copyOf(bytes, length));
      assertThatThrownBy(() -> MoeCodec.decode(cut))
          .isInstanceOf(MoeFormatException.class)
          .hasMessageStartingWith("not a message of experts: expected ");
      ByteBuffer sealedCut = ByteBuffer.wrap(sealed(Arrays.copyOf(bytes, length)));
      assertThatThrownBy(() -> MoeCodec.decode(sealedCut)).isInstanceOf(MoeFormatException.class);
    }
    for (int i = 0; i < bytes.length; i++) {
      byte[] damaged = bytes.clone();
      damaged[i] ^= 0x10;
      assertThatThrownBy(() -> MoeCodec.decode(ByteBuffer.wrap(damaged)))
          .isInstanceOf(MoeFormatException.class);
    }
  }

  @Test
  void theBytesAreThoseOfTheDocumentation() {
    assertThat(HexFormat.of().formatHex(bytes(MESSAGES.get(2))))
        .isEqualTo(
            "0202086c61796572732f3100000000000000020000000700000013"
                + "0008776173206c6f7374"
                + "d3b33dd5");
  }

  @Test
  void anotherVersionIsNamed() {
    byte[] bytes = bytes(MESSAGES.get(2));
    bytes[0] = 1;
    assertThatThrownBy(() -> MoeCodec.decode(ByteBuffer.wrap(sealed(bytes))))
        .hasMessage(
            "not a message of experts: expected version 2, got 1;"
                + " let all processes run the same release");
  }

  @Test
  void aLongReasonIsCutBetweenTwoCharacters() {
    MoeMessage.GiveUp read =
        (MoeMessage.GiveUp)
            MoeCodec.decode(
                ByteBuffer.wrap(
                    bytes(new MoeMessage.GiveUp(group(0), 0, 0, "x" + "ü".repeat(4_000)))));
    assertThat(read.why()).isEqualTo("x" + "ü".repeat((MoeMessage.MAX_TEXT_BYTES - 1) / 2));
  }
}
