package io.reactivetransfer.engine.peers;

import io.reactivetransfer.engine.base.Answer;
import io.reactivetransfer.engine.base.Chain;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one channel between this engine and one peer: what waits to be sent, what is on
 * its way in, and how many each side lets the other send. Credits are those of the present session:
 * it carries what was said once and in order, and when it ends, they end with it.
 */
final class ChannelMail {

  /** A message that waits. No record: each is itself, whatever is in it. */
  static final class Outgoing {
    final ByteBuffer frames;
    final Answer<Void> answer;

    /** Its place among those of its channel to its peer. */
    final Chain.Link<Outgoing> place = new Chain.Link<>(this);

    Outgoing(ByteBuffer frames, Answer<Void> answer) {
      this.frames = frames;
      this.answer = answer;
    }

    int length() {
      return frames.capacity() - ControlFrame.MESSAGE_HEADER_BYTES;
    }
  }

  final int number;
  final Chain<Outgoing> outgoing = new Chain<>();

  /** How much of the first one that waits was sent. */
  private int sentOfFirst;

  /** Messages, and bytes of them, that the peer takes now. */
  private int credits;

  private long creditBytes;

  /** Messages, and bytes of them, that the peer may still send. */
  int allowed;

  long allowedBytes;

  /** Messages of the peer, and their bytes, that the application has not taken. */
  int untaken;

  long untakenBytes;

  /** What is coming in. */
  private @Nullable HalfMessage arriving;

  ChannelMail(int number) {
    this.number = number;
  }

  /** The session is over. */
  void interrupted() {
    sentOfFirst = 0;
    credits = 0;
    creditBytes = 0;
    allowed = 0;
    allowedBytes = 0;
    HalfMessage half = arriving;
    arriving = null;
    if (half != null) {
      half.interrupted();
    }
  }

  /** The engine closes: nobody gets what has come of a message of which not all has. */
  void close() {
    arriving = null;
  }

  // ---- out ----

  /** The peer takes so many more. */
  void credit(int messages, int bytes, int max) {
    credits = (int) Math.min(max, (long) credits + messages);
    creditBytes += bytes;
  }

  /** Whether a part of one was sent, and the rest may follow now, or a whole one. */
  boolean canSend() {
    Chain.Link<Outgoing> first = outgoing.first();
    return first != null
        && (sentOfFirst > 0 || (credits > 0 && first.member().length() <= creditBytes));
  }

  /** Whether this one is on its way, and cannot be withdrawn. */
  boolean hasBegun(Outgoing message) {
    Chain.Link<Outgoing> first = outgoing.first();
    return sentOfFirst > 0 && first != null && first.member() == message;
  }

  /** The next frame, of the first that waits. */
  ByteBuffer next(Outgoing message) {
    return ControlFrame.part(message.frames, sentOfFirst);
  }

  /** That was sent; whether it was the last of its message. */
  boolean sent(Outgoing message) {
    if (sentOfFirst == 0) {
      credits--;
      creditBytes -= message.length();
    }
    sentOfFirst += ControlFrame.MAX_PART_BYTES;
    if (sentOfFirst < message.length()) {
      return false;
    }
    sentOfFirst = 0;
    outgoing.remove(message.place);
    return true;
  }

  // ---- in ----

  /**
   * Whether a part of a message may come: whether it is the next one, or the first of a message
   * that was allowed.
   *
   * @param left how much of the message is behind it
   * @param bytes how long the part is
   * @param longest the longest message that may come
   */
  boolean mayCome(int left, int bytes, int longest) {
    if (left < 0 || (left > 0 && bytes == 0)) {
      return false;
    }
    HalfMessage message = arriving;
    if (message != null) {
      return message.missing() - bytes == left;
    }
    return allowed > 0 && (long) left + bytes <= Math.min(longest, allowedBytes);
  }

  /** How much more of memory is taken once a part of so many bytes has come. */
  int growth(int bytes) {
    HalfMessage message = arriving;
    return message == null ? InboxRoom.MESSAGE_BYTES + bytes : message.growth(bytes);
  }

  /**
   * A part of a message has come, which may.
   *
   * @param left how much of the message is behind it
   * @param room where it is counted
   * @return the message, if that was the last part; null if it was not
   */
  byte @Nullable [] received(int left, ByteBuffer part, InboxRoom room) {
    int bytes = part.remaining();
    HalfMessage message = arriving;
    if (message == null) {
      allowed--;
      allowedBytes -= left + bytes;
      message = new HalfMessage(room, number, left + bytes, bytes);
    }
    message.add(part);
    arriving = left == 0 ? null : message;
    if (left > 0) {
      return null;
    }
    untaken++;
    untakenBytes += message.bytes().length;
    return message.bytes();
  }

  /** A message of which not all has come. */
  @Nullable HalfMessage arriving() {
    return arriving;
  }

  /** What waits for the application takes so many bytes, with that of which not all has come. */
  long unreadBytes() {
    HalfMessage half = arriving;
    long whole = untakenBytes + (long) InboxRoom.MESSAGE_BYTES * untaken;
    return whole + (half == null ? 0 : InboxRoom.MESSAGE_BYTES + half.held());
  }

  /** The application has taken one of so many bytes. */
  void taken(int bytes) {
    untaken--;
    untakenBytes -= bytes;
  }

  boolean isIdle() {
    return outgoing.isEmpty() && untaken == 0 && arriving == null;
  }
}
