package io.reactivetransfer.kvcache;

import io.reactivetransfer.PageList;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Writes the fields of one message; the counterpart of {@link KvReader}. */
final class KvWriter {

  private ByteBuffer out = ByteBuffer.allocate(256);

  /** Begins a message. */
  KvWriter(int kind, long id) {
    u8(KvCodec.VERSION).u8(kind).i64(id);
  }

  KvWriter u8(int value) {
    room(Byte.BYTES).put((byte) value);
    return this;
  }

  KvWriter flag(boolean value) {
    return u8(value ? 1 : 0);
  }

  KvWriter i32(int value) {
    room(Integer.BYTES).putInt(value);
    return this;
  }

  KvWriter i64(long value) {
    room(Long.BYTES).putLong(value);
    return this;
  }

  /** A name that was checked. */
  KvWriter name(String name) {
    byte[] bytes = KvName.bytes(name);
    u8(bytes.length);
    room(bytes.length).put(bytes);
    return this;
  }

  KvWriter bytes(ByteBuffer bytes) {
    i32(bytes.remaining());
    room(bytes.remaining()).put(bytes.duplicate());
    return this;
  }

  /** Text for people, cut where it is too long. */
  KvWriter text(String text, int maxBytes) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return bytes(ByteBuffer.wrap(bytes, 0, Math.min(bytes.length, maxBytes)));
  }

  KvWriter pages(@Nullable PageList pages) {
    if (pages == null) {
      return i32(0);
    }
    i32(pages.size());
    for (int i = 0; i < pages.size(); i++) {
      i32(pages.get(i));
    }
    return this;
  }

  KvWriter layout(KvLayout layout) {
    KvLayoutForm.write(layout, this);
    return this;
  }

  /** The whole message. */
  ByteBuffer sealed() {
    CRC32C checksum = new CRC32C();
    checksum.update(out.slice(0, out.position()));
    i32((int) checksum.getValue());
    return out.flip();
  }

  /** Adds to a checksum what was written behind the beginning of a message. */
  void addTo(CRC32C checksum) {
    checksum.update(out.slice(KvCodec.HEADER_BYTES, out.position() - KvCodec.HEADER_BYTES));
  }

  private ByteBuffer room(int bytes) {
    long needed = (long) out.position() + bytes;
    if (needed > KvCodec.MAX_BYTES) {
      throw new IllegalArgumentException(
          "expected a message of at most "
              + KvCodec.MAX_BYTES
              + " bytes, got "
              + needed
              + " or more; a shorter body would fit, or fewer pages");
    }
    if (needed > out.capacity()) {
      ByteBuffer larger = ByteBuffer.allocate((int) Math.max(needed, 2L * out.capacity()));
      out = larger.put(out.flip());
    }
    return out;
  }
}
