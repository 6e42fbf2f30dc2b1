package io.reactivetransfer.kvcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.Imm;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.RegionDescriptor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class OldCodecTest {

  private static final OldLayout LAYOUT = new OldLayout(61, 300, 4096);

  private static RegionDescriptor region(long length) {
    PeerAddress owner = new PeerAddress("tcp", new EngineId(1, 2), new HostPort("decode-3", 7400));
    return new RegionDescriptor(owner, 1, length, Access.REMOTE_WRITE, List.of(new byte[] {9, 9}));
  }

  private static OldMessage.Request request(int pages) {
    return new OldMessage.Request(
        -7,
        Imm.of(Imm.MAX_VALUE),
        LAYOUT,
        region(LAYOUT.bytes()),
        PageList.range(300 - pages, pages),
        new OldMessage.Tail(region(1000), 10, 990),
        Duration.ofSeconds(60),
        ByteBuffer.wrap("once upon a time".getBytes(StandardCharsets.US_ASCII)));
  }

  static Stream<OldMessage> messages() {
    return Stream.of(
        request(256),
        new OldMessage.Cancel(Long.MAX_VALUE),
        new OldMessage.End(5, OldMessage.Outcome.REFUSED, true, 0, "no such model"),
        new OldMessage.End(6, OldMessage.Outcome.CANCELLED, false, 1234, ""),
        new OldMessage.End(
            7, OldMessage.Outcome.FAILED, true, OldMessage.End.UNKNOWN, "nic \u00fc"),
        new OldMessage.End(8, OldMessage.Outcome.NOT_RUNNING, false, OldMessage.End.UNKNOWN, "x"));
  }

  @ParameterizedTest
  @MethodSource("messages")
  void readsWhatItWrote(OldMessage message) {
    ByteBuffer bytes = OldCodec.encode(message);
    assertThat(OldCodec.claims(bytes)).isTrue();
    OldMessage read = OldCodec.decode(bytes);
    if (message instanceof OldMessage.Request before && read instanceof OldMessage.Request after) {
      assertThat(after.pages().toArray()).isEqualTo(before.pages().toArray());
      assertThat(after).usingRecursiveComparison().ignoringFields("pages").isEqualTo(before);
    } else {
      assertThat(read).isEqualTo(message);
    }
  }

  @Test
  void aRequestFor256PagesTakesLittleMoreThanAKibibyte() {
    assertThat(OldCodec.encode(request(256)).remaining()).isBetween(1024, 1400);
  }

  @Test
  void theBytesAreStable() {
    ByteBuffer bytes = OldCodec.encode(new OldMessage.Cancel(0x0102030405060708L));
    byte[] actual = new byte[bytes.remaining()];
    bytes.get(actual);
    assertThat(actual).startsWith('R', 'T', 'K', 1, 2, 1, 2, 3, 4, 5, 6, 7, 8).hasSize(17);
  }

  @ParameterizedTest
  @MethodSource("messages")
  void everyTruncationIsAClearError(OldMessage message) {
    ByteBuffer bytes = OldCodec.encode(message);
    for (int length = 0; length < bytes.limit(); length++) {
      ByteBuffer cut = bytes.slice(0, length);
      assertThatThrownBy(() -> OldCodec.decode(cut))
          .isInstanceOf(KvFormatException.class)
          .hasMessageStartingWith("not a KV-cache message: expected");
    }
  }

  @Test
  void everyFlippedBitIsSeen() {
    byte[] bytes = OldCodec.encode(request(3)).array();
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      byte[] damaged = bytes.clone();
      damaged[bit / 8] ^= (byte) (1 << (bit % 8));
      assertThatThrownBy(() -> OldCodec.decode(ByteBuffer.wrap(damaged)))
          .isInstanceOf(KvFormatException.class);
    }
  }

  /** A hostile sender gets the checksum right, so each field has to defend itself. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void mutationsWithAGoodChecksumAreReadOrRefusedAndNothingElse(long seed) {
    Random random = new Random(seed);
    List<byte[]> originals = messages().map(message -> OldCodec.encode(message).array()).toList();
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = mutate(originals.get(random.nextInt(originals.size())), random);
      try {
        OldMessage message = OldCodec.decode(ByteBuffer.wrap(bytes));
        requireSane(message);
      } catch (KvFormatException e) {
        assertThat(e).hasMessageStartingWith("not a KV-cache message: ");
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(1_000);
  }

  private static byte[] mutate(byte[] original, Random random) {
    int length = random.nextInt(4) == 0 ? 17 + random.nextInt(original.length) : original.length;
    byte[] bytes = Arrays.copyOf(original, length);
    // Past the version, so that most of them reach the fields.
    for (int flips = random.nextInt(4); flips >= 0; flips--) {
      int at = 4 + random.nextInt(Math.min(length, 120) - 4);
      bytes[at] = random.nextBoolean() ? (byte) random.nextInt() : (byte) 0xff;
    }
    return reseal(bytes);
  }

  private static byte[] reseal(byte[] bytes) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, 0, bytes.length - 4);
    ByteBuffer.wrap(bytes).putInt(bytes.length - 4, (int) checksum.getValue());
    return bytes;
  }

  private static void requireSane(OldMessage message) {
    if (message instanceof OldMessage.Request request) {
      assertThat(request.layout().bytes()).isBetween(1L, request.memory().length());
      assertThat(request.pages().largest()).isLessThan(request.layout().poolPages());
      OldMessage.Tail tail = request.tail();
      assertThat(tail.offset()).isBetween(0L, tail.region().length());
      assertThat(tail.length()).isBetween(0L, tail.region().length() - tail.offset());
      assertThat(request.deadline()).isPositive();
    } else if (message instanceof OldMessage.End end) {
      assertThat(end.text()).doesNotContainPattern("[\\p{C}\\p{Zl}\\p{Zp}]");
    }
  }

  @Test
  void saysWhichVersionCame() {
    byte[] bytes = OldCodec.encode(new OldMessage.Cancel(1)).array();
    bytes[3] = 2;
    assertThatThrownBy(() -> OldCodec.decode(ByteBuffer.wrap(reseal(bytes))))
        .hasMessage("not a KV-cache message: expected version 1, got version 2");
  }

  @Test
  void aHugePageCountAllocatesNothing() {
    byte[] bytes = OldCodec.encode(request(2)).array();
    int count = bytes.length - 4 - 2 * 4 - 4;
    ByteBuffer.wrap(bytes).putInt(count, Integer.MAX_VALUE);
    assertThatThrownBy(() -> OldCodec.decode(ByteBuffer.wrap(reseal(bytes))))
        .hasMessage("not a KV-cache message: expected 1 to 2 as number of pages, got 2147483647");
  }

  @Test
  void textOfAnEndIsCutAndCannotMoveTheCursor() {
    String text = "\u001b[2J\n" + "x".repeat(600);
    OldMessage.End end = new OldMessage.End(1, OldMessage.Outcome.FAILED, true, -1, text);
    OldMessage.End read = (OldMessage.End) OldCodec.decode(OldCodec.encode(end));
    assertThat(read.text()).startsWith("?[2J?x").hasSize(OldMessage.End.MAX_TEXT_BYTES);
  }

  @Test
  void otherProtocolsAreNotClaimed() {
    assertThat(OldCodec.claims(ByteBuffer.wrap(new byte[] {'R', 'T'}))).isFalse();
    assertThat(OldCodec.claims(ByteBuffer.wrap("RTD...".getBytes(StandardCharsets.US_ASCII))))
        .isFalse();
  }

  @Test
  void aBodyThatDoesNotFitIsRefusedWhenWritten() {
    OldMessage.Request small = request(1);
    OldMessage.Request large =
        new OldMessage.Request(
            1,
            small.imm(),
            small.layout(),
            small.memory(),
            small.pages(),
            small.tail(),
            small.deadline(),
            ByteBuffer.allocate(65_536));
    assertThatThrownBy(() -> OldCodec.encode(large))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected a body of at most 65535 bytes, got 65536");
  }
}
