package io.reactivetransfer.kvcache;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import java.util.zip.CRC32C;

/**
 * Reads the fields of one message from bytes that may be anything. Every length is checked before
 * it is used; every error says what was expected and what came.
 */
final class OldReader {

  private final ByteBuffer in;

  /** Checks the frame. */
  OldReader(ByteBuffer bytes) {
    in = bytes.slice().asReadOnlyBuffer();
    int length = in.remaining();
    int least = OldCodec.HEADER_BYTES + OldCodec.CHECKSUM_BYTES;
    if (length < least || length > OldCodec.MAX_BYTES) {
      throw bad(least + " to " + OldCodec.MAX_BYTES + " bytes", length + " (truncated?)");
    }
    if (!OldCodec.claims(in)) {
      throw bad("it to start with '" + OldCodec.MAGIC + "'", "bytes that are something else");
    }
    int version = Byte.toUnsignedInt(in.get(OldCodec.MAGIC.length()));
    if (version != OldCodec.VERSION) {
      throw bad("version " + OldCodec.VERSION, "version " + version);
    }
    int end = length - OldCodec.CHECKSUM_BYTES;
    CRC32C checksum = new CRC32C();
    checksum.update(in.slice(0, end));
    if (in.getInt(end) != (int) checksum.getValue()) {
      throw bad("a matching checksum", "another one (truncated or damaged?)");
    }
    in.position(OldCodec.MAGIC.length() + 1).limit(end);
  }

  int u8(String field, int min, int max) {
    need(field, Byte.BYTES);
    return (int) within(field, Byte.toUnsignedInt(in.get()), min, max);
  }

  int i32(String field, int min, int max) {
    need(field, Integer.BYTES);
    return (int) within(field, in.getInt(), min, max);
  }

  long i64(String field, long min, long max) {
    need(field, Long.BYTES);
    return within(field, in.getLong(), min, max);
  }

  /** A view of bytes that are preceded by their length. */
  ByteBuffer bytes(String field, int max) {
    need(field, Short.BYTES);
    int length = Short.toUnsignedInt(in.getShort());
    within("length of " + field, length, 0, max);
    need(field, length);
    ByteBuffer view = in.slice(in.position(), length);
    in.position(in.position() + length);
    return view;
  }

  /** At least one number below a bound, preceded by how many there are. */
  int[] ints(String field, int bound) {
    // What is left bounds the array before it is made.
    int count = i32("number of " + field + "s", 1, Math.max(1, in.remaining() / Integer.BYTES - 1));
    need(field + "s", count * Integer.BYTES);
    int[] values = new int[count];
    for (int i = 0; i < count; i++) {
      values[i] = (int) within(field, in.getInt(), 0, bound - 1);
    }
    return values;
  }

  /** Text that may be shown: what has no glyph, such as an escape, is replaced. */
  String printable(ByteBuffer utf8) {
    return StandardCharsets.UTF_8.decode(utf8).toString().replaceAll("[\\p{C}\\p{Zl}\\p{Zp}]", "?");
  }

  /** What a value type refuses is a format error here. */
  <T> T checked(Supplier<T> value) {
    try {
      return value.get();
    } catch (IllegalArgumentException e) {
      throw new KvFormatException("not a KV-cache message: " + e.getMessage());
    }
  }

  void end() {
    if (in.hasRemaining()) {
      throw bad("no bytes behind the last field", in.remaining() + " of them");
    }
  }

  KvFormatException bad(String expected, String got) {
    return new KvFormatException("not a KV-cache message: expected " + expected + ", got " + got);
  }

  private long within(String field, long value, long min, long max) {
    if (value < min || value > max) {
      throw bad(min + " to " + max + " as " + field, String.valueOf(value));
    }
    return value;
  }

  private void need(String field, int bytes) {
    if (in.remaining() < bytes) {
      throw bad(bytes + " bytes of " + field, in.remaining() + " (truncated?)");
    }
  }
}
