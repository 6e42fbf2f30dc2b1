package io.reactivetransfer.weights.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.RegionDescriptor;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** The bytes of messages between ranks of a trainer, and that others are refused. */
class GatherCodecTest {

  private static final RegionDescriptor DESCRIPTOR =
      new RegionDescriptor(
          new PeerAddress("loopback", new EngineId(1, 2), new HostPort("localhost", 1)),
          7,
          4096,
          Access.REMOTE_WRITE,
          List.of(new byte[] {1, 2, 3}));

  private static final List<GatherMessage> MESSAGES =
      List.of(
          new GatherMessage.Ask(
              5, List.of(new GatherMessage.AskedStep(1, 64), new GatherMessage.AskedStep(9, 128))),
          new GatherMessage.Temporaries(-1, DESCRIPTOR),
          new GatherMessage.Grant(6, 9, 4096, 77),
          new GatherMessage.Failed(7, "why"));

  @Test
  void whatIsWrittenIsRead() {
    for (GatherMessage message : MESSAGES) {
      assertThat(GatherCodec.decode(GatherCodec.encode(message))).isEqualTo(message);
    }
  }

  @Test
  void theBytesAreThoseOfTheDocument() {
    ByteBuffer bytes = GatherCodec.encode(new GatherMessage.Grant(6, 9, 4096, 77));
    assertThat(HexFormat.of().formatHex(bytes.array(), 0, 30))
        .isEqualTo(
            "0103" + "0000000000000006" + "0000000000000009" + "0000000000001000" + "0000004d");
    CRC32C checksum = new CRC32C();
    checksum.update(bytes.array(), 0, 30);
    assertThat(bytes.getInt(30)).isEqualTo((int) checksum.getValue());
  }

  @Test
  void anotherVersionIsRefused() {
    ByteBuffer bytes = GatherCodec.encode(MESSAGES.getLast());
    bytes.put(0, (byte) 2);
    assertThatThrownBy(() -> GatherCodec.decode(bytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected version 1, got 2");
  }

  @Test
  void anythingElseIsRefusedAndNothingElseIsThrown() {
    Random random = new Random(9);
    for (int round = 0; round < 20_000; round++) {
      ByteBuffer good = GatherCodec.encode(MESSAGES.get(random.nextInt(MESSAGES.size())));
      byte[] bytes = new byte[Math.max(0, good.remaining() + random.nextInt(-8, 9))];
      good.get(bytes, 0, Math.min(bytes.length, good.remaining()));
      for (int i = 0; i < random.nextInt(4) && bytes.length > 0; i++) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      if (random.nextBoolean() && bytes.length > 4) {
        // With a checksum that is right, so that what is behind it is looked at.
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, 0, bytes.length - 4);
        ByteBuffer.wrap(bytes).putInt(bytes.length - 4, (int) checksum.getValue());
      }
      try {
        GatherMessage read = GatherCodec.decode(ByteBuffer.wrap(bytes));
        assertThat(GatherCodec.encode(read).remaining()).isPositive();
      } catch (IllegalArgumentException refused) {
        assertThat(refused.getMessage()).isNotEmpty();
      }
    }
  }
}
