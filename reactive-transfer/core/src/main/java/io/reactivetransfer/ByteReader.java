package io.reactivetransfer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * Reads one value in its {@link ByteForm} from bytes that may be anything. Every length is checked
 * before it is used; every error says what was expected and what came.
 */
final class ByteReader {

  private final ByteForm form;
  private final ByteBuffer in;

  ByteReader(ByteForm form, byte[] bytes) {
    this.form = form;
    this.in = ByteBuffer.wrap(bytes);
    if (bytes.length < ByteForm.HEADER_BYTES + ByteForm.CHECKSUM_BYTES) {
      throw bad("at least 8 bytes", bytes.length + " (truncated?)");
    }
    if (bytes.length > ByteForm.MAX_BYTES) {
      throw bad("at most " + ByteForm.MAX_BYTES + " bytes", String.valueOf(bytes.length));
    }
    String magic = new String(bytes, 0, 3, StandardCharsets.ISO_8859_1);
    if (!magic.equals(form.magic)) {
      throw bad("it to start with '" + form.magic + "'", "bytes that are something else");
    }
    if (bytes[3] != form.version) {
      throw bad("version " + form.version, "version " + Byte.toUnsignedInt(bytes[3]));
    }
    int end = bytes.length - ByteForm.CHECKSUM_BYTES;
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, 0, end);
    if (in.getInt(end) != (int) checksum.getValue()) {
      throw bad("a matching checksum", "another one (truncated or damaged?)");
    }
    in.position(ByteForm.HEADER_BYTES).limit(end);
  }

  int u8(String field, int min, int max) {
    need(field, 1);
    int value = Byte.toUnsignedInt(in.get());
    if (value < min || value > max) {
      throw bad(min + " to " + max + " as " + field, String.valueOf(value));
    }
    return value;
  }

  int u16(String field, int min) {
    need(field, Short.BYTES);
    int value = Short.toUnsignedInt(in.getShort());
    if (value < min) {
      throw bad(min + " or more as " + field, String.valueOf(value));
    }
    return value;
  }

  long u64(String field, long min) {
    need(field, Long.BYTES);
    long value = in.getLong();
    if (value < min) {
      throw bad(min + " or more as " + field, String.valueOf(value));
    }
    return value;
  }

  EngineId id(String field) {
    need(field, EngineId.BYTES);
    return new EngineId(in.getLong(), in.getLong());
  }

  String text(String field, int maxBytes) {
    byte[] bytes = bytes(field, maxBytes);
    for (byte b : bytes) {
      if (b <= ' ' || b == 0x7f) {
        throw bad("printable US-ASCII as " + field, "byte " + Byte.toUnsignedInt(b));
      }
    }
    return new String(bytes, StandardCharsets.US_ASCII);
  }

  byte[] bytes(String field, int maxBytes) {
    need(field, Short.BYTES);
    int length = Short.toUnsignedInt(in.getShort());
    if (length < 1 || length > maxBytes) {
      throw bad("1 to " + maxBytes + " bytes as " + field, String.valueOf(length));
    }
    need(field, length);
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }

  void end() {
    if (in.hasRemaining()) {
      throw bad("no bytes behind the last field", in.remaining() + " of them");
    }
  }

  private void need(String field, int bytes) {
    if (in.remaining() < bytes) {
      throw bad(bytes + " bytes of " + field, in.remaining() + " (truncated?)");
    }
  }

  private DescriptorFormatException bad(String expected, String got) {
    return new DescriptorFormatException(
        "not " + form.what + ": expected " + expected + ", got " + got);
  }
}
