package io.reactivetransfer.tools.perf;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The receiving end of the reference of tcp: for each connection one thread that reads from a
 * blocking socket into the destination, slot after slot, until the sender ends. When it is closed,
 * none of its threads touches the destinations any more.
 */
final class NioReceiver implements AutoCloseable {

  /** First byte of a connection: nothing goes back but the number of operations at the end. */
  static final byte STREAM = 1;

  /** First byte of a connection: a byte goes back for each operation. */
  static final byte ACKNOWLEDGED = 2;

  /** First byte of a connection: each operation is sent back as it came. */
  static final byte PING_PONG = 3;

  private final ServerSocketChannel listener;
  private final Layout layout;
  private final List<MemorySegment> destinations;
  private final Signals signals;
  private final Set<SocketChannel> sockets = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(
          Thread.ofPlatform().daemon().name("perf-nio-receiver-", 0).factory());

  /** Each connection writes to the next destination, and begins anew behind the last one. */
  NioReceiver(
      Layout layout, List<MemorySegment> destinations, Signals signals, @Nullable String host)
      throws IOException {
    this.layout = layout;
    this.destinations = destinations;
    this.signals = signals;
    listener = ServerSocketChannel.open();
    listener.bind(
        new InetSocketAddress(
            host == null ? InetAddress.getLoopbackAddress() : InetAddress.getByName(host), 0));
    threads.execute(this::serve);
  }

  /** Its port, a blank, its address. */
  String address() throws IOException {
    InetSocketAddress address = (InetSocketAddress) listener.getLocalAddress();
    return address.getPort() + " " + address.getAddress().getHostAddress();
  }

  static ByteBuffer[] slots(Layout layout, MemorySegment memory) {
    ByteBuffer[] slots = new ByteBuffer[layout.slots()];
    for (int i = 0; i < slots.length; i++) {
      slots[i] = memory.asSlice(layout.offset(i), layout.operationBytes()).asByteBuffer();
    }
    return slots;
  }

  /** The parts of the first operation. */
  static ByteBuffer[] parts(Layout layout, MemorySegment memory) {
    return slots(new Layout(layout.size(), 1, layout.parts(), 0), memory);
  }

  private void serve() {
    for (int accepted = 0; listener.isOpen(); accepted++) {
      ByteBuffer[] slots = slots(layout, destinations.get(accepted % destinations.size()));
      try {
        SocketChannel socket = listener.accept();
        sockets.add(socket);
        if (!listener.isOpen()) {
          socket.close(); // close() may have looked at the sockets before this one was among them
        }
        threads.execute(() -> serve(socket, slots));
      } catch (IOException | RejectedExecutionException e) {
        // it was closed; else the sender sees that nobody answers, and says so
      }
    }
  }

  private void serve(SocketChannel accepted, ByteBuffer[] slots) {
    try (SocketChannel socket = accepted) {
      receive(socket, slots);
    } catch (IOException e) {
      // the sender sees that the connection is gone, and says so
    } finally {
      sockets.remove(accepted);
    }
  }

  private void receive(SocketChannel socket, ByteBuffer[] slots) throws IOException {
    socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
    ByteBuffer reply = ByteBuffer.allocateDirect(Long.BYTES);
    reply.limit(1);
    fill(socket, reply);
    byte mode = reply.get(0);
    if (mode == PING_PONG) {
      try (NioPingPong player = new NioPingPong(socket, slots[0], signals)) {
        player.returnAll();
      }
      return;
    }
    boolean acknowledged = mode == ACKNOWLEDGED;
    long operations = 0;
    while (fill(socket, slots[(int) (operations % slots.length)])) {
      operations++;
      if (acknowledged) {
        socket.write(reply.rewind());
      }
    }
    if (!acknowledged) {
      socket.write(reply.clear().putLong(0, operations));
    }
  }

  /** False when the sender has ended before the first byte. */
  static boolean fill(SocketChannel socket, ByteBuffer slot) throws IOException {
    slot.rewind();
    while (slot.hasRemaining()) {
      if (socket.read(slot) < 0) {
        if (slot.position() == 0) {
          return false;
        }
        throw new EOFException("the sender ended within an operation");
      }
    }
    return true;
  }

  /** Ends what is being read, and waits until nobody reads any more. */
  @Override
  public void close() {
    close(listener);
    sockets.forEach(NioReceiver::close);
    threads.close();
  }

  private static void close(Channel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // then it is no more open than after a close
    }
  }
}
