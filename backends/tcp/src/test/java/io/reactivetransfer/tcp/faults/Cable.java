package io.reactivetransfer.tcp.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A port that leads to another address of this machine, with faults: what goes through can be
 * delayed, throttled, crumbled, changed, and stopped without a word, and its connections can be
 * reset, or closed in one direction only. A fault stays, for later connections too, until {@link
 * #mend()}.
 */
public final class Cable implements AutoCloseable {

  /** Little, so that who is not read soon notices. */
  private static final int BUFFER_BYTES = 128 * 1024;

  private final ServerSocket server = new ServerSocket();
  private final InetSocketAddress to;
  private final Passage passage = new Passage();
  private final List<Line> lines = new CopyOnWriteArrayList<>();

  private Cable(InetSocketAddress from, InetSocketAddress to) throws IOException {
    this.to = to;
    server.setReceiveBufferSize(BUFFER_BYTES);
    server.bind(from);
    Thread.ofPlatform().daemon().name("cable to " + to).start(this::accept);
  }

  /** From a port to the same port of another address of this machine. */
  public static Cable lay(String from, String to, int port) {
    return lay(new InetSocketAddress(from, port), new InetSocketAddress(to, port));
  }

  /** From any free port to this address. */
  public static Cable to(InetSocketAddress address) {
    return lay(new InetSocketAddress("127.0.0.1", 0), address);
  }

  private static Cable lay(InetSocketAddress from, InetSocketAddress to) {
    try {
      return new Cable(from, to);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Where it begins. */
  public InetSocketAddress address() {
    return (InetSocketAddress) server.getLocalSocketAddress();
  }

  /** Nothing goes through any more, in either direction, and neither side is told. */
  public void stall() {
    for (Direction direction : Direction.values()) {
      stall(direction);
    }
  }

  /** Nothing goes through in this direction any more, and neither side is told. */
  public void stall(Direction direction) {
    passage.stall(direction);
  }

  /** Each piece waits for up to so long, as the seed has it. */
  public void delay(Duration most, Random random) {
    passage.delay(most, random);
  }

  /** No more than so many bytes a second go through, in each direction of each connection. */
  public void throttle(long bytesPerSecond) {
    passage.throttle(bytesPerSecond);
  }

  /** What goes through comes in pieces of 1 to so many bytes, as the seed has it. */
  public void crumble(int most, Random random) {
    passage.crumble(most, random);
  }

  /** Has what goes through in this direction looked at, and perhaps changed. */
  public void tap(Direction direction, Tap tap) {
    passage.tap(direction, tap);
  }

  /** Ends all faults that last: what was held back goes on. */
  public void mend() {
    passage.mend();
  }

  /** All connections end at once, and both sides are told so by a reset. */
  public void reset() {
    lines.forEach(Line::reset);
    lines.clear();
  }

  /**
   * Tells this side of all connections that nothing more will come; the other direction goes on.
   */
  public void halfClose(Direction direction) {
    lines.forEach(line -> line.halfClose(direction));
  }

  /** Takes no new connections; those that are there stay until their sides end them. */
  public void retire() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket origin = server.accept();
        Thread.ofPlatform().daemon().start(() -> connect(origin));
      }
    } catch (IOException e) {
      // retired
    }
  }

  private void connect(Socket origin) {
    passage.await(Direction.TO_TARGET);
    Socket target = new Socket();
    try {
      target.setReceiveBufferSize(BUFFER_BYTES);
      target.connect(to);
      Line line = new Line(passage, origin, target);
      lines.add(line);
      line.start();
    } catch (IOException e) {
      Line.reset(origin);
      Line.reset(target);
    }
  }

  @Override
  public void close() {
    retire();
    reset();
    mend();
  }
}
