package io.reactivetransfer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a tracer sends along with the message that begins an operation elsewhere, so that both
 * become parts of one trace: a few header fields, such as {@code traceparent} and {@code
 * tracestate} of the W3C's Trace Context. The library carries them and does not look into them.
 *
 * <p>Encoded, it is at most {@value #MAX_BYTES} bytes long: for each of at most {@value
 * #MAX_FIELDS} fields, in the order of the names, one byte with the length of the name, the name,
 * two bytes (big-endian) with the length of the value, and the value. It has no frame of its own:
 * it is a part of a message, which has one.
 *
 * @see <a href="https://www.w3.org/TR/trace-context/">Trace Context, W3C Recommendation</a>
 */
public final class TraceContext {

  /** The longest encoded form, in bytes: W3C's two fields take some 600 at most. */
  public static final int MAX_BYTES = 1_024;

  /** More would take far more memory than bytes. */
  public static final int MAX_FIELDS = 32;

  private static final int MAX_NAME_BYTES = 255;
  private static final int BYTES_OF_LENGTHS = 3;

  /** Nothing is carried. */
  public static final TraceContext NONE = new TraceContext(new TreeMap<>());

  private final Map<String, String> fields;
  private final byte[] encoded;

  private TraceContext(SortedMap<String, String> fields) {
    this.fields = Collections.unmodifiableSortedMap(fields);
    this.encoded = encode(fields);
  }

  /**
   * The context with these fields.
   *
   * @param fields names of 1 to 255 characters that a header's name may have (RFC 9110, a token),
   *     and values of visible US-ASCII characters and spaces; copied
   * @throws IllegalArgumentException if a name or a value has other characters, or they are more
   *     than {@link #MAX_FIELDS}, or longer than {@link #MAX_BYTES} together
   */
  public static TraceContext of(Map<String, String> fields) {
    if (fields.isEmpty()) {
      return NONE;
    }
    requireCount(fields.size());
    fields.forEach(TraceContext::requireField);
    long length = 0;
    for (Map.Entry<String, String> field : fields.entrySet()) {
      length += length(field.getKey(), field.getValue());
    }
    if (length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "expected a trace context of at most "
              + MAX_BYTES
              + " bytes, got "
              + length
              + "; leave fields out, the W3C's traceparent alone is enough");
    }
    return new TraceContext(new TreeMap<>(fields));
  }

  /**
   * How many bytes of {@link #MAX_BYTES} a field takes.
   *
   * @param name of the field
   * @param value of the field
   */
  public static int length(String name, String value) {
    return BYTES_OF_LENGTHS + name.length() + value.length();
  }

  /**
   * The context of an encoded form.
   *
   * @param bytes from its position to its limit, of which neither changes
   * @throws IllegalArgumentException if it is not one: truncated, too long, too many, the names not
   *     in order and each once, or characters that may not be there
   */
  public static TraceContext decode(ByteBuffer bytes) {
    ByteBuffer in = bytes.slice();
    if (in.remaining() > MAX_BYTES) {
      throw bad("at most " + MAX_BYTES + " bytes", in.remaining() + " bytes");
    }
    TreeMap<String, String> fields = new TreeMap<>();
    while (in.hasRemaining()) {
      String name = text(in, Byte.toUnsignedInt(in.get()));
      if (in.remaining() < Short.BYTES) {
        throw bad("the length of a value", in.remaining() + " bytes (truncated?)");
      }
      String value = text(in, Short.toUnsignedInt(in.getShort()));
      requireField(name, value);
      if (!fields.isEmpty() && fields.lastKey().compareTo(name) >= 0) {
        throw bad("each name once, in order", name + " behind " + fields.lastKey());
      }
      fields.put(name, value);
      requireCount(fields.size());
    }
    return fields.isEmpty() ? NONE : new TraceContext(fields);
  }

  /** Its fields, in the order of their names; cannot be changed. */
  public Map<String, String> fields() {
    return fields;
  }

  /** Whether nothing is carried. */
  public boolean isEmpty() {
    return fields.isEmpty();
  }

  /** Its encoded form, read-only; empty if nothing is carried. */
  public ByteBuffer encoded() {
    return ByteBuffer.wrap(encoded).asReadOnlyBuffer();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TraceContext that && fields.equals(that.fields);
  }

  @Override
  public int hashCode() {
    return fields.hashCode();
  }

  /** The names and values. */
  @Override
  public String toString() {
    return fields.toString();
  }

  private static void requireCount(int fields) {
    if (fields > MAX_FIELDS) {
      throw bad("at most " + MAX_FIELDS + " fields", fields + " or more");
    }
  }

  private static byte[] encode(SortedMap<String, String> fields) {
    ByteBuffer out = ByteBuffer.allocate(MAX_BYTES);
    fields.forEach((name, value) ->
        out.put((byte) name.length())
            .put(name.getBytes(StandardCharsets.US_ASCII))
            .putShort((short) value.length())
            .put(value.getBytes(StandardCharsets.US_ASCII)));
    byte[] bytes = new byte[out.position()];
    out.flip().get(bytes);
    return bytes;
  }

  private static String text(ByteBuffer in, int length) {
    if (in.remaining() < length) {
      throw bad(length + " bytes of text", in.remaining() + " (truncated?)");
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static void requireField(String name, String value) {
    if (name.isEmpty()
        || name.length() > MAX_NAME_BYTES
        || !name.chars().allMatch(TraceContext::isToken)) {
      throw bad("names of 1 to 255 letters, digits and !#$%&'*+-.^_`|~", "'" + shown(name) + "'");
    }
    if (!value.chars().allMatch(c -> c >= ' ' && c < 0x7f)) {
      throw bad("visible US-ASCII and spaces as " + name, "'" + shown(value) + "'");
    }
  }

  private static boolean isToken(int c) {
    return (c >= '0' && c <= '9')
        || (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c > ' ' && c < 0x7f && "!#$%&'*+-.^_`|~".indexOf(c) >= 0);
  }

  /** What came, short enough for a line, and without characters that a terminal obeys. */
  private static String shown(String text) {
    String start = text.length() > 40 ? text.substring(0, 40) + "..." : text;
    return start.replaceAll("[^ -~]", "?");
  }

  private static IllegalArgumentException bad(String expected, String got) {
    return new IllegalArgumentException(
        "not a trace context: expected " + expected + ", got " + got);
  }
}
