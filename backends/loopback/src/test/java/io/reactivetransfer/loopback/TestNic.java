package io.reactivetransfer.loopback;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** One NIC of one engine, turned by hand, with memory to write from and to. */
final class TestNic {

  static final int MEMORY_BYTES = 1 << 16;

  final EngineId id;
  final AtomicInteger rings = new AtomicInteger();
  final RecordingSink sink = new RecordingSink();
  final Domain domain;
  final MemorySegment bytes = Arena.ofAuto().allocate(MEMORY_BYTES);
  LocalMemory memory;

  private TestNic(LoopbackBackend backend, int engine, int nic) {
    id = new EngineId(7, engine);
    domain =
        backend
            .open(
                backend.nics(8).get(nic),
                OpenContext.builder(id, nic, rings::incrementAndGet).nicDepth(1024).build())
            .toCompletableFuture()
            .join();
    memory =
        domain.register(new HostMemory(bytes), Access.REMOTE_WRITE).toCompletableFuture().join();
  }

  static TestNic open(LoopbackBackend backend, int engine) {
    return new TestNic(backend, engine, 0);
  }

  static TestNic open(LoopbackBackend backend, int engine, int nic) {
    return new TestNic(backend, engine, nic);
  }

  RemotePeer peer(TestNic other) {
    return domain.resolve(other.id, 0, other.domain.address());
  }

  /** The other one's memory as it is registered now. */
  RemoteMemory target(TestNic other) {
    return target(other, other.memory);
  }

  RemoteMemory target(TestNic other, LocalMemory registered) {
    return domain.resolve(peer(other), registered.key(), MEMORY_BYTES);
  }

  /** A write of this NIC's memory to the same place of the target. */
  Operation write(RemoteMemory target, long offset, long length, long token) {
    return new Operation().between(memory, target).range(offset, offset, length).token(token);
  }

  int poll() {
    return domain.poll(sink);
  }

  /** Polls once, and gives what came. */
  List<String> events() {
    poll();
    return sink.take();
  }

  void fill(int value) {
    bytes.fill((byte) value);
  }

  byte at(long offset) {
    return bytes.get(ValueLayout.JAVA_BYTE, offset);
  }
}
