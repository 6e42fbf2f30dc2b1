package io.reactivetransfer.kvcache;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import java.util.zip.CRC32C;

/**
 * Reads the fields of one message from bytes that may be anything. Every length is checked against
 * what is left before memory is taken for it; every error says what was expected and what came.
 */
final class KvReader {

  private final ByteBuffer in;

  /** Checks the frame. */
  KvReader(ByteBuffer bytes) {
    in = bytes.slice().asReadOnlyBuffer();
    int length = in.remaining();
    int least = KvCodec.HEADER_BYTES + KvCodec.CHECKSUM_BYTES;
    if (length < least || length > KvCodec.MAX_BYTES) {
      throw bad(least + " to " + KvCodec.MAX_BYTES + " bytes", length + " (truncated?)");
    }
    requireVersion();
    int end = length - KvCodec.CHECKSUM_BYTES;
    CRC32C checksum = new CRC32C();
    checksum.update(in.slice(0, end));
    if (in.getInt(end) != (int) checksum.getValue()) {
      throw bad("a matching checksum", "another one (truncated or damaged?)");
    }
    in.position(1).limit(end);
  }

  private void requireVersion() {
    int version = Byte.toUnsignedInt(in.get(0));
    if (version != KvCodec.VERSION) {
      boolean first = in.get(0) == 'R' && in.get(1) == 'T' && in.get(2) == 'K';
      throw bad(
          "version " + KvCodec.VERSION,
          "version " + (first ? 1 : version) + "; let both nodes run the same release");
    }
  }

  int u8(String field, int min, int max) {
    need(field, Byte.BYTES);
    return (int) within(field, Byte.toUnsignedInt(in.get()), min, max);
  }

  boolean flag(String field) {
    return u8(field, 0, 1) == 1;
  }

  int i32(String field, int min, int max) {
    need(field, Integer.BYTES);
    return (int) within(field, in.getInt(), min, max);
  }

  long i64(String field, long min) {
    need(field, Long.BYTES);
    return within(field, in.getLong(), min, Long.MAX_VALUE);
  }

  /** How many things follow that are at least so long each. */
  int count(String field, int min, int bytesOfEach) {
    return i32("number of " + field, min, in.remaining() / bytesOfEach);
  }

  /** Refuses more things of this length than are left. */
  void requireRoom(String field, long count, int bytesOfEach) {
    if (count > in.remaining() / bytesOfEach) {
      throw bad(
          count + " " + field + " of " + bytesOfEach + " bytes",
          in.remaining() + " bytes (truncated?)");
    }
  }

  /** A view of bytes that are preceded by their length. */
  ByteBuffer bytes(String field, int max) {
    int length = i32("length of " + field, 0, max);
    need(field, length);
    ByteBuffer view = in.slice(in.position(), length);
    in.position(in.position() + length);
    return view;
  }

  /** Numbers below a bound, preceded by how many there are. */
  int[] ints(String field, int bound) {
    int count = count(field, 0, Integer.BYTES);
    requireRoom(field, count, Integer.BYTES);
    int[] values = new int[count];
    for (int i = 0; i < values.length; i++) {
      values[i] = (int) within(field, in.getInt(), 0, bound - 1);
    }
    return values;
  }

  /** A name, preceded by its length. */
  String name(String what) {
    int length = u8("length of the name of a " + what, 1, KvName.MAX_BYTES);
    need("the name of a " + what, length);
    ByteBuffer utf8 = in.slice(in.position(), length);
    in.position(in.position() + length);
    try {
      String name = StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
      return checked(() -> KvName.require(what, name));
    } catch (CharacterCodingException e) {
      throw bad("UTF-8 as the name of a " + what, "bytes that are something else");
    }
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
