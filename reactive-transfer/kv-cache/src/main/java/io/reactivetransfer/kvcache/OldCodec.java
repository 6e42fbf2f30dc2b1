package io.reactivetransfer.kvcache;

import io.reactivetransfer.Imm;
import io.reactivetransfer.PageList;
import io.reactivetransfer.RegionDescriptor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.zip.CRC32C;

/**
 * The bytes of a {@link OldMessage}: three letters, one version byte, one byte that says which
 * message it is, its id, its fields, and the CRC-32C of all before it. All numbers are big-endian.
 */
final class OldCodec {

  static final String MAGIC = "RTK";
  static final int VERSION = 1;
  static final int HEADER_BYTES = MAGIC.length() + 2 + Long.BYTES;
  static final int CHECKSUM_BYTES = Integer.BYTES;

  /** The most that any engine can be told to send. */
  static final int MAX_BYTES = 1 << 16;

  private static final int MAX_BODY_BYTES = 0xffff;

  private static final int REQUEST = 1;
  private static final int CANCEL = 2;
  private static final int END = 3;

  /** Imm, layout, tail range, deadline, and the lengths of two descriptors, body and page list. */
  private static final int REQUEST_NUMBERS = 4 + (4 + 4 + 8) + (8 + 8) + 8 + (2 + 2 + 2 + 4);

  private OldCodec() {}

  /** Whether these bytes claim to be a message of this protocol, of whatever version. */
  static boolean claims(ByteBuffer bytes) {
    if (bytes.remaining() < MAGIC.length()) {
      return false;
    }
    for (int i = 0; i < MAGIC.length(); i++) {
      if (bytes.get(bytes.position() + i) != MAGIC.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  static ByteBuffer encode(OldMessage message) {
    return switch (message) {
      case OldMessage.Request request -> encodeRequest(request);
      case OldMessage.Cancel cancel -> seal(begin(0, CANCEL, cancel.id()));
      case OldMessage.End end -> encodeEnd(end);
    };
  }

  /** The field that says how long it is has 16 bits. */
  static void requireBody(ByteBuffer body) {
    if (body.remaining() > MAX_BODY_BYTES) {
      throw new IllegalArgumentException(
          "expected a body of at most " + MAX_BODY_BYTES + " bytes, got " + body.remaining());
    }
  }

  private static ByteBuffer encodeRequest(OldMessage.Request request) {
    byte[] memory = request.memory().toBytes();
    byte[] tail = request.tail().region().toBytes();
    ByteBuffer body = request.body();
    requireBody(body);
    long fields = (long) REQUEST_NUMBERS + memory.length + tail.length + body.remaining();
    long length = Math.addExact(fields, 4L * request.pages().size());
    if (length > Integer.MAX_VALUE - HEADER_BYTES - CHECKSUM_BYTES) {
      throw new IllegalArgumentException("a request of " + length + " bytes");
    }
    ByteBuffer out = begin((int) length, REQUEST, request.id());
    out.putInt(request.imm().value());
    OldLayout layout = request.layout();
    out.putInt(layout.layers()).putInt(layout.poolPages()).putLong(layout.pageBytes());
    out.putLong(request.deadline().toMillis());
    out.putLong(request.tail().offset()).putLong(request.tail().length());
    putBytes(out, memory);
    putBytes(out, tail);
    out.putShort((short) body.remaining()).put(body);
    out.putInt(request.pages().size());
    for (int i = 0; i < request.pages().size(); i++) {
      out.putInt(request.pages().get(i));
    }
    return seal(out);
  }

  private static ByteBuffer encodeEnd(OldMessage.End end) {
    byte[] text = end.text().getBytes(StandardCharsets.UTF_8);
    int length = Math.min(text.length, OldMessage.End.MAX_TEXT_BYTES);
    ByteBuffer out = begin(1 + 1 + 8 + 2 + length, END, end.id());
    out.put((byte) end.outcome().code).put((byte) (end.quiet() ? 1 : 0));
    out.putLong(end.arrivals()).putShort((short) length).put(text, 0, length);
    return seal(out);
  }

  private static ByteBuffer begin(int fields, int kind, long id) {
    ByteBuffer out = ByteBuffer.allocate(HEADER_BYTES + fields + CHECKSUM_BYTES);
    out.put(MAGIC.getBytes(StandardCharsets.US_ASCII)).put((byte) VERSION).put((byte) kind);
    return out.putLong(id);
  }

  private static void putBytes(ByteBuffer out, byte[] bytes) {
    out.putShort((short) bytes.length).put(bytes);
  }

  private static ByteBuffer seal(ByteBuffer out) {
    CRC32C checksum = new CRC32C();
    checksum.update(out.slice(0, out.position()));
    return out.putInt((int) checksum.getValue()).flip();
  }

  /**
   * Reads what {@link #encode} wrote, out of bytes that may be anything.
   *
   * @throws KvFormatException if they are anything else
   */
  static OldMessage decode(ByteBuffer bytes) {
    OldReader in = new OldReader(bytes);
    int kind = in.u8("kind", REQUEST, END);
    long id = in.i64("id", Long.MIN_VALUE, Long.MAX_VALUE);
    OldMessage message =
        switch (kind) {
          case REQUEST -> decodeRequest(in, id);
          case CANCEL -> new OldMessage.Cancel(id);
          default -> decodeEnd(in, id);
        };
    in.end();
    return message;
  }

  private static OldMessage.Request decodeRequest(OldReader in, long id) {
    Imm imm = new Imm(in.i32("immediate", 0, Imm.MAX_VALUE));
    int layers = in.i32("layers", 1, Integer.MAX_VALUE);
    int poolPages = in.i32("pages in the pool", 1, Integer.MAX_VALUE);
    long pageBytes = in.i64("bytes in a page", 1, Long.MAX_VALUE);
    OldLayout layout = in.checked(() -> new OldLayout(layers, poolPages, pageBytes));
    long deadlineMillis = in.i64("deadline", 1, Integer.MAX_VALUE);
    long tailOffset = in.i64("tail offset", 0, Long.MAX_VALUE);
    long tailLength = in.i64("tail length", 0, Long.MAX_VALUE);
    RegionDescriptor memory = descriptor(in, "memory");
    RegionDescriptor tail = descriptor(in, "tail");
    if (memory.length() < layout.bytes()) {
      throw in.bad("memory of " + layout.bytes() + " bytes or more", memory.length() + " bytes");
    }
    if (tailOffset > tail.length() || tailLength > tail.length() - tailOffset) {
      throw in.bad(
          "a tail within " + tail.length() + " bytes", tailLength + " bytes at " + tailOffset);
    }
    ByteBuffer body = in.bytes("body", MAX_BODY_BYTES);
    int[] pages = in.ints("page", poolPages);
    return new OldMessage.Request(
        id,
        imm,
        layout,
        memory,
        in.checked(() -> PageList.of(pages)),
        new OldMessage.Tail(tail, tailOffset, tailLength),
        Duration.ofMillis(deadlineMillis),
        body);
  }

  private static RegionDescriptor descriptor(OldReader in, String field) {
    ByteBuffer view = in.bytes(field, 0xffff);
    byte[] bytes = new byte[view.remaining()];
    view.get(bytes);
    return in.checked(() -> RegionDescriptor.fromBytes(bytes));
  }

  private static OldMessage.End decodeEnd(OldReader in, long id) {
    OldMessage.Outcome outcome = OldMessage.Outcome.of(in.u8("outcome", 1, 4));
    boolean quiet = in.u8("quiet", 0, 1) == 1;
    long arrivals = in.i64("arrivals", OldMessage.End.UNKNOWN, Long.MAX_VALUE);
    ByteBuffer text = in.bytes("text", OldMessage.End.MAX_TEXT_BYTES);
    return new OldMessage.End(id, outcome, quiet, arrivals, in.printable(text));
  }
}
