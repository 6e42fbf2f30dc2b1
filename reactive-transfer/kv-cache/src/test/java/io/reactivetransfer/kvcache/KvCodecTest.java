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

class KvCodecTest {

  private static final KvLayout LAYOUT = new KvLayout(61, 300, 4096);

  private static RegionDescriptor region(long length) {
    PeerAddress owner = new PeerAddress("tcp", new EngineId(1, 2), new HostPort("decode-3", 7400));
    return new RegionDescriptor(owner, 1, length, Access.REMOTE_WRITE, List.of(new byte[] {9, 9}));
  }

  private static KvMessage.Request request(int pages) {
    return new KvMessage.Request(
        -7,
        Imm.of(Imm.MAX_VALUE),
        LAYOUT,
        region(LAYOUT.bytes()),
        PageList.range(300 - pages, pages),
        new KvMessage.Tail(region(1000), 10, 990),
        Duration.ofSeconds(60),
        ByteBuffer.wrap("once upon a time".getBytes(StandardCharsets.US_ASCII)));
  }

  static Stream<KvMessage> messages() {
    return Stream.of(
        request(256),
        new KvMessage.Cancel(Long.MAX_VALUE),
        new KvMessage.End(5, KvMessage.Outcome.REFUSED, true, 0, "no such model"),
        new KvMessage.End(6, KvMessage.Outcome.CANCELLED, false, 1234, ""),
        new KvMessage.End(7, KvMessage.Outcome.FAILED, true, KvMessage.End.UNKNOWN, "nic \u00fc"),
        new KvMessage.End(8, KvMessage.Outcome.NOT_RUNNING, false, KvMessage.End.UNKNOWN, "x"));
  }

  @ParameterizedTest
  @MethodSource("messages")
  void readsWhatItWrote(KvMessage message) {
    ByteBuffer bytes = KvCodec.encode(message);
    assertThat(KvCodec.claims(bytes)).isTrue();
    KvMessage read = KvCodec.decode(bytes);
    if (message instanceof KvMessage.Request before && read instanceof KvMessage.Request after) {
      assertThat(after.pages().toArray()).isEqualTo(before.pages().toArray());
      assertThat(after).usingRecursiveComparison().ignoringFields("pages").isEqualTo(before);
    } else {
      assertThat(read).isEqualTo(message);
    }
  }

  @Test
  void aRequestFor256PagesTakesLittleMoreThanAKibibyte() {
    assertThat(KvCodec.encode(request(256)).remaining()).isBetween(1024, 1400);
  }

  @Test
  void theBytesAreStable() {
    ByteBuffer bytes = KvCodec.encode(new KvMessage.Cancel(0x0102030405060708L));
    byte[] actual = new byte[bytes.remaining()];
    bytes.get(actual);
    assertThat(actual).startsWith('R', 'T', 'K', 1, 2, 1, 2, 3, 4, 5, 6, 7, 8).hasSize(17);
  }

  @ParameterizedTest
  @MethodSource("messages")
  void everyTruncationIsAClearError(KvMessage message) {
    ByteBuffer bytes = KvCodec.encode(message);
    for (int length = 0; length < bytes.limit(); length++) {
      ByteBuffer cut = bytes.slice(0, length);
      assertThatThrownBy(() -> KvCodec.decode(cut))
          .isInstanceOf(KvFormatException.class)
          .hasMessageStartingWith("not a KV-cache message: expected");
    }
  }

  @Test
  void everyFlippedBitIsSeen() {
    byte[] bytes = KvCodec.encode(request(3)).array();
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      byte[] damaged = bytes.clone();
      damaged[bit / 8] ^= (byte) (1 << (bit % 8));
      assertThatThrownBy(() -> KvCodec.decode(ByteBuffer.wrap(damaged)))
          .isInstanceOf(KvFormatException.class);
    }
  }

  /** A hostile sender gets the checksum right, so each field has to defend itself. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void mutationsWithAGoodChecksumAreReadOrRefusedAndNothingElse(long seed) {
    Random random = new Random(seed);
    List<byte[]> originals = messages().map(message -> KvCodec.encode(message).array()).toList();
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = mutate(originals.get(random.nextInt(originals.size())), random);
      try {
        KvMessage message = KvCodec.decode(ByteBuffer.wrap(bytes));
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

  private static void requireSane(KvMessage message) {
    if (message instanceof KvMessage.Request request) {
      assertThat(request.layout().bytes()).isBetween(1L, request.memory().length());
      assertThat(request.pages().largest()).isLessThan(request.layout().poolPages());
      KvMessage.Tail tail = request.tail();
      assertThat(tail.offset()).isBetween(0L, tail.region().length());
      assertThat(tail.length()).isBetween(0L, tail.region().length() - tail.offset());
      assertThat(request.deadline()).isPositive();
    } else if (message instanceof KvMessage.End end) {
      assertThat(end.text()).doesNotContainPattern("[\\p{C}\\p{Zl}\\p{Zp}]");
    }
  }

  @Test
  void saysWhichVersionCame() {
    byte[] bytes = KvCodec.encode(new KvMessage.Cancel(1)).array();
    bytes[3] = 2;
    assertThatThrownBy(() -> KvCodec.decode(ByteBuffer.wrap(reseal(bytes))))
        .hasMessage("not a KV-cache message: expected version 1, got version 2");
  }

  @Test
  void aHugePageCountAllocatesNothing() {
    byte[] bytes = KvCodec.encode(request(2)).array();
    int count = bytes.length - 4 - 2 * 4 - 4;
    ByteBuffer.wrap(bytes).putInt(count, Integer.MAX_VALUE);
    assertThatThrownBy(() -> KvCodec.decode(ByteBuffer.wrap(reseal(bytes))))
        .hasMessage("not a KV-cache message: expected 1 to 2 as number of pages, got 2147483647");
  }

  @Test
  void textOfAnEndIsCutAndCannotMoveTheCursor() {
    String text = "\u001b[2J\n" + "x".repeat(600);
    KvMessage.End end = new KvMessage.End(1, KvMessage.Outcome.FAILED, true, -1, text);
    KvMessage.End read = (KvMessage.End) KvCodec.decode(KvCodec.encode(end));
    assertThat(read.text()).startsWith("?[2J?x").hasSize(KvMessage.End.MAX_TEXT_BYTES);
  }

  @Test
  void otherProtocolsAreNotClaimed() {
    assertThat(KvCodec.claims(ByteBuffer.wrap(new byte[] {'R', 'T'}))).isFalse();
    assertThat(KvCodec.claims(ByteBuffer.wrap("RTD...".getBytes(StandardCharsets.US_ASCII))))
        .isFalse();
  }

  @Test
  void aBodyThatDoesNotFitIsRefusedWhenWritten() {
    KvMessage.Request small = request(1);
    KvMessage.Request large =
        new KvMessage.Request(
            1,
            small.imm(),
            small.layout(),
            small.memory(),
            small.pages(),
            small.tail(),
            small.deadline(),
            ByteBuffer.allocate(65_536));
    assertThatThrownBy(() -> KvCodec.encode(large))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected a body of at most 65535 bytes, got 65536");
  }
}
