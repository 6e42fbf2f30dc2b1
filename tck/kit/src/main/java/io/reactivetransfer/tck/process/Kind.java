package io.reactivetransfer.tck.process;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** What a record in a ring says: its first byte. */
enum Kind {
  // requests that are answered
  REGISTER,
  REVOKE,
  DEREGISTER,
  PEER,
  MEMORY,
  DISCONNECT,
  RELEASE,
  RELEASE_MEMORY,
  FROM_PEER,
  CLOSE,
  // requests that are not
  POST,
  // answers
  DONE,
  REFUSED,
  // reports
  WRITTEN,
  FAILED,
  WRITE_REFUSED,
  ARRIVED,
  TO_PEER,
  FENCED,
  LOST,
  BROKEN;

  private static final Kind[] ALL = values();
  private static final int MAX_TEXT_BYTES = 4_096;

  /** A record to be filled. */
  @SuppressWarnings("EnumOrdinal") // both processes have the same classes
  ByteBuffer begin() {
    return ByteBuffer.allocate(Ring.MAX_RECORD_BYTES).put((byte) ordinal());
  }

  /** The kind of a record, whose other bytes remain. */
  static Kind of(ByteBuffer bytes) {
    return ALL[bytes.get()];
  }

  /** Text as the end of a record. */
  static byte[] text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return bytes.length <= MAX_TEXT_BYTES ? bytes : Arrays.copyOf(bytes, MAX_TEXT_BYTES);
  }

  /** The end of a record as text. */
  static String text(ByteBuffer bytes) {
    return StandardCharsets.UTF_8.decode(bytes).toString();
  }

  /** The end of a record. */
  static byte[] rest(ByteBuffer bytes) {
    byte[] rest = new byte[bytes.remaining()];
    bytes.get(rest);
    return rest;
  }
}
