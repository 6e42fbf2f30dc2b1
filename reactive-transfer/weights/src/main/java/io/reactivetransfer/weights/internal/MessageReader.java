package io.reactivetransfer.weights.internal;

import io.reactivetransfer.TraceContext;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of one message from bytes that may be anything. Every length is checked against
 * what is left before memory is taken for it; every error says what was expected and what came.
 */
public class MessageReader {

  private static final int MIN_BYTES = 2 + Integer.BYTES;

  private final ByteBuffer in;

  /**
   * Checks the frame: the version, and the checksum at the end.
   *
   * @throws MessageFormatException if they are others
   */
  public MessageReader(ByteBuffer bytes, int version) {
    in = bytes.slice().asReadOnlyBuffer();
    int length = in.remaining();
    if (length < MIN_BYTES || length > MessageWriter.MAX_BYTES) {
      throw refused(
          MIN_BYTES + " to " + MessageWriter.MAX_BYTES + " bytes", length + " (truncated?)");
    }
    int end = length - Integer.BYTES;
    CRC32C checksum = new CRC32C();
    checksum.update(in.slice(0, end));
    if (in.getInt(end) != (int) checksum.getValue()) {
      throw refused("a matching checksum", "another one (truncated or damaged?)");
    }
    int spoken = Byte.toUnsignedInt(in.get(0));
    if (spoken != version) {
      throw new MessageFormatException(
          "not a message of weights: expected version "
              + version
              + ", got version "
              + spoken
              + "; let all processes run the same release",
          true);
    }
    in.position(1).limit(end);
  }

  /** One byte within bounds. */
  public int u8(String field, int min, int max) {
    need(field, Byte.BYTES);
    return (int) within(field, Byte.toUnsignedInt(in.get()), min, max);
  }

  /** What a code of one byte stands for. */
  public <T> T one(String field, IntFunction<@Nullable T> of) {
    int code = u8(field, 0, 0xff);
    T one = of.apply(code);
    if (one == null) {
      throw bad("a code that stands for a " + field, String.valueOf(code));
    }
    return one;
  }

  /** One byte, 0 or 1. */
  public boolean flag(String field) {
    return u8(field, 0, 1) == 1;
  }

  /** Four bytes within bounds. */
  public int i32(String field, int min, int max) {
    need(field, Integer.BYTES);
    return (int) within(field, in.getInt(), min, max);
  }

  /** Eight bytes, at least so much. */
  public long i64(String field, long min) {
    need(field, Long.BYTES);
    return within(field, in.getLong(), min, Long.MAX_VALUE);
  }

  /** Eight bytes within bounds. */
  public long i64(String field, long min, long max) {
    need(field, Long.BYTES);
    return within(field, in.getLong(), min, max);
  }

  /** Their length in four bytes, and they. */
  public byte[] bytes(String field, int max) {
    int length = i32("length of " + field, 0, max);
    need(field, length);
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }

  /** A name, whose length is one byte. */
  public String name() {
    int length = u8("length of a name", 1, MessageText.MAX_NAME_BYTES);
    need("a name", length);
    ByteBuffer utf8 = in.slice(in.position(), length);
    in.position(in.position() + length);
    String name = text("a name", utf8);
    return checked(() -> MessageText.requireName(name));
  }

  /** A text for people, whose length is four bytes. */
  public String text(String field) {
    String text = text(field, ByteBuffer.wrap(bytes(field, MessageText.MAX_TEXT_BYTES)));
    if (!MessageText.printable(text).equals(text)) {
      throw bad("characters that can be shown as " + field, "others");
    }
    return text;
  }

  /** What a tracer has sent along, whose length is four bytes. */
  public TraceContext traceContext() {
    byte[] form = bytes("a trace context", TraceContext.MAX_BYTES);
    return checked(() -> TraceContext.decode(ByteBuffer.wrap(form)));
  }

  private String text(String field, ByteBuffer utf8) {
    try {
      return MessageText.decode(utf8);
    } catch (CharacterCodingException e) {
      throw bad("UTF-8 as " + field, "bytes that are something else");
    }
  }

  /** What can follow so many times, each at least so long. */
  public <T> List<T> list(String field, int max, int bytesOfEach, Supplier<T> one) {
    int count = i32("number of " + field, 0, Math.min(max, in.remaining() / bytesOfEach));
    List<T> all = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      all.add(one.get());
    }
    return all;
  }

  /** What a value type refuses is a format error here. */
  public <T> T checked(Supplier<T> value) {
    try {
      return value.get();
    } catch (MessageFormatException e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw new MessageFormatException("not a message of weights: " + e.getMessage(), false);
    }
  }

  /** Refuses bytes behind the last field. */
  public void end() {
    if (in.hasRemaining()) {
      throw bad("no bytes behind the last field", in.remaining() + " of them");
    }
  }

  /** What a message is refused with. */
  public final MessageFormatException bad(String expected, String got) {
    return refused(expected, got);
  }

  private static MessageFormatException refused(String expected, String got) {
    return new MessageFormatException(
        "not a message of weights: expected " + expected + ", got " + got, false);
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
