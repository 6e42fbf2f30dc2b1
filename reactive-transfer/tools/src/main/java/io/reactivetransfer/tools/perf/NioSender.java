package io.reactivetransfer.tools.perf;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The reference of tcp: one thread that writes from direct buffers to a blocking socket. First a
 * stream, which gives the throughput; then, for a quarter of the time, one byte comes back for each
 * operation, which gives the latency with as many outstanding as ours has.
 */
final class NioSender {

  private static final int LATENCY_SHARE = 4;

  private NioSender() {}

  static RunFigures run(Layout layout, MemorySegment source, InetSocketAddress receiver, long nanos)
      throws IOException, InterruptedException {
    ByteBuffer[] slots = NioReceiver.slots(layout, source);
    try {
      RunFigures stream = stream(slots, receiver, nanos);
      RunFigures latency =
          NioRoundTrips.run(slots, layout.outstanding(), receiver, nanos / LATENCY_SHARE);
      return new RunFigures(
          stream.operations(),
          stream.nanos(),
          latency.p50Nanos(),
          latency.p99Nanos(),
          latency.p999Nanos(),
          Usage.NONE,
          0);
    } catch (IOException e) {
      throw new IOException(
          "the reference lost the target at port " + receiver.getPort() + ": " + e.getMessage(), e);
    }
  }

  static SocketChannel connect(InetSocketAddress receiver, byte mode) throws IOException {
    SocketChannel socket = SocketChannel.open(receiver);
    socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
    write(socket, ByteBuffer.allocateDirect(1).put(0, mode));
    return socket;
  }

  static void write(SocketChannel socket, ByteBuffer bytes) throws IOException {
    bytes.rewind();
    while (bytes.hasRemaining()) {
      socket.write(bytes);
    }
  }

  private static RunFigures stream(ByteBuffer[] slots, InetSocketAddress receiver, long nanos)
      throws IOException {
    try (SocketChannel socket = connect(receiver, NioReceiver.STREAM)) {
      long start = System.nanoTime();
      long operations = 0;
      do {
        write(socket, slots[(int) (operations++ % slots.length)]);
      } while (System.nanoTime() - start < nanos);
      socket.shutdownOutput();
      ByteBuffer reply = ByteBuffer.allocateDirect(Long.BYTES);
      while (reply.hasRemaining()) {
        if (socket.read(reply) < 0) {
          throw new EOFException("it ended the connection");
        }
      }
      long elapsed = System.nanoTime() - start;
      if (reply.getLong(0) != operations) {
        throw new IOException("it got " + reply.getLong(0) + " operations of " + operations);
      }
      return new RunFigures(operations, elapsed, 0, 0, 0, Usage.NONE, 0);
    }
  }
}
