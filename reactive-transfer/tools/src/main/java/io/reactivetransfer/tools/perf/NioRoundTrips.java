package io.reactivetransfer.tools.perf;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/** Latency of the reference of tcp: one thread writes, another one reads what comes back. */
final class NioRoundTrips {

  private static final int REPLY_BYTES = 4096;

  private final SocketChannel socket;
  private final Tally tally;
  private final Semaphore room;
  private final AtomicLongArray submittedNanos;

  private NioRoundTrips(SocketChannel socket, int outstanding, long nanos) {
    this.socket = socket;
    this.tally = new Tally(nanos);
    this.room = new Semaphore(outstanding);
    this.submittedNanos = new AtomicLongArray(outstanding);
  }

  static RunFigures run(ByteBuffer[] slots, int outstanding, InetSocketAddress receiver, long nanos)
      throws IOException, InterruptedException {
    try (SocketChannel socket = NioSender.connect(receiver, NioReceiver.ACKNOWLEDGED)) {
      NioRoundTrips trips = new NioRoundTrips(socket, outstanding, nanos);
      Thread reader =
          Thread.ofPlatform().daemon().name("perf-nio-replies").start(trips::readReplies);
      trips.write(slots);
      reader.join();
      return trips.tally.figures(Usage.NONE, 0);
    }
  }

  private void write(ByteBuffer[] slots) throws IOException, InterruptedException {
    long operation = 0;
    long now = System.nanoTime();
    while (operation == 0 || !tally.isTimeUp(now)) {
      if (!room.tryAcquire(1, TimeUnit.MINUTES)) {
        throw new EOFException("it sends nothing back");
      }
      now = System.nanoTime();
      submittedNanos.set((int) (operation % submittedNanos.length()), now);
      NioSender.write(socket, slots[(int) (operation++ % slots.length)]);
    }
    socket.shutdownOutput();
  }

  /** Until the receiver has ended, too. */
  private void readReplies() {
    ByteBuffer replies = ByteBuffer.allocateDirect(REPLY_BYTES);
    long operation = 0;
    try {
      int count;
      while ((count = socket.read(replies.clear())) >= 0) {
        long now = System.nanoTime();
        for (int i = 0; i < count; i++) {
          int slot = (int) (operation++ % submittedNanos.length());
          tally.done(now - submittedNanos.get(slot));
        }
        room.release(count);
      }
    } catch (IOException e) {
      room.release(Integer.MAX_VALUE / 2); // the writer fails by itself, and says why
    }
    tally.ended(null);
  }
}
