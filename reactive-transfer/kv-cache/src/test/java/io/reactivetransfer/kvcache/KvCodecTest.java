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
import io.reactivetransfer.TraceContext;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class KvCodecTest {

  static final KvLayout OPAQUE = KvLayout.opaque(61, 300, 4096);

  /** Two regions, parts that take turns, some layers of a model, and some of its heads. */
  static final KvLayout RANK =
      KvLayout.builder()
          .firstLayer(30)
          .layers(2)
          .pages(100)
          .pageTokens(16)
          .part(new KvPart("k", 4, 2, 128, 512, 128))
          .part(new KvPart("v \u00fc", 4, 2, 128, 512, 128))
          .places((layer, part) -> new KvPlace(layer - 30, 64 + part * 256L, 1 << 14))
          .build();

  static RegionDescriptor region(long length) {
    PeerAddress owner = new PeerAddress("tcp", new EngineId(1, 2), new HostPort("decode-3", 7400));
    return new RegionDescriptor(owner, 1, length, Access.REMOTE_WRITE, List.of(new byte[] {9, 9}));
  }

  private static KvMessage.Target target(
      KvLayout layout, @Nullable PageList pages, KvMessage.@Nullable Tail tail) {
    List<RegionDescriptor> regions =
        Stream.iterate(0, i -> i + 1)
            .limit(layout.regions())
            .map(i -> region(layout.bytes(i)))
            .toList();
    return new KvMessage.Target(layout, regions, pages, tail);
  }

  private static final KvMessage.Tail TAIL = new KvMessage.Tail(region(1000), 10, 990);

  private static final TraceContext TRACE =
      TraceContext.of(Map.of("traceparent", "00-1-2-01", "tracestate", "a=b"));

  private static KvMessage.Request request(KvMessage.Target target, KvSpan span, String body) {
    return request(target, span, body, TRACE);
  }

  private static KvMessage.Request request(
      KvMessage.Target target, KvSpan span, String body, TraceContext traceContext) {
    return new KvMessage.Request(
        -7,
        "decode-3",
        "llama \u00fc",
        target,
        new KvMessage.Imms(Imm.of(Imm.FIRST_LEASED), target.layout().layers() + 1),
        12_345,
        0x89abcdef,
        span,
        Duration.ofSeconds(60),
        traceContext,
        ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8)));
  }

  /** All pages of a layout but the first ones. */
  static KvMessage.Request request(int pages) {
    return request(
        target(OPAQUE, PageList.range(300 - pages, pages), TAIL),
        new KvSpan(7, pages),
        "once upon a time");
  }

  static Stream<KvMessage> messages() {
    return Stream.of(
        new KvMessage.Describe(1, "decode-3", "llama"),
        new KvMessage.Description(Long.MIN_VALUE, "prefill \u00fc", "llama", OPAQUE),
        new KvMessage.Description(3, "p", "m", RANK),
        request(256),
        request(target(RANK, PageList.of(99, 0, 7), null), new KvSpan(60, 30), ""),
        request(target(RANK, null, TAIL), new KvSpan(4_000, 0), "a full hit", TraceContext.NONE),
        new KvMessage.Cancel(Long.MAX_VALUE),
        new KvMessage.End(5, KvMessage.Outcome.REFUSED, true, 0, "no such model"),
        new KvMessage.End(6, KvMessage.Outcome.CANCELLED, false, 1234, ""),
        new KvMessage.End(7, KvMessage.Outcome.FAILED, true, KvMessage.End.UNKNOWN, "nic \u00fc"),
        new KvMessage.End(8, KvMessage.Outcome.NOT_RUNNING, false, KvMessage.End.UNKNOWN, "x"),
        new KvMessage.End(9, KvMessage.Outcome.DEADLINE, false, 17, "its time was over"));
  }

  static byte[] bytes(KvMessage message) {
    ByteBuffer encoded = KvCodec.encode(message);
    byte[] bytes = new byte[encoded.remaining()];
    encoded.get(bytes);
    return bytes;
  }

  private static KvMessage read(byte[] bytes) {
    return KvCodec.decode(ByteBuffer.wrap(bytes));
  }

  /** With the checksum that it should have. */
  static byte[] sealed(byte[] bytes) {
    if (bytes.length < Integer.BYTES) {
      return bytes;
    }
    byte[] sealed = bytes.clone();
    CRC32C checksum = new CRC32C();
    checksum.update(sealed, 0, sealed.length - Integer.BYTES);
    ByteBuffer.wrap(sealed).putInt(sealed.length - Integer.BYTES, (int) checksum.getValue());
    return sealed;
  }

  @ParameterizedTest
  @MethodSource("messages")
  void readsWhatItWrote(KvMessage message) {
    byte[] bytes = bytes(message);
    KvMessage read = read(bytes);
    assertThat(bytes(read)).isEqualTo(bytes);
    assertThat(read).isInstanceOf(message.getClass());
    if (message instanceof KvMessage.Request before && read instanceof KvMessage.Request after) {
      requireSame(before, after);
    } else {
      assertThat(read).isEqualTo(message);
    }
  }

  private static void requireSame(KvMessage.Request before, KvMessage.Request after) {
    assertThat(after.id()).isEqualTo(before.id());
    assertThat(after.node()).isEqualTo(before.node());
    assertThat(after.model()).isEqualTo(before.model());
    assertThat(after.imms()).isEqualTo(before.imms());
    assertThat(after.arrivals()).isEqualTo(before.arrivals());
    assertThat(after.layouts()).isEqualTo(before.layouts());
    assertThat(after.span()).isEqualTo(before.span());
    assertThat(after.deadline()).isEqualTo(before.deadline());
    assertThat(after.traceContext()).isEqualTo(before.traceContext());
    assertThat(after.body()).isEqualTo(before.body());
    assertThat(after.target().layout()).isEqualTo(before.target().layout());
    assertThat(after.target().regions()).isEqualTo(before.target().regions());
    assertThat(after.target().tail()).isEqualTo(before.target().tail());
    assertThat(indices(after.target().pages())).isEqualTo(indices(before.target().pages()));
  }

  private static int @Nullable [] indices(@Nullable PageList pages) {
    return pages == null ? null : pages.toArray();
  }

  @Test
  void aRequestFor256PagesOf61LayersTakesLittleMoreThanTwoKibibytes() {
    assertThat(bytes(request(256))).hasSizeBetween(2048, 2700);
  }

  @Test
  void theBytesAreStable() {
    assertThat(HexFormat.of().formatHex(bytes(new KvMessage.Cancel(0x0102030405060708L))))
        .startsWith("04" + "04" + "0102030405060708")
        .hasSize(2 * (1 + 1 + 8 + 4));
    assertThat(HexFormat.of().formatHex(bytes(new KvMessage.Describe(1, "d", "m"))))
        .startsWith("04" + "01" + "0000000000000001" + "0164" + "016d")
        .hasSize(2 * (1 + 1 + 8 + 2 + 2 + 4));
    KvLayout layout = KvLayout.contiguous(1, 2, 3, KvPart.whole("k", 4));
    assertThat(HexFormat.of().formatHex(bytes(new KvMessage.Description(1, "d", "m", layout))))
        .startsWith("04" + "02" + "0000000000000001" + "0164" + "016d" + "00000000" + "00000001")
        .contains("00000002" + "00000003" + "00000001" + "016b" + "00000000" + "00000001")
        .contains("00000004" + "0000000000000004" + "0000000000000004")
        .contains("00000000" + "0000000000000000" + "000000000000000c")
        .hasSize(2 * (1 + 1 + 8 + 2 + 2 + 20 + 30 + 20 + 4));
  }

  @Test
  void theBytesOfARequestAreStable() {
    KvLayout layout = KvLayout.contiguous(1, 2, 3, KvPart.whole("k", 4));
    KvMessage.Request request =
        new KvMessage.Request(
            9,
            "d",
            "m",
            target(layout, PageList.of(1), null),
            new KvMessage.Imms(Imm.of(0x123456), 1),
            0x11,
            0x89abcdef,
            new KvSpan(3, 2),
            Duration.ofMillis(0x2233),
            TraceContext.of(Map.of("t", "0")),
            ByteBuffer.wrap(new byte[] {0x55, 0x66}));
    String region = HexFormat.of().formatHex(region(24).toBytes());
    assertThat(HexFormat.of().formatHex(bytes(request)))
        .startsWith("04" + "03" + "0000000000000009" + "0164" + "016d" + "00123456" + "00000001")
        .contains("0000000000000011" + "89abcdef" + "00002233")
        .contains("00002233" + "0000000000000003" + "0000000000000002" + hex(layout))
        .contains(hex(layout) + "00000001" + "%08x".formatted(region.length() / 2) + region)
        .contains(region + "00000001" + "00000001" + "00" + "00000005" + "0174" + "000130")
        .contains("000130" + "00000002" + "5566");
  }

  /** As a DESCRIPTION has it. */
  private static String hex(KvLayout layout) {
    String message =
        HexFormat.of().formatHex(bytes(new KvMessage.Description(1, "d", "m", layout)));
    return message.substring(2 * (1 + 1 + 8 + 2 + 2), message.length() - 2 * 4);
  }

  @Test
  void theChecksumOfTwoLayoutsIsThatOfTheirBytes() {
    KvLayout one = KvLayout.contiguous(2, 9, 4, KvPart.tokenMajor("k", 0, 4, 8));
    KvLayout other = KvLayout.contiguous(2, 9, 4, KvPart.headMajor("k", 0, 4, 8, 4));
    KvMapping mapping = KvMapping.between(one, other);
    CRC32C expected = new CRC32C();
    expected.update(HexFormat.of().parseHex(hex(one) + hex(other)));
    assertThat(mapping.checksum()).isEqualTo((int) expected.getValue());
    assertThat(mapping.checksum()).isEqualTo(KvMapping.between(one, other).checksum());
    // Others count as often, and differ.
    KvMapping back = KvMapping.between(other, one);
    assertThat(back.arrivals(0, 36)).isEqualTo(mapping.arrivals(0, 36));
    assertThat(back.checksum()).isNotEqualTo(mapping.checksum());
  }

  @ParameterizedTest
  @MethodSource("messages")
  void everyTruncationIsRefused(KvMessage message) {
    byte[] bytes = bytes(message);
    int step = Math.max(1, bytes.length / 500);
    for (int length = 0; length < bytes.length; length += step) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> read(cut)).isInstanceOf(KvFormatException.class);
      assertThatThrownBy(() -> read(sealed(cut)))
          .isInstanceOf(KvFormatException.class)
          .hasMessageStartingWith("not a KV-cache message: ");
    }
  }

  @Test
  void whatComesBehindIsRefused() {
    byte[] cancel = bytes(new KvMessage.Cancel(1));
    assertThatThrownBy(() -> read(sealed(Arrays.copyOf(cancel, cancel.length + 1))))
        .hasMessage(
            "not a KV-cache message: expected no bytes behind the last field, got 1 of them");
  }

  @ParameterizedTest
  @CsvSource({"0,0", "1,1", "2,2", "3,3", "255,255", "82,82"})
  void saysWhichVersionCame(int first, int version) {
    byte[] bytes = bytes(new KvMessage.Cancel(1));
    bytes[0] = (byte) first;
    assertThatThrownBy(() -> read(sealed(bytes)))
        .hasMessage(
            "not a KV-cache message: expected version 4, got version "
                + version
                + "; let both nodes run the same release");
  }

  @Test
  void theFirstVersionIsKnownByItsLetters() {
    byte[] bytes = new byte[18];
    ByteBuffer.wrap(bytes).put("RTK\u0001\u0002".getBytes(StandardCharsets.US_ASCII));
    assertThatThrownBy(() -> read(sealed(bytes)))
        .hasMessageContaining("expected version 4, got version 1; let both nodes");
  }

  @Test
  void everyFlippedBitIsSeen() {
    byte[] bytes = bytes(request(3));
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      byte[] damaged = bytes.clone();
      damaged[bit / 8] ^= (byte) (1 << (bit % 8));
      assertThatThrownBy(() -> read(damaged)).isInstanceOf(KvFormatException.class);
    }
  }

  private static int find(byte[] bytes, ByteBuffer wanted) {
    byte[] copy = new byte[wanted.remaining()];
    wanted.get(copy);
    return find(bytes, copy);
  }

  /** Where some bytes are in others, once. */
  private static int find(byte[] bytes, byte[] wanted) {
    for (int i = 0; i <= bytes.length - wanted.length; i++) {
      if (Arrays.equals(bytes, i, i + wanted.length, wanted, 0, wanted.length)) {
        return i;
      }
    }
    throw new AssertionError("not found");
  }

  @Test
  void aHugePageCountAllocatesNothing() {
    byte[] bytes = bytes(request(2));
    byte[] list = ByteBuffer.allocate(12).putInt(2).putInt(298).putInt(299).array();
    ByteBuffer.wrap(bytes).putInt(find(bytes, list), Integer.MAX_VALUE);
    assertThatThrownBy(() -> read(sealed(bytes)))
        .hasMessageStartingWith("not a KV-cache message: expected 0 to ")
        .hasMessageEndingWith(" as number of pages, got 2147483647");
  }

  @Test
  void hugeNumbersOfPlacesAllocateNothing() {
    byte[] bytes = bytes(new KvMessage.Description(1, "p", "m", OPAQUE));
    byte[] layers = ByteBuffer.allocate(12).putInt(0).putInt(61).putInt(300).array();
    ByteBuffer.wrap(bytes).putInt(find(bytes, layers) + 4, 65_536);
    assertThatThrownBy(() -> read(sealed(bytes)))
        .hasMessage(
            "not a KV-cache message: expected 65536 places of 20 bytes, got 1220 bytes"
                + " (truncated?)");
  }

  @Test
  void aLayoutThatCannotBeIsRefused() {
    byte[] bytes = bytes(new KvMessage.Description(1, "p", "m", OPAQUE));
    byte[] second = ByteBuffer.allocate(20).putLong(4096 * 300).putLong(4096).array();
    int at = find(bytes, Arrays.copyOf(second, 16));
    ByteBuffer.wrap(bytes).putLong(at, 4096 * 300 - 1);
    assertThatThrownBy(() -> read(sealed(bytes)))
        .hasMessage(
            "not a KV-cache message: expected places that lie apart, or take turns at equal"
                + " strides, got part kv of layer 0 and part kv of layer 1, which meet in region"
                + " 0");
  }

  @Test
  void aPageTwiceIsRefused() {
    byte[] bytes = bytes(request(2));
    byte[] list = ByteBuffer.allocate(12).putInt(2).putInt(298).putInt(299).array();
    int at = find(bytes, list);
    ByteBuffer.wrap(bytes).putInt(at + 8, 298);
    assertThatThrownBy(() -> read(sealed(bytes)))
        .hasMessage("not a KV-cache message: expected each page once, got page 298 more than once");
    ByteBuffer.wrap(bytes).putInt(at + 8, 300);
    assertThatThrownBy(() -> read(sealed(bytes)))
        .hasMessage("not a KV-cache message: expected 0 to 299 as pages, got 300");
  }

  @Test
  void namesThatAreNotTextAreRefused() {
    byte[] bytes = bytes(new KvMessage.Describe(1, "decode", "mo"));
    bytes[KvCodec.HEADER_BYTES + 1] = (byte) 0xff;
    assertThatThrownBy(() -> read(sealed(bytes)))
        .hasMessage(
            "not a KV-cache message: expected UTF-8 as the name of a node, got bytes that are"
                + " something else");
    bytes[KvCodec.HEADER_BYTES + 1] = 0x1b;
    assertThatThrownBy(() -> read(sealed(bytes)))
        .hasMessageEndingWith(
            "expected characters that can be shown in the name of a node, got U+001B at position"
                + " 0");
    bytes[KvCodec.HEADER_BYTES + 1] = 'd';
    bytes[KvCodec.HEADER_BYTES + 1 + 6] = 0;
    assertThatThrownBy(() -> read(sealed(bytes)))
        .hasMessageEndingWith("expected 1 to 255 as length of the name of a model, got 0");
  }

  @Test
  void aTraceContextThatIsNoneIsRefused() {
    byte[] bytes = bytes(request(2));
    int at = find(bytes, "tracestate".getBytes(StandardCharsets.US_ASCII));
    bytes[at] = ' ';
    assertThatThrownBy(() -> read(sealed(bytes)))
        .isInstanceOf(KvFormatException.class)
        .hasMessageStartingWith("not a KV-cache message: not a trace context: expected names of ");
    byte[] longer = bytes(request(2));
    ByteBuffer.wrap(longer)
        .putInt(find(longer, TRACE.encoded()) - Integer.BYTES, TraceContext.MAX_BYTES + 1);
    assertThatThrownBy(() -> read(sealed(longer)))
        .hasMessage(
            "not a KV-cache message: expected 0 to 1024 as length of trace context, got 1025");
  }

  @Test
  void textOfAnEndIsCutAndCannotMoveTheCursor() {
    String text = "\u001b[2J\n" + "x".repeat(600);
    KvMessage.End end = new KvMessage.End(1, KvMessage.Outcome.FAILED, true, -1, text);
    KvMessage.End read = (KvMessage.End) KvCodec.decode(KvCodec.encode(end));
    assertThat(read.text()).startsWith("?[2J?x").hasSize(KvMessage.End.MAX_TEXT_BYTES);
  }

  @Test
  void aBodyOfAMebibyteIsCarriedAndOneThatNoEngineCanSendIsNot() {
    KvMessage.Target target = target(OPAQUE, null, TAIL);
    KvMessage.Request large = request(target, new KvSpan(0, 0), "x".repeat(1 << 20));
    KvMessage.Request read = (KvMessage.Request) read(bytes(large));
    assertThat(read.body()).isEqualTo(large.body());
    KvMessage.Request tooLarge = request(target, new KvSpan(0, 0), "x".repeat(1 << 24));
    assertThatThrownBy(() -> KvCodec.encode(tooLarge))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("expected a message of at most 16777216 bytes, got ");
  }
}
