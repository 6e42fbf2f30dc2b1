package io.reactivetransfer.examples.moe;

import io.reactivetransfer.Device;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.examples.worker.WorkerMemory;
import io.reactivetransfer.moe.MoeMemory;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tools.Backends;
import io.reactivetransfer.tools.ByteCount;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Mono;

/** What each rank has: an engine, and memory. */
final class Node implements AutoCloseable {

  static final Duration SETUP = Duration.ofSeconds(60);

  /** The one that was opened last. */
  TransferEngine engine;

  private final Device device;
  private final Arena arena = Arena.ofShared();
  private final List<WorkerMemory> allocated = new ArrayList<>();

  private Node(TransferEngine engine, Device device) {
    this.engine = engine;
    this.device = device;
  }

  static Node open(Plan plan) {
    TransferEngineBuilder builder = TransferEngineBuilder.create().backend(plan.backend());
    return new Node(await(builder.options(options(plan)).open()), plan.device());
  }

  private static EngineOptions options(Plan plan) {
    return EngineOptions.builder()
        .nics(plan.nics())
        .livenessDeadline(plan.liveness())
        .signalScheduler(plan.signals().scheduler())
        .build();
  }

  /** Goes on with another engine, whose NICs note what they take; the memory stays. */
  void reopen(Plan plan, Posts posts) {
    engine.close().block(SETUP);
    Backend noted = new NotedBackend(Backends.named(plan.backend()), posts);
    engine = await(TransferEngineBuilder.create().backend(noted).options(options(plan)).open());
  }

  /** Memory of the host. */
  MemorySegment allocate(long bytes) {
    try {
      return arena.allocate(Math.max(1, bytes), MoeMemory.ALIGNMENT);
    } catch (OutOfMemoryError e) {
      throw new IllegalStateException(
          "no native memory for " + new ByteCount(bytes) + ": " + e.getMessage(), e);
    }
  }

  /** Memory of the plan's device. Only while the rank is opened, and by one thread. */
  WorkerMemory allocateOnDevice(long bytes) {
    WorkerMemory memory = WorkerMemory.of(device, Math.max(1, bytes));
    allocated.add(memory);
    return memory;
  }

  static <T> T await(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(SETUP));
  }

  /** The memory goes only when no NIC can touch it any more. */
  @Override
  public void close() {
    engine.close().block(SETUP);
    allocated.forEach(WorkerMemory::close);
    arena.close();
  }
}
