package io.reactivetransfer.examples.weights;

import io.reactivetransfer.Device;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.examples.worker.WorkerMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Mono;

/** What each worker has: an engine, and memory. */
final class Node implements AutoCloseable {

  static final Duration SETUP = Duration.ofSeconds(30);

  final TransferEngine engine;
  private final Device device;
  private final List<WorkerMemory> allocated = new ArrayList<>();

  private Node(TransferEngine engine, Device device) {
    this.engine = engine;
    this.device = device;
  }

  static Node open(Plan plan) {
    EngineOptions options =
        EngineOptions.builder()
            .nics(plan.nics())
            .livenessDeadline(plan.liveness())
            .signalScheduler(plan.signals().scheduler())
            .build();
    return new Node(
        await(TransferEngineBuilder.create().backend(plan.backend()).options(options).open()),
        plan.device());
  }

  /** Memory of the plan's device. Only while the node is opened, and by one thread. */
  WorkerMemory allocate(long bytes) {
    WorkerMemory memory = WorkerMemory.of(device, bytes);
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
  }
}
