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

  static final List<GatherMessage> MESSAGES =
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

  /** It goes into the errors and logs of others. */
  @Test
  void whyARunHasEndedIsShownWithoutWhatMovesACursor() {
    GatherMessage.Failed failed = new GatherMessage.Failed(7, "no\n\u001b[2Jroom");
    assertThat(GatherCodec.decode(GatherCodec.encode(failed)))
        .isEqualTo(new GatherMessage.Failed(7, "no??[2Jroom"));
  }
}
