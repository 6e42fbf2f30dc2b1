package io.reactivetransfer.weights.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.Imm;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.TraceContext;
import io.reactivetransfer.weights.check.ChecksumScope;
import io.reactivetransfer.weights.run.RunProgress;
import io.reactivetransfer.weights.run.StageProgress;
import io.reactivetransfer.weights.version.RankTarget;
import io.reactivetransfer.weights.version.UpdateNumber;
import io.reactivetransfer.weights.version.WriteOrder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** The bytes of what a controller and its trainers say, and that others are refused. */
class RemoteCodecTest {

  private static final UpdateNumber UPDATE = new UpdateNumber(3, 0xabcdefL, 5);

  private static final RegionDescriptor REGION =
      new RegionDescriptor(
          new PeerAddress("tcp", new EngineId(1, 2), new HostPort("rank-0", 7400)),
          1,
          64,
          Access.REMOTE_WRITE,
          List.of(new byte[] {9, 9}));

  private static final RunProgress RUN =
      new RunProgress(
          RunNumber.of(UPDATE),
          9,
          1L << 40,
          new StageProgress(1, 2, 3),
          new StageProgress(4, 5, 6),
          new StageProgress(7, 8, 9),
          new StageProgress(10, 11, 12),
          13,
          14,
          15);

  static final List<RemoteMessage> MESSAGES =
      List.of(
          new RemoteMessage.Start(
              new WriteOrder(
                  UPDATE,
                  12,
                  List.of(new RankTarget("rank-ä", List.of(REGION), new Imm(1 << 28), 4_000)),
                  TraceContext.of(Map.of("traceparent", "00-1-2-01"))),
              ChecksumScope.allOf("qkv", "norm")),
          new RemoteMessage.Stop(UPDATE),
          new RemoteMessage.Ask(UPDATE),
          new RemoteMessage.Accepted(UPDATE, "trainer-0"),
          new RemoteMessage.Progress(UPDATE, "trainer-0", RUN),
          new RemoteMessage.Done(UPDATE, "trainer-0", RUN),
          new RemoteMessage.Failed(UPDATE, "trainer-0", "out of memory"));

  static byte[] bytes(RemoteMessage message) {
    ByteBuffer encoded = RemoteCodec.encode(message);
    byte[] bytes = new byte[encoded.remaining()];
    encoded.get(bytes);
    return bytes;
  }

  static RemoteMessage decode(RemoteMessage like, byte[] bytes) {
    Function<ByteBuffer, RemoteMessage> codec =
        like instanceof RemoteMessage.Order ? RemoteCodec::decodeOrder : RemoteCodec::decodeAnswer;
    return codec.apply(ByteBuffer.wrap(bytes));
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
    for (RemoteMessage message : MESSAGES) {
      assertThat(decode(message, bytes(message))).isEqualTo(message);
    }
  }

  @Test
  void theBytesAreThoseOfTheDocument() {
    assertThat(HexFormat.of().formatHex(bytes(MESSAGES.get(3))))
        .isEqualTo(
            "0304"
                + "0000000000000003"
                + "0000000000abcdef"
                + "0000000000000005"
                + "09"
                + HexFormat.of().formatHex("trainer-0".getBytes(StandardCharsets.UTF_8))
                + "f3d845fb");
  }

  @Test
  void everyTruncationAndEveryBitThatFlipsIsRefused() {
    for (RemoteMessage message : MESSAGES) {
      byte[] good = bytes(message);
      for (int length = 0; length < good.length; length++) {
        byte[] shorter = Arrays.copyOf(good, length);
        assertThatThrownBy(() -> decode(message, shorter))
            .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> decode(message, sealed(shorter)))
            .isInstanceOf(IllegalArgumentException.class);
      }
      for (int bit = 0; bit < good.length * 8; bit++) {
        byte[] flipped = good.clone();
        flipped[bit / 8] ^= (byte) (1 << bit % 8);
        assertThatThrownBy(() -> decode(message, flipped))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageStartingWith("not a message of weights: expected");
      }
    }
  }

  @Test
  void anotherVersionSaysBoth() {
    byte[] newer = bytes(MESSAGES.getLast());
    newer[0] = 4;
    assertThatThrownBy(() -> decode(MESSAGES.getLast(), sealed(newer)))
        .hasMessageContaining("expected version 3, got version 4");
  }

  @Test
  void whatATracerSendsAlongIsLeftOutWhereAMessageWouldBeTooLong() {
    RemoteMessage.Start start = (RemoteMessage.Start) MESSAGES.getFirst();
    int length = bytes(start).length;
    RemoteRun fits = new RemoteRun(null, start.order(), start.checksums(), length);
    assertThat(fits.start()).isEqualTo(start);
    RemoteRun wouldNot = new RemoteRun(null, start.order(), start.checksums(), length - 1);
    assertThat(wouldNot.start().order().traceContext().isEmpty()).isTrue();
    assertThat(wouldNot.start().order().targets()).isEqualTo(start.order().targets());
  }

  @Test
  void numbersOfRunsDiffer() {
    assertThat(
            List.of(
                    new UpdateNumber(1, 1, 1),
                    new UpdateNumber(1, 1, 2),
                    new UpdateNumber(2, 1, 1),
                    new UpdateNumber(1, 2, 1),
                    UpdateNumber.NONE)
                .stream()
                .map(RunNumber::of))
        .doesNotHaveDuplicates();
  }
}
