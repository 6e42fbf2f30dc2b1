package io.reactivetransfer.tck.process;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.spi.Backend;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The engine of a test's own process, with memories to write from and to be written to: what stands
 * opposite an {@link EngineProcess}. Every method blocks until it is done.
 */
public class LocalEngine implements AutoCloseable {

  /** The engine. */
  public final TransferEngine engine;

  /** Its memories, zeros at first. */
  public final List<MemorySegment> memories;

  /** The same, registered so that others may write there. */
  public final List<MemoryRegion> regions;

  private final Duration timeout;
  private final Arena arena = Arena.ofShared();

  /**
   * Opens it.
   *
   * @param options but for {@link EngineOptions#idle()}, which is {@link EngineProgram#IDLE}
   * @param memories how many it has
   * @param bytes of each
   * @param timeout how long anything of it may take at most
   */
  protected LocalEngine(
      Backend backend, EngineOptions options, int memories, int bytes, Duration timeout) {
    this.timeout = timeout;
    EngineOptions quiet = options.toBuilder().idle(EngineProgram.IDLE).build();
    this.engine =
        known(TransferEngineBuilder.create().backend(backend).options(quiet).open().block(timeout));
    try {
      this.memories = Stream.generate(() -> arena.allocate(bytes)).limit(memories).toList();
      this.regions =
          this.memories.stream()
              .map(memory -> known(engine.register(memory).block(timeout)))
              .toList();
    } catch (RuntimeException | Error e) {
      endAfter(e);
      throw e;
    }
  }

  private void endAfter(Throwable failure) {
    try {
      end();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  private static <T> T known(@Nullable T opened) {
    return Objects.requireNonNull(opened, "expected what was opened");
  }

  /** The engine of another process, as this one's peer. */
  public final Peer peer(EngineProcess process) {
    return engine.peer(process.address());
  }

  /** Memory of another engine. */
  public final RemoteRegion remote(RegionDescriptor descriptor) {
    return engine.remote(descriptor);
  }

  /** Where others find it, as an {@link EngineProcess} is told. */
  public final String addressText() {
    return engine.address().toText();
  }

  /** What others need to write to one of its memories, as an {@link EngineProcess} is told. */
  public final String descriptorText(int memory) {
    return EngineProgram.text(regions.get(memory).descriptor());
  }

  /** Writes down from now on what becomes of a peer. */
  public final List<PeerState> watch(EngineProcess process) {
    List<PeerState> states = new CopyOnWriteArrayList<>();
    peer(process).state().subscribe(states::add);
    return states;
  }

  /** Waits until a peer has come into this state. */
  public final void await(EngineProcess process, Class<? extends PeerState> state) {
    peer(process).state().filter(state::isInstance).blockFirst(timeout);
  }

  /** Closes the engine; then frees the memory, of which nothing makes use any more. */
  @Override
  public void close() {
    end();
  }

  private void end() {
    engine.close().block(timeout);
    arena.close();
  }
}
