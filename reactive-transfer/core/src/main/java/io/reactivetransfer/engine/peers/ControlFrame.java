package io.reactivetransfer.engine.peers;

import io.reactivetransfer.EngineId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What engines say to each other over the backend's own messages: one byte that says which kind,
 * then the content.
 */
public final class ControlFrame {

  /**
   * The first thing that a peer is told in each session: a {@link Greeting}. 32 bits each: {@code
   * epoch}, {@code known} and {@code longest}. Then the address of the sender in its binary form,
   * and behind one byte that says how many NICs it has, for each of them its address and the key of
   * its doorbell; all these with a length of 16 bits before them.
   */
  public static final byte HELLO = 1;

  /**
   * A part of a message of the application: 8 bits of its channel, 32 bits of how many bytes of it
   * are left behind this part, and these bytes. Parts of one message follow each other in their
   * channel.
   */
  public static final byte MESSAGE = 2;

  /**
   * 32 bits of the number that the receiver gave in its greeting; 8 bits of a channel, or {@link
   * #ALL_CHANNELS}; then how many more messages of it the sender of this frame takes, and how many
   * bytes of them: 32 bits each. Void if the receiver has begun anew meanwhile.
   */
  public static final byte CREDIT = 3;

  /** Asks for a sign of life. */
  static final byte ASK = 4;

  /** Gives one. */
  static final byte ALIVE = 5;

  /**
   * Something that is counted was given up: 32 bits of a number, counted from 1 for each peer, 32
   * bits of the immediate, 64 bits of the shares that are to be taken back, 8 bits of flags, 32
   * bits of the number that the receiver gave in its greeting, or 0, and the reason as UTF-8. Void
   * if the receiver has begun anew.
   */
  public static final byte ABORT = 6;

  /**
   * The sender has entered the next round of a barrier: 16 bytes of the group's id. Then 32 bits
   * each: the number that the receiver gave in its greeting, or 0; the number of this entry,
   * counted over all groups; and up to which number the sender knows those of the receiver.
   */
  public static final byte BARRIER = 7;

  /** NICs of the sender have failed: one byte, a bit for each, by their number in its address. */
  public static final byte NICS_FAILED = 8;

  /** Aborts are known, all up to the one with this number: 32 bits. */
  public static final byte ABORTED = 9;

  /**
   * What was in doubt is dropped, as told by all aborts up to this one: 32 bits of the immediate,
   * 32 bits of the number.
   */
  public static final byte CLEARED = 10;

  /** A flag of an abort: claims that wait for the immediate fail. */
  public static final int FAILS = 1;

  /** If none waits, the next one that would have to. */
  public static final int NOTE = 2;

  /** Nobody knows what was counted. */
  public static final int DOUBT = 4;

  /**
   * The origin has begun anew under the immediate: what it told before concerns nobody any more.
   */
  public static final int RESUMED = 8;

  /** All flags of an abort. */
  public static final int ABORT_FLAGS = FAILS | NOTE | DOUBT | RESUMED;

  /** The immediate of an abort that concerns all of them. */
  public static final int ALL_IMMS = -1;

  /** The sender forgets the receiver, as if both had never met: the reason as UTF-8. */
  public static final byte DISMISSAL = 11;

  /** A NIC says something to a NIC: one byte each for the sender's and the receiver's number. */
  public static final byte NIC_MESSAGE = 12;

  /** The sender is about to write to a region of the receiver: 64 bits of its number. */
  public static final byte USES = 13;

  /** The sender revokes a region of its own: nobody is to write there. 64 bits of its number. */
  public static final byte REVOKE = 14;

  /** The sender writes there no more, and nothing of it is on its way. 64 bits of the number. */
  public static final byte STOPPED = 15;

  /**
   * A NIC of the sender has lost its way to one of the receiver: what is still on that way is not
   * to come in. One byte each for the sender's and the receiver's number.
   */
  public static final byte FENCE = 16;

  /** That is so: one byte each for the sender's and the receiver's number. */
  public static final byte FENCED = 17;

  /** One more than the highest kind. */
  static final int KINDS = FENCED + 1;

  private static final int MAX_REASON_CHARS = 200;

  /** Says that a reason was longer. */
  private static final String CUT = "...";

  /** The kind. */
  public static final int HEADER_BYTES = 1;

  /** A part of a message without its bytes. */
  public static final int MESSAGE_HEADER_BYTES = HEADER_BYTES + 1 + Integer.BYTES;

  /** The longest part of a message. */
  public static final int MAX_PART_BYTES = 16 * 1024;

  /** A credit without its kind. */
  static final int CREDIT_BYTES = 3 * Integer.BYTES + 1;

  /** The channel of a credit that holds for each of them. */
  public static final int ALL_CHANNELS = -1;

  /** An entry into a round of a barrier without its kind. */
  static final int BARRIER_BYTES = EngineId.BYTES + 3 * Integer.BYTES;

  /** An abort without its kind and its reason. */
  public static final int ABORT_BYTES = 3 * Integer.BYTES + Long.BYTES + 1;

  /** No address is longer, so that every HELLO fits. */
  public static final int MAX_HELLO_BYTES = 8 * 1024;

  private ControlFrame() {}

  /**
   * Whether it is no defect if one comes whose sender is not known here any more.
   *
   * @param bytes behind its kind
   */
  static boolean mayComeFromStrangers(int kind, int bytes) {
    return switch (kind) {
      case ASK, ALIVE -> bytes == 0;
      case BARRIER -> bytes == BARRIER_BYTES;
      case DISMISSAL -> true;
      default -> false;
    };
  }

  /** Copies a message of the application. If it is short, this is its only part. */
  public static ByteBuffer message(int channel, ByteBuffer content) {
    return message(channel, 0, content);
  }

  private static ByteBuffer message(int channel, int left, ByteBuffer content) {
    return ByteBuffer.allocate(MESSAGE_HEADER_BYTES + content.remaining())
        .put(MESSAGE)
        .put((byte) channel)
        .putInt(left)
        .put(content.duplicate())
        .flip();
  }

  /** The part of a message that begins there. */
  static ByteBuffer part(ByteBuffer message, int from) {
    int all = message.capacity() - MESSAGE_HEADER_BYTES;
    if (all <= MAX_PART_BYTES) {
      return message;
    }
    int length = Math.min(MAX_PART_BYTES, all - from);
    ByteBuffer content = message.slice(MESSAGE_HEADER_BYTES + from, length);
    return message(message.get(1), all - from - length, content);
  }

  static ByteBuffer ask() {
    return ByteBuffer.allocate(HEADER_BYTES).put(ASK).flip();
  }

  public static ByteBuffer alive() {
    return ByteBuffer.allocate(HEADER_BYTES).put(ALIVE).flip();
  }

  public static ByteBuffer abort(AbortFrame abort, int receiverEpoch) {
    byte[] text = clip(abort.text()).getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(HEADER_BYTES + ABORT_BYTES + text.length)
        .put(ABORT)
        .putInt(abort.seq())
        .putInt(abort.imm())
        .putLong(abort.shares())
        .put((byte) abort.flags())
        .putInt(receiverEpoch)
        .put(text)
        .flip();
  }

  /** A reason as others are told it, and keep it. */
  public static String clip(String reason) {
    return reason.length() <= MAX_REASON_CHARS
        ? reason
        : reason.substring(0, MAX_REASON_CHARS - CUT.length()) + CUT;
  }

  public static ByteBuffer aborted(int seq) {
    return ByteBuffer.allocate(HEADER_BYTES + Integer.BYTES).put(ABORTED).putInt(seq).flip();
  }

  public static ByteBuffer cleared(int imm, int seq) {
    return ByteBuffer.allocate(HEADER_BYTES + 2 * Integer.BYTES)
        .put(CLEARED)
        .putInt(imm)
        .putInt(seq)
        .flip();
  }

  public static ByteBuffer barrier(EngineId group, int receiverEpoch, int number, int known) {
    return ByteBuffer.allocate(HEADER_BYTES + BARRIER_BYTES)
        .put(BARRIER)
        .putLong(group.high())
        .putLong(group.low())
        .putInt(receiverEpoch)
        .putInt(number)
        .putInt(known)
        .flip();
  }

  static ByteBuffer dismissal(String reason) {
    byte[] text = clip(reason).getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(HEADER_BYTES + text.length).put(DISMISSAL).put(text).flip();
  }

  public static ByteBuffer nicsFailed(int nics) {
    return ByteBuffer.allocate(HEADER_BYTES + 1).put(NICS_FAILED).put((byte) nics).flip();
  }

  static ByteBuffer nicMessage(int from, int to, ByteBuffer bytes) {
    return ByteBuffer.allocate(HEADER_BYTES + 2 + bytes.remaining())
        .put(NIC_MESSAGE)
        .put((byte) from)
        .put((byte) to)
        .put(bytes.duplicate())
        .flip();
  }

  public static ByteBuffer fence(int from, int to) {
    return aboutWay(FENCE, from, to);
  }

  public static ByteBuffer fenced(int from, int to) {
    return aboutWay(FENCED, from, to);
  }

  private static ByteBuffer aboutWay(byte kind, int from, int to) {
    return ByteBuffer.allocate(HEADER_BYTES + 2).put(kind).put((byte) from).put((byte) to).flip();
  }

  public static ByteBuffer uses(long region) {
    return aboutRegion(USES, region);
  }

  public static ByteBuffer revoke(long region) {
    return aboutRegion(REVOKE, region);
  }

  public static ByteBuffer stopped(long region) {
    return aboutRegion(STOPPED, region);
  }

  private static ByteBuffer aboutRegion(byte kind, long region) {
    return ByteBuffer.allocate(HEADER_BYTES + Long.BYTES).put(kind).putLong(region).flip();
  }

  public static ByteBuffer credit(int receiverEpoch, int channel, int messages, int bytes) {
    return ByteBuffer.allocate(HEADER_BYTES + CREDIT_BYTES)
        .put(CREDIT)
        .putInt(receiverEpoch)
        .put((byte) channel)
        .putInt(messages)
        .putInt(bytes)
        .flip();
  }
}
