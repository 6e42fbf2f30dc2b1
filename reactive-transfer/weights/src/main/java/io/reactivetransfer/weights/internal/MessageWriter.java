package io.reactivetransfer.weights.internal;

import io.reactivetransfer.TraceContext;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * Writes the fields of one message; the counterpart of {@link MessageReader}. One byte for the
 * version, one for the kind, the fields, and the CRC-32C of all before it; numbers are big-endian.
 *
 * @param <W> the writer itself
 */
public abstract class MessageWriter<W extends MessageWriter<W>> {

  /** The most that any engine can be told to send. */
  public static final int MAX_BYTES = 1 << 24;

  private ByteBuffer out = ByteBuffer.allocate(256);

  /** Begins a message. */
  protected MessageWriter(int version, int kind) {
    room(2).put((byte) version).put((byte) kind);
  }

  /** This one. */
  protected abstract W self();

  /** One byte. */
  public W u8(int value) {
    room(Byte.BYTES).put((byte) value);
    return self();
  }

  /** One byte, 0 or 1. */
  public W flag(boolean value) {
    return u8(value ? 1 : 0);
  }

  /** Four bytes. */
  public W i32(int value) {
    room(Integer.BYTES).putInt(value);
    return self();
  }

  /** Eight bytes. */
  public W i64(long value) {
    room(Long.BYTES).putLong(value);
    return self();
  }

  /** Their length in four bytes, and they. */
  public W bytes(byte[] bytes) {
    i32(bytes.length);
    room(bytes.length).put(bytes);
    return self();
  }

  /** The length in one byte, and the name, which {@link MessageText#requireName} has checked. */
  public W name(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    u8(bytes.length);
    room(bytes.length).put(bytes);
    return self();
  }

  /** The length in four bytes, and a text for people, which may be cut. */
  public W text(String text) {
    return bytes(MessageText.cut(text));
  }

  /** The length in four bytes, and what a tracer sends along. */
  public W traceContext(TraceContext context) {
    ByteBuffer form = context.encoded();
    i32(form.remaining());
    room(form.remaining()).put(form);
    return self();
  }

  /** How many bytes the message has so far. */
  public int length() {
    return out.position();
  }

  /** The whole message. */
  public ByteBuffer sealed() {
    CRC32C checksum = new CRC32C();
    checksum.update(out.slice(0, out.position()));
    i32((int) checksum.getValue());
    return out.flip();
  }

  private ByteBuffer room(int bytes) {
    long needed = (long) out.position() + bytes;
    if (needed > MAX_BYTES) {
      throw new IllegalArgumentException(
          "expected a message of at most "
              + MAX_BYTES
              + " bytes, got "
              + needed
              + " or more; fewer ranks in one update would fit, or shorter names");
    }
    if (needed > out.capacity()) {
      ByteBuffer larger = ByteBuffer.allocate((int) Math.max(needed, 2L * out.capacity()));
      out = larger.put(out.flip());
    }
    return out;
  }
}
