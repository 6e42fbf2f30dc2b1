package io.reactivetransfer.control.socket;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/**
 * Cuts the byte stream of one connection into frames: a head whose length its first byte tells,
 * then a body that is either collected, for what is small, or streamed past. Holds no more than one
 * head and one collected body, whose length the other side of {@link Frames} has checked before it
 * asked for it.
 */
public final class FrameReader {

  /** What reads the frames. */
  public interface Frames {

    /**
     * How long a head is that begins with this byte, itself included.
     *
     * @throws ProtocolException if no head does
     */
    int headBytes(int firstByte);

    /** A head is here; says by {@link #collect} or {@link #stream} whether a body follows. */
    void head(ByteBuffer head);

    /** The body that was to be collected is here. */
    void collected(byte[] body);

    /**
     * A piece of a streamed body: takes so many bytes. Or fewer, because it is busy: then nothing
     * is read any more, and what is left is to be {@linkplain FrameReader#feed fed} again.
     */
    default void streamed(ByteBuf in, int length) {
      throw new IllegalStateException("expected no frame that is streamed");
    }

    /** The streamed body is complete. */
    default void streamEnded() {
      throw new IllegalStateException("expected no frame that is streamed");
    }
  }

  private enum Expects {
    HEAD,
    COLLECTED,
    STREAMED,
    NOTHING
  }

  private static final int MAX_HEAD_BYTES = 64;

  private final Frames frames;
  private final ByteBuffer head = ByteBuffer.allocate(MAX_HEAD_BYTES);
  private Expects expects = Expects.HEAD;
  private byte[] collecting = {};
  private int collected;
  private long toStream;

  /** For what reads the frames of one connection. */
  public FrameReader(Frames frames) {
    this.frames = frames;
    head.limit(0);
  }

  /** To be called in {@link Frames#head}: the next so many bytes are one piece. */
  public void collect(int length) {
    collecting = new byte[length];
    collected = 0;
    expects = Expects.COLLECTED;
  }

  /** To be called in {@link Frames#head}: the next so many bytes are passed on as they come. */
  public void stream(long length) {
    toStream = length;
    expects = Expects.STREAMED;
  }

  /** How much of a streamed body is still to come; 0 if none is. */
  public long toStream() {
    return expects == Expects.STREAMED ? toStream : 0;
  }

  /** How much of a head that has begun is still to come; 0 if none is. */
  public int headLeft() {
    return expects == Expects.HEAD ? head.remaining() : 0;
  }

  /** So many bytes of the streamed body have come, and are not to be passed on. */
  public void skip(int length) {
    toStream -= length;
    endStream();
  }

  /** Reads nothing any more. */
  public void stop() {
    expects = Expects.NOTHING;
  }

  /** Whether the stream stands between two frames, where it may end. */
  public boolean isBetweenFrames() {
    return expects == Expects.HEAD && head.limit() == 0;
  }

  /**
   * Reads what has come, until there is no more, or it is {@link #stop stopped}, or a piece of a
   * body is not taken whole.
   */
  public void feed(ByteBuf in) {
    while (step(in)) {
      // on to the next part
    }
  }

  /** Whether something moved forward. */
  private boolean step(ByteBuf in) {
    return switch (expects) {
      case HEAD -> readHead(in);
      case COLLECTED -> readCollected(in);
      case STREAMED -> readStreamed(in);
      case NOTHING -> false;
    };
  }

  private boolean readHead(ByteBuf in) {
    if (!in.isReadable()) {
      return false;
    }
    if (head.limit() == 0) {
      head.limit(frames.headBytes(in.getUnsignedByte(in.readerIndex())));
    }
    int length = Math.min(head.remaining(), in.readableBytes());
    in.readBytes(head.array(), head.position(), length);
    head.position(head.position() + length);
    if (!head.hasRemaining()) {
      frames.head(head.flip());
      head.clear().limit(0);
    }
    return true;
  }

  private boolean readCollected(ByteBuf in) {
    int length = Math.min(collecting.length - collected, in.readableBytes());
    in.readBytes(collecting, collected, length);
    collected += length;
    if (collected < collecting.length) {
      return false;
    }
    byte[] body = collecting;
    collecting = new byte[0];
    expects = Expects.HEAD;
    frames.collected(body);
    return true;
  }

  private boolean readStreamed(ByteBuf in) {
    int length = (int) Math.min(toStream, in.readableBytes());
    if (length > 0) {
      int from = in.readerIndex();
      frames.streamed(in, length);
      toStream -= in.readerIndex() - from;
    }
    return endStream();
  }

  /** Ends the streamed body if it is complete; whether it is. */
  private boolean endStream() {
    if (toStream > 0) {
      return false;
    }
    if (expects == Expects.STREAMED) {
      expects = Expects.HEAD;
      frames.streamEnded();
    }
    return true;
  }
}
