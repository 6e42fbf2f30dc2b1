package io.reactivetransfer.libfabric.process;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.libfabric.LibfabricBackend;
import io.reactivetransfer.spi.Availability.Unavailable;
import io.reactivetransfer.tck.process.EngineProcess;
import io.reactivetransfer.tck.process.EngineProgram;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The engine of the test's own process, with memories to write from and to be written to. */
final class Local implements AutoCloseable {

  /** What a test waits at most. */
  static final Duration LONG = Duration.ofSeconds(40);

  /** In how much time the death of a peer must be found; its kernel tells it at once. */
  static final Duration FOUND = Duration.ofSeconds(8);

  /**
   * Silence finds none of those that die here, and a process that starts on a machine with a lot
   * else to do may say nothing for seconds.
   */
  private static final Duration LIVENESS = FOUND.multipliedBy(4);

  final TransferEngine engine;
  final List<MemorySegment> memories = new ArrayList<>();
  final List<MemoryRegion> regions = new ArrayList<>();
  private final Arena arena = Arena.ofShared();

  private Local(TransferEngine engine) {
    this.engine = engine;
  }

  /** Skips the test, visibly, where there is no libfabric. */
  static void requireLibfabric() {
    if (backend().availability() instanceof Unavailable not) {
      String why = not.reason() + "; " + not.remedy();
      if (Boolean.getBoolean("reactivetransfer.requireAll")) {
        fail(why);
      }
      abort(why);
    }
  }

  private static LibfabricBackend backend() {
    return LibfabricBackend.builder().provider("tcp").build();
  }

  /** With so many memories of so many bytes. */
  static Local open(int count, int bytes) {
    requireLibfabric();
    Local local =
        new Local(
            TransferEngineBuilder.create()
                .backend(backend())
                .options(EngineOptions.builder().livenessDeadline(LIVENESS).build())
                .open()
                .block(LONG));
    for (int i = 0; i < count; i++) {
      MemorySegment memory = local.arena.allocate(bytes);
      local.memories.add(memory);
      local.regions.add(local.engine.register(memory).block(LONG));
    }
    return local;
  }

  Peer peer(EngineProcess process) {
    return engine.peer(process.address());
  }

  RemoteRegion remote(RegionDescriptor descriptor) {
    return engine.remote(descriptor);
  }

  String descriptorText(int region) {
    return EngineProgram.text(regions.get(region).descriptor());
  }

  /** Waits until a peer has come into this state. */
  void await(EngineProcess process, Class<? extends PeerState> state) {
    peer(process).state().filter(state::isInstance).blockFirst(LONG);
  }

  /**
   * Closes the regions one by one, then the engine; then frees the memory, of which nothing makes
   * use any more.
   */
  @Override
  public void close() {
    regions.forEach(region -> region.close().block(FOUND));
    engine.close().block(FOUND);
    arena.close();
  }
}
