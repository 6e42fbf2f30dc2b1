package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelConfig;
import io.netty.channel.epoll.EpollSocketChannelConfig;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.control.socket.SocketConnection;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A connection of a NIC: what both its ends have in common. */
abstract class Link extends SocketConnection {

  /** A read of no more is one of a few short frames. */
  private static final int SHORT_READ_BYTES = 1_024;

  /** So many of them cost far more than the call that is made once for them. */
  private static final int SHORT_READS = 64;

  private final SmallBuffers smallBuffers;
  private final boolean encrypts;
  private int goodbyeCode;
  private int shortReads;

  Link(TcpLoop loop) {
    super(loop.eventLoop());
    this.smallBuffers = loop.smallBuffers();
    this.encrypts = loop.encrypts();
  }

  /** The frame that tells the other side why a connection is closed that it spoke wrongly on. */
  abstract ByteBuf rejection(Failure why);

  /** An empty buffer for a frame of so many bytes. */
  final ByteBuf frame(int bytes) {
    return smallBuffers.take(context().alloc(), bytes);
  }

  /** Writes, and sends all that was written. */
  final void send(ByteBuf out) {
    write(out);
    context().flush();
  }

  void write(ByteBuf out) {
    var _ = context().write(out, context().voidPromise());
  }

  /**
   * Ends the connection because this side has no more to do with the other one, which is told so if
   * it can be.
   *
   * @param farewell why, as the other side is to read it
   */
  final void endWith(Failure why, Failure farewell) {
    if (phase() == Phase.OPEN) {
      send(goodbye(farewell));
    }
    end(why);
  }

  /**
   * Ends the connection because this side closes: the other one is told, nobody on this side is.
   */
  final void close(Failure why) {
    if (phase() == Phase.OPEN) {
      send(goodbye(why));
    }
    shut();
  }

  @Override
  protected final void beginToRead() {
    ChannelConfig config = context().channel().config();
    if (!encrypts) { // else what is read is kept until it can be decrypted
      config.setRecvByteBufAllocator(
          new DirectRead(config.getRecvByteBufAllocator(), this::destination));
    }
    super.beginToRead();
  }

  /** What the socket is to read into next; null for a buffer of the pool. */
  @Nullable ByteBuf destination() {
    return smallBuffers.toRead();
  }

  @Override
  protected void take(ByteBuf in) {
    if (in.readableBytes() <= SHORT_READ_BYTES && shortReads++ % SHORT_READS == 0) {
      holdAcknowledgementsBack();
    }
    super.take(in);
  }

  /**
   * Has the system acknowledge every second short segment, instead of each one at once by a segment
   * of its own: that takes as long as the read. It does so by itself where the answer goes back on
   * the same connection; here it may go on another one. Not for good: it forgets it when an
   * acknowledgement was late once.
   */
  private void holdAcknowledgementsBack() {
    if (context().channel().config() instanceof EpollSocketChannelConfig config) {
      config.setTcpQuickAck(false);
    }
  }

  @Override
  protected final void sayWhy(Failure why) {
    send(rejection(why));
  }

  /** To be called with the head of a goodbye. */
  final void goodbyeHead(ByteBuffer head) {
    goodbyeCode = Short.toUnsignedInt(head.getShort());
    reader().collect(Wire.textLength(Short.toUnsignedInt(head.getShort())));
  }

  /** To be called with the text of a goodbye. */
  final void goodbyeText(byte[] text) {
    end(new Failure(goodbyeCode, where() + " closed the connection: " + Wire.text(text)));
  }

  final ByteBuf goodbye(Failure why) {
    return Wire.putGoodbye(frame(Wire.GOODBYE_BYTES + Wire.MAX_TEXT_BYTES), why);
  }
}
