package io.reactivetransfer.tcp;

import io.reactivetransfer.Access;
import io.reactivetransfer.control.Transport;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;

/**
 * Frees memory that is registered, before and within writes from it and to it: in a process of its
 * own, because it may not live on.
 */
final class FreedMemoryProgram {

  /**
   * More than the 32 MiB below which the C library may keep what is freed: this is given back to
   * the system, and who touches it then is found.
   */
  private static final long BYTES = 34 << 20;

  /** Of memory that stays: as long as the longest write. */
  private static final long SMALL_BYTES = 1 << 20;

  /** What is copied, what is sent from its place, and what is read straight to its place. */
  private static final int[] LENGTHS = {100, 5_000, 1 << 20};

  private FreedMemoryProgram() {}

  /** Transports; ends with 0 if all writes failed as they should, and says where it is. */
  public static void main(String[] args) throws IOException {
    for (String name : args) {
      System.out.println(name);
      Transport transport = Transport.valueOf(name);
      for (int length : LENGTHS) {
        freedSource(transport, length);
        freedTarget(transport, length);
      }
      sourceFreedWithinTheWrite(transport);
    }
  }

  private static TestNic nic(Transport transport) {
    TcpBackend backend = TcpBackend.builder().transport(transport).build();
    return new TestNic(backend, 64, Duration.ofSeconds(10));
  }

  private static void freedSource(Transport transport, int length) {
    try (TestNic origin = nic(transport);
        TestNic target = nic(transport)) {
      Arena arena = Arena.ofShared();
      var source = origin.register(arena.allocate(BYTES), Access.LOCAL);
      var sink = target.register(SMALL_BYTES);
      RemoteMemory remote = origin.remote(target, sink);
      origin.write(source, remote, length, 1); // views of the memory are kept
      origin.awaitWritten(1);
      arena.close();
      origin.write(at(BYTES / 2, length, 2).between(source.local(), remote));
      requireGone(origin.awaitFailed(), 2, "source");
      goesOn(origin, remote);
    }
  }

  private static void freedTarget(Transport transport, int length) {
    try (TestNic origin = nic(transport);
        TestNic target = nic(transport)) {
      Arena arena = Arena.ofShared();
      var source = origin.register(SMALL_BYTES);
      var sink = target.register(arena.allocate(BYTES), Access.REMOTE_WRITE);
      RemoteMemory remote = origin.remote(target, sink);
      origin.write(source, remote, length, 1);
      origin.awaitWritten(1);
      arena.close();
      origin.write(at(0, length, 2).between(source.local(), remote));
      requireGone(origin.awaitFailed(), 2, "target");
      goesOn(origin, origin.remote(target, target.register(8)));
    }
  }

  /** The target reads nothing before the source is freed. */
  private static void sourceFreedWithinTheWrite(Transport transport) throws IOException {
    try (TestNic origin = nic(transport);
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      byte[] address = RawConnection.addressOf(server).encode();
      RemoteMemory remote =
          origin.call(() ->
              origin.domain.resolve(
                  origin.domain.resolve(RawConnection.ID, 0, address), new byte[16], BYTES));
      Arena arena = Arena.ofShared();
      var source = origin.register(arena.allocate(BYTES), Access.LOCAL);
      origin.write(at(0, (int) (BYTES / 2), 2).between(source.local(), remote));
      try (RawConnection raw = RawConnection.welcoming(server)) {
        raw.read(Wire.WRITE_BYTES);
        closeBetweenTwoReads(arena);
        // One that is sent whole, or cut off; but nothing that a freed source was read for.
        raw.readToEnd();
        requireGone(origin.awaitFailed(), 2, "source");
      }
    }
  }

  /** The JDK refuses it while a call to the system reads from the memory. */
  private static void closeBetweenTwoReads(Arena arena) {
    while (arena.scope().isAlive()) {
      try {
        arena.close();
      } catch (IllegalStateException e) {
        Thread.onSpinWait();
      }
    }
  }

  private static Operation at(long offset, int length, long token) {
    return new Operation().range(offset, 0, length).token(token);
  }

  private static void requireGone(TestNic.Failed failed, long token, String whose) {
    if (failed.token() != token
        || failed.code() != ErrorCode.MEMORY_GONE.value
        || !failed.text().contains(whose)) {
      throw new AssertionError(
          "expected write " + token + " to fail for its " + whose + ", got " + failed);
    }
  }

  private static void goesOn(TestNic origin, RemoteMemory remote) {
    origin.write(origin.register(8), remote, 8, 3);
    if (!origin.awaitWritten(2).contains(3L) || !origin.lost.isEmpty()) {
      throw new AssertionError("expected the connection to go on, got " + origin.lost);
    }
  }
}
