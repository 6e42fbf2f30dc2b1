package io.reactivetransfer.tools.perf;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The reference of a ping-pong: blocking reads and writes of one socket, with as many hand-overs
 * between threads as ours has. Where ours signals on the NIC's thread there is none; else the
 * thread that reads hands over to a second one, as to the claim's subscriber, and that one to a
 * third that writes, as by a submit.
 */
final class NioPingPong implements AutoCloseable {

  private final SocketChannel socket;
  private final ByteBuffer slot;
  private final List<ExecutorService> stages;

  /** The player at this end of a connection. */
  NioPingPong(SocketChannel socket, ByteBuffer slot, Signals signals) {
    this.socket = socket;
    this.slot = slot;
    this.stages =
        signals == Signals.NIC ? List.of() : List.of(stage("subscriber"), stage("writer"));
  }

  private static ExecutorService stage(String name) {
    return Executors.newSingleThreadExecutor(
        Thread.ofPlatform().daemon().name("perf-nio-" + name).factory());
  }

  /** Serves, and goes on until the time is up. */
  static RunFigures run(ByteBuffer slot, Signals signals, InetSocketAddress receiver, long nanos)
      throws IOException {
    Tally tally = new Tally(nanos);
    try (SocketChannel socket = NioSender.connect(receiver, NioReceiver.PING_PONG);
        NioPingPong player = new NioPingPong(socket, slot, signals)) {
      long hit = System.nanoTime();
      long now = hit;
      player.write();
      while (NioReceiver.fill(socket, slot)) {
        now = System.nanoTime();
        tally.done(now - hit);
        if (tally.isTimeUp(now)) {
          break;
        }
        hit = now;
        player.hit();
      }
    }
    tally.ended(null);
    return tally.figures(Usage.NONE, 0);
  }

  /** Returns what comes, until the other side ends. */
  void returnAll() throws IOException {
    while (NioReceiver.fill(socket, slot)) {
      hit();
    }
  }

  private void hit() throws IOException {
    if (stages.isEmpty()) {
      write();
    } else {
      stages.getFirst().execute(() -> stages.getLast().execute(this::writeOrFail));
    }
  }

  private void write() throws IOException {
    NioSender.write(socket, slot);
  }

  private void writeOrFail() {
    try {
      write();
    } catch (IOException e) {
      closeSocket(); // and no more: this thread is one of those that a close waits for
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    stages.forEach(ExecutorService::close); // each lets the next one finish
    closeSocket();
  }

  private void closeSocket() {
    try {
      socket.close();
    } catch (IOException e) {
      // then it is no more open than after a close
    }
  }
}
