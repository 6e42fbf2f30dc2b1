package io.reactivetransfer.tools.perf;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * The reference of a fan-out: one thread writes to many blocking sockets, one after another, and
 * then reads a byte of each; at the other end each socket has a thread of its own, as each engine
 * has, which reads what was written and sends that byte.
 */
final class NioFanOut {

  private NioFanOut() {}

  static RunFigures run(ByteBuffer[] writes, InetSocketAddress receiver, long nanos)
      throws IOException {
    List<SocketChannel> sockets = new ArrayList<>();
    try {
      for (ByteBuffer _ : writes) {
        sockets.add(NioSender.connect(receiver, NioReceiver.ACKNOWLEDGED));
      }
      Tally tally = new Tally(nanos);
      ByteBuffer reply = ByteBuffer.allocateDirect(1);
      long start = System.nanoTime();
      long now = start;
      do {
        for (int i = 0; i < writes.length; i++) {
          NioSender.write(sockets.get(i), writes[i]);
        }
        for (SocketChannel socket : sockets) {
          if (!NioReceiver.fill(socket, reply)) {
            throw new EOFException("it ended the connection");
          }
        }
        now = System.nanoTime();
        tally.done(now - start);
        start = now;
      } while (!tally.isTimeUp(now));
      tally.ended(null);
      return tally.figures(Usage.NONE, 0);
    } finally {
      for (SocketChannel socket : sockets) {
        socket.close();
      }
    }
  }
}
