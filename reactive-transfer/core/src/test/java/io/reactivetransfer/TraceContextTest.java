package io.reactivetransfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The fields of a tracer, their encoded form, and what is refused. */
class TraceContextTest {

  private static final String PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  @Test
  void itIsDecodedAsItWasEncoded() {
    TraceContext context =
        TraceContext.of(Map.of("tracestate", "rojo=1, congo=t61", "traceparent", PARENT, "b", ""));
    assertThat(TraceContext.decode(context.encoded()))
        .isEqualTo(context)
        .hasToString("{b=, traceparent=" + PARENT + ", tracestate=rojo=1, congo=t61}");
    assertThat(TraceContext.decode(context.encoded()).fields()).isEqualTo(context.fields());
    assertThat(TraceContext.of(Map.of())).isSameAs(TraceContext.NONE);
    assertThat(TraceContext.decode(ByteBuffer.allocate(0))).isSameAs(TraceContext.NONE);
    assertThat(TraceContext.NONE.encoded().hasRemaining()).isFalse();
  }

  @Test
  void theBytesAreThoseOfTheDocumentation() {
    TraceContext context = TraceContext.of(Map.of("b3", "0", "a", "xy"));
    assertThat(HexFormat.of().formatHex(bytes(context.encoded())))
        .isEqualTo("0161" + "0002" + "7879" + "026233" + "0001" + "30");
  }

  @Test
  void asMuchAsMayBeIsCarriedAndNotMore() {
    String longest = "v".repeat(TraceContext.MAX_BYTES - TraceContext.length("n", ""));
    TraceContext context = TraceContext.of(Map.of("n", longest));
    assertThat(context.encoded().remaining()).isEqualTo(TraceContext.MAX_BYTES);
    assertThat(TraceContext.decode(context.encoded())).isEqualTo(context);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TraceContext.of(Map.of("n", longest + "v")))
        .withMessageContaining("1025; leave fields out");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TraceContext.decode(ByteBuffer.allocate(TraceContext.MAX_BYTES + 1)))
        .withMessageContaining("at most 1024 bytes");
  }

  @Test
  void moreFieldsThanMayBeAreRefused() {
    Map<String, String> fields = new HashMap<>();
    for (int i = 0; i < TraceContext.MAX_FIELDS; i++) {
      fields.put("n" + i, "");
    }
    TraceContext most = TraceContext.of(fields);
    assertThat(TraceContext.decode(most.encoded())).isEqualTo(most);
    fields.put("z", "");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TraceContext.of(fields))
        .withMessageContaining("at most 32 fields, got 33");
    ByteBuffer more = ByteBuffer.allocate(most.encoded().remaining() + 4);
    more.put(most.encoded()).put((byte) 1).put((byte) 'z').putShort((short) 0).flip();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TraceContext.decode(more))
        .withMessageContaining("at most 32 fields");
  }

  @ParameterizedTest
  @CsvSource({
    "00, 'names of 1 to 255'",
    "0161, 'length of a value'",
    "026161, 'length of a value'",
    "0561, 'bytes of text'",
    "0161000a61, 'bytes of text'",
    "0120000161, 'letters, digits'",
    "01ff000161, 'letters, digits'",
    "013a000161, 'letters, digits'",
    "01610001ff, 'visible US-ASCII'",
    "016100011b, 'visible US-ASCII'",
    "0162000161" + "0161000161, 'each name once'",
    "0161000161" + "0161000162, 'each name once'",
  })
  void whatIsNoneIsRefused(String hex, String message) {
    // A name without a length of its value behind it, and one that is cut, among them.
    byte[] bytes = hex.equals("00") ? new byte[] {0, 0, 0} : HexFormat.of().parseHex(hex);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TraceContext.decode(ByteBuffer.wrap(bytes)))
        .withMessageStartingWith("not a trace context: expected ")
        .withMessageContaining(message);
  }

  @Test
  void whatAnErrorShowsObeysNoTerminal() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TraceContext.of(Map.of("a", "\u001b[2J" + "x".repeat(100))))
        .withMessageContaining("'?[2Jxxx")
        .withMessageContaining("...'");
  }

  @Test
  void bytesThatMayBeAnythingAreOneOrAreRefused() {
    Random random = new Random(7);
    byte[] good =
        bytes(TraceContext.of(Map.of("traceparent", PARENT, "tracestate", "a=b")).encoded());
    int decoded = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = Arrays.copyOf(good, random.nextInt(8) == 0 ? random.nextInt(90) : good.length);
      for (int n = random.nextInt(3); n > 0 && bytes.length > 0; n--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      try {
        TraceContext context = TraceContext.decode(ByteBuffer.wrap(bytes));
        assertThat(bytes(context.encoded())).isEqualTo(bytes);
        decoded++;
      } catch (IllegalArgumentException e) {
        assertThat(e.getMessage()).isEqualTo(printable(e.getMessage()));
      }
    }
    assertThat(decoded).isBetween(1_000, 19_000);
  }

  private static String printable(String text) {
    return new String(text.getBytes(StandardCharsets.US_ASCII), StandardCharsets.US_ASCII)
        .replaceAll("[^ -~]", "?");
  }
}
