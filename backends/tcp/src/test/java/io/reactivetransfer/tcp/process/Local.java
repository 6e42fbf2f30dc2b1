package io.reactivetransfer.tcp.process;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.process.EngineProcess;
import io.reactivetransfer.tck.process.EngineProgram;
import io.reactivetransfer.tcp.TcpBackend;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The engine of the test's own process, with some memory to write from and to be written to. */
final class Local implements AutoCloseable {

  static final Duration LIVENESS = Duration.ofSeconds(1);

  /** What a test waits at most. */
  static final Duration LONG = Duration.ofSeconds(40);

  /**
   * In how much time a silent peer must be found. The engine promises the deadline and a quarter;
   * the rest is for a machine that has a lot else to do.
   */
  static final Duration FOUND = LIVENESS.multipliedBy(10);

  /** A liveness deadline for where nobody is to be found. */
  static final Duration CALM = LONG;

  final TransferEngine engine;
  final MemorySegment memory;
  final MemoryRegion region;
  private final Arena arena = Arena.ofShared();

  private Local(TransferEngine engine, int bytes) {
    this.engine = engine;
    this.memory = arena.allocate(bytes);
    this.region = engine.register(memory).block(LONG);
  }

  static Local open(int bytes) {
    return open(bytes, options().livenessDeadline(CALM));
  }

  static Local open(int bytes, EngineOptions.Builder options) {
    return open(bytes, options, new TcpBackend());
  }

  static Local open(int bytes, EngineOptions.Builder options, Backend backend) {
    return new Local(
        TransferEngineBuilder.create().backend(backend).options(options.build()).open().block(LONG),
        bytes);
  }

  static EngineOptions.Builder options() {
    return EngineOptions.builder()
        .livenessDeadline(LIVENESS)
        .connectTimeout(LONG)
        .closeTimeout(Duration.ofSeconds(1))
        .minPieceBytes(4_096);
  }

  /** Writes, and again if it failed: where it is not the question whether that works at once. */
  void write(WriteImm write) {
    engine.submit(write).retry(100).block(LONG);
  }

  Peer peer(EngineProcess process) {
    return engine.peer(process.address());
  }

  RemoteRegion remote(RegionDescriptor descriptor) {
    return engine.remote(descriptor);
  }

  String addressText() {
    return engine.address().toText();
  }

  String descriptorText() {
    return EngineProgram.text(region.descriptor());
  }

  /** Writes down from now on what becomes of a peer. */
  List<PeerState> watch(EngineProcess process) {
    List<PeerState> states = new CopyOnWriteArrayList<>();
    peer(process).state().subscribe(states::add);
    return states;
  }

  /** Waits until a peer has come into this state. */
  void await(EngineProcess process, Class<? extends PeerState> state) {
    peer(process).state().filter(state::isInstance).blockFirst(LONG);
  }

  /** Closes the engine; then frees the memory, of which nothing makes use any more. */
  @Override
  public void close() {
    engine.close().block(LONG);
    arena.close();
  }
}
