package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What an origin sends that keeps to the protocol mostly, and knows a few keys. */
final class HostileOrigin {

  /** Memory that it knows of, or has known of. */
  record Known(byte[] key, int length) {}

  private static final int MAX_BODY_BYTES = 700;
  private static final int LONG_BYTES = 66_000;
  private static final int FIRST_PART_BYTES = 65_536;

  private final Input in;
  private final List<Known> known;
  private final List<byte[]> said = new ArrayList<>();

  HostileOrigin(Input in, List<Known> known) {
    this.in = in;
    this.known = known;
  }

  /** The next thing that it sends. */
  byte[] next() {
    byte[] bytes;
    if (!said.isEmpty() && in.chance(10)) {
      bytes = in.oneOf(said); // again, or out of its place
    } else {
      bytes = frame();
      said.add(bytes);
    }
    return in.chance(8) ? Mutation.some(in, bytes) : bytes;
  }

  private byte[] frame() {
    int kind = in.below(100);
    if (kind < 12) {
      return rows();
    }
    if (kind < 16) {
      return many();
    }
    if (kind < 45) {
      Known target = in.oneOf(known);
      int length = in.below(1 + Math.min(target.length(), MAX_BODY_BYTES));
      if (target.length() > LONG_BYTES && in.chance(50)) { // read straight to its place
        length = in.between(LONG_BYTES, target.length());
      }
      return write(target.key(), in.below(1 + target.length() - length), length, length);
    }
    if (kind < 55) { // does not fit, or is not what it says
      Known target = in.oneOf(known);
      int length = in.below(64);
      long offset = in.chance(50) ? in.edge() : target.length() - in.below(2 + length);
      return write(target.key(), offset, length, length);
    }
    if (kind < 58) {
      return write(in.oneOf(known).key(), in.edge(), in.edge(), in.below(64));
    }
    if (kind < 64) {
      byte[] key = in.chance(30) ? in.bytes(16) : Mutation.one(in, in.oneOf(known).key());
      int length = in.below(64);
      return write(Arrays.copyOf(key, 16), 0, length, length);
    }
    if (kind < 93) {
      return goodbye((int) in.edge(), in.chance(50) ? in.below(40) : in.between(510, 515));
    }
    if (kind < 97) {
      return new byte[0];
    }
    return kind < 98 ? between() : in.bytes(in.between(1, 60));
  }

  /** Short writes of which every other one is refused: more than fit into one buffer of answers. */
  private byte[] many() {
    Known target = in.oneOf(known);
    ByteBuf out = Unpooled.buffer();
    for (int i = in.between(4, 24); i > 0; i--) {
      Wire.putWrite(out, false, 0, MemoryKey.decode(target.key()), 0, 0);
      Wire.putWrite(out, false, 0, MemoryKey.decode(target.key()), target.length() + 1, 0);
    }
    return FuzzHandshake.bytes(out);
  }

  /** A write in rows, which fits mostly. */
  private byte[] rows() {
    Known target = in.oneOf(known);
    int rows = in.between(2, 9);
    int most = Math.min(target.length() / rows, in.chance(20) ? target.length() : 70);
    int rowLength = in.between(1, Math.max(1, most));
    int gap = in.below(1 + Math.max(0, (target.length() - rows * rowLength) / (rows - 1)));
    int extent = rows * rowLength + (rows - 1) * gap;
    long offset = in.below(1 + Math.max(0, target.length() - extent));
    long stride = rowLength + gap;
    long length = (long) rows * rowLength;
    int body = rows * rowLength;
    switch (in.below(20)) { // does not fit, or cannot be
      case 0 -> offset = in.edge();
      case 1 -> stride = in.edge();
      case 2 -> stride += in.below(9) - 4;
      case 3 -> offset += in.below(9);
      case 4 -> rows = (int) in.edge();
      case 5 -> length += in.below(9) - 4;
      case 6 -> rows = rowLength * rows; // of one byte each, too many perhaps
      default -> {}
    }
    ByteBuf out = Unpooled.buffer();
    MemoryKey key = MemoryKey.decode(target.key());
    Wire.putWrite(out, in.chance(50), in.anyInt(), key, offset, length);
    return write(out.setByte(0, Wire.ROWS).writeInt(rows).writeLong(stride), body);
  }

  private byte[] write(byte[] key, long offset, long length, int body) {
    ByteBuf out = Unpooled.buffer();
    boolean hasImm = in.chance(50);
    Wire.putWrite(out, hasImm, in.anyInt(), MemoryKey.decode(key), offset, length);
    return write(out, body);
  }

  /** The bytes of a write that has this head. */
  private byte[] write(ByteBuf out, int body) {
    if (in.chance(1)) {
      out.setByte(1, in.anyInt());
    }
    if (in.chance(1)) {
      out.setInt(2, in.anyInt());
    }
    int first = Math.min(body, FIRST_PART_BYTES);
    out.writeBytes(in.bytes(first));
    for (int left = body - first, part; left > 0; left -= part) {
      if (in.chance(20)) {
        out.writeBytes(between());
      }
      if (in.chance(10)) { // gives it up
        Wire.putMore(out, 0);
        break;
      }
      part = in.chance(50) ? left : in.between(1, left);
      Wire.putMore(out, part).writeBytes(in.bytes(part));
    }
    return FuzzHandshake.bytes(out);
  }

  /** What may come between two parts of a write, and what may not. */
  private byte[] between() {
    int length = in.chance(50) ? (int) in.edge() : in.below(3);
    return in.chance(90)
        ? fromATarget()
        : FuzzHandshake.bytes(Wire.putMore(Unpooled.buffer(), length));
  }

  private byte[] goodbye(int code, int length) {
    ByteBuf out = Unpooled.buffer().writeByte(Wire.GOODBYE).writeShort(code).writeShort(length);
    return FuzzHandshake.bytes(out.writeBytes(in.bytes(length)));
  }

  private byte[] fromATarget() {
    ByteBuf out = Unpooled.buffer();
    return FuzzHandshake.bytes(
        in.chance(50)
            ? Wire.putAck(out, in.edge())
            : Wire.putNack(out, in.edge(), ErrorCode.BOUNDS.because("no")));
  }
}
