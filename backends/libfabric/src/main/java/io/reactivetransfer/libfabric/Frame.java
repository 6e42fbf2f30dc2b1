package io.reactivetransfer.libfabric;

import io.reactivetransfer.EngineId;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one NIC says to another, in one message: who says it to whom, where it comes in the
 * conversation, and the content. A conversation is numbered anew, as the next epoch, when its
 * sender has lost the receiver.
 *
 * @param type what the content is
 * @param target instance of the NIC that it is for
 * @param sender engine that it is from
 * @param instance of the NIC that it is from
 * @param epoch of the conversation, from 1
 * @param number of the frame in its epoch, from 0; 0 for one outside of the order
 * @param name of the sender's endpoint, to answer to
 * @param content the rest; valid as long as the message's buffer
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Frame(
    Type type,
    long target,
    EngineId sender,
    long instance,
    int epoch,
    long number,
    byte[] name,
    ByteBuffer content) {

  private static final byte VERSION = 1;
  private static final int FIXED_BYTES = 47;

  /** What a frame is for. */
  enum Type {
    /** A message of the engine's. */
    CONTROL(true),
    /** Where may memory with this token be written? An ask's number, a token. */
    ASK(true),
    /** There: the ask's number, address, key, length, and the name of an endpoint. */
    GRANT(true),
    /** Nowhere: the ask's number, and why. */
    DENY(true),
    /** The sender closes (1), or has given the receiver up (0): that, and the reason. */
    BYE(true),
    /** Something before this epoch's frame has not come: the epoch. Outside of the order. */
    RESET(false);

    private static final List<Type> ALL = List.of(values());

    private final boolean inOrder;

    Type(boolean inOrder) {
      this.inOrder = inOrder;
    }

    /** Whether it has a number in its epoch. */
    boolean isInOrder() {
      return inOrder;
    }

    /** What travels; types are added at the end only. */
    byte code() {
      return (byte) ALL.indexOf(this);
    }
  }

  /** The length of what comes before the content. */
  static int headBytes(byte[] name) {
    return FIXED_BYTES + name.length;
  }

  /** Puts a frame into a buffer. */
  static void write(
      ByteBuffer out,
      Type type,
      FabricPeer target,
      EngineId sender,
      long instance,
      byte[] name,
      ByteBuffer content) {
    out.put(VERSION)
        .put(type.code())
        .putLong(target.instance())
        .putLong(sender.high())
        .putLong(sender.low())
        .putLong(instance)
        .putInt(target.epoch())
        .putLong(type.isInOrder() ? target.nextNumber() : 0)
        .put((byte) name.length)
        .put(name)
        .put(content.duplicate());
  }

  /** Reads a frame; null if it is none, whoever sent it. */
  static @Nullable Frame read(ByteBuffer in) {
    if (in.remaining() < FIXED_BYTES || in.get() != VERSION) {
      return null;
    }
    int type = in.get();
    long target = in.getLong();
    EngineId sender = new EngineId(in.getLong(), in.getLong());
    long instance = in.getLong();
    int epoch = in.getInt();
    long number = in.getLong();
    int length = Byte.toUnsignedInt(in.get());
    if (type < 0 || type >= Type.ALL.size() || length > in.remaining()) {
      return null;
    }
    byte[] name = new byte[length];
    in.get(name);
    return new Frame(Type.ALL.get(type), target, sender, instance, epoch, number, name, in.slice());
  }
}
