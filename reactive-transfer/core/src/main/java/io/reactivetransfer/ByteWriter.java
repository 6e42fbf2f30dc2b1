package io.reactivetransfer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** Writes one value in its {@link ByteForm}. */
final class ByteWriter {

  private final ByteBuffer out = ByteBuffer.allocate(ByteForm.MAX_BYTES);

  ByteWriter(ByteForm form) {
    out.put(form.magic.getBytes(StandardCharsets.US_ASCII)).put((byte) form.version);
  }

  void u8(int value) {
    out.put((byte) value);
  }

  void u16(int value) {
    out.putShort((short) value);
  }

  void u64(long value) {
    out.putLong(value);
  }

  void id(EngineId id) {
    out.putLong(id.high()).putLong(id.low());
  }

  void text(String value) {
    bytes(value.getBytes(StandardCharsets.US_ASCII));
  }

  void bytes(byte[] value) {
    out.putShort((short) value.length).put(value);
  }

  byte[] toBytes() {
    CRC32C checksum = new CRC32C();
    checksum.update(out.array(), 0, out.position());
    out.putInt((int) checksum.getValue());
    byte[] bytes = new byte[out.position()];
    out.flip().get(bytes);
    return bytes;
  }
}
