package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelId;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.UncheckedBooleanSupplier;
import java.util.Arrays;

/**
 * One connection without a network, on the test's own thread. Reads as Netty's sockets do: into a
 * buffer that the connection chose, only while it wants to read; and takes only as much of what is
 * written as it has room for.
 */
final class FuzzSocket extends EmbeddedChannel {

  private static final ChannelId ID =
      new ChannelId() {
        private static final long serialVersionUID = 1L;

        @Override
        public String asShortText() {
          return "fuzz";
        }

        @Override
        public String asLongText() {
          return "fuzz";
        }

        @Override
        public int compareTo(ChannelId other) {
          return 0;
        }
      };

  private final Link link;
  private RecvByteBufAllocator.ExtendedHandle reads;
  private byte[] taken = new byte[256];
  private int takenBytes;

  /** How many more bytes of what is written it takes. */
  private int room = Integer.MAX_VALUE;

  private FuzzSocket(ChannelHandler first, Link link) {
    super(ID, false, false, first, link);
    this.link = link;
  }

  /** Connects the link, with another handler before it. */
  static FuzzSocket connect(
      TrackedBuffers buffers, int readBytes, ChannelHandler first, Link link) {
    FuzzSocket socket = new FuzzSocket(first, link);
    socket
        .config()
        .setAllocator(buffers)
        .setRecvByteBufAllocator(new FixedRecvByteBufAllocator(readBytes))
        .setWriteBufferWaterMark(new WriteBufferWaterMark(128, 512));
    try {
      socket.register();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    return socket;
  }

  /** Has it read from these bytes once; how many it read. */
  int readFrom(byte[] bytes, int from, int to) {
    if (!isOpen() || !config().isAutoRead() || from == to) {
      return 0;
    }
    if (reads == null) {
      reads = (RecvByteBufAllocator.ExtendedHandle) config().getRecvByteBufAllocator().newHandle();
    }
    reads.reset(config());
    ByteBuf buffer = reads.allocate(alloc());
    int length = Math.min(to - from, buffer.writableBytes());
    if (length == 0) {
      throw new AssertionError("expected room to read into, got none");
    }
    reads.attemptedBytesRead(buffer.writableBytes());
    buffer.writeBytes(bytes, from, length);
    reads.lastBytesRead(length);
    reads.incMessagesRead(1);
    pipeline().fireChannelRead(buffer);
    if (buffer.refCnt() != 0 && !link.keepsAny()) {
      throw new AssertionError("expected what was read to be released, got " + buffer);
    }
    boolean _ = reads.continueReading(UncheckedBooleanSupplier.TRUE_SUPPLIER);
    reads.readComplete();
    pipeline().fireChannelReadComplete();
    runPendingTasks();
    return length;
  }

  /** The other side has ended the connection. */
  void end() {
    var _ = close();
    runPendingTasks();
  }

  void room(int bytes) {
    room = bytes;
    if (isOpen()) {
      flush();
      runPendingTasks();
    }
  }

  /** All that it took. */
  byte[] taken() {
    return Arrays.copyOf(taken, takenBytes);
  }

  int takenBytes() {
    return takenBytes;
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer out) {
    for (Object next; (next = out.current()) != null; ) {
      ByteBuf buffer = (ByteBuf) next;
      int length = Math.min(buffer.readableBytes(), room);
      if (length == 0 && buffer.isReadable()) {
        return;
      }
      if (taken.length - takenBytes < length) {
        taken = Arrays.copyOf(taken, Math.max(2 * taken.length, takenBytes + length));
      }
      buffer.getBytes(buffer.readerIndex(), taken, takenBytes, length);
      takenBytes += length;
      room -= room == Integer.MAX_VALUE ? 0 : length;
      out.removeBytes(length);
    }
  }
}
