package io.reactivetransfer.cuda;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.libfabric.LibfabricBackend;
import io.reactivetransfer.loopback.LoopbackBackend;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** A process on a machine without a GPU: says what it is told of one, and writes without it. */
final class NoGpuProgram {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long BYTES = 64;
  private static final DeviceMemory DEVICE = new DeviceMemory(Device.of("cuda", 0), 4_096, 8);

  private NoGpuProgram() {}

  public static void main(String[] arguments) {
    System.out.println(new CudaAccess().availability());
    System.out.println(new LibfabricBackend().availability());
    try (CudaMemory memory = CudaMemory.allocate(Device.of("cuda", 0), BYTES)) {
      System.out.println("got " + memory);
    } catch (CudaException e) {
      System.out.println("refused: " + e.getMessage());
    }
    try (Arena arena = Arena.ofShared()) {
      TransferEngine origin = engine();
      TransferEngine target = engine();
      MemorySegment source = arena.allocate(BYTES).fill((byte) 7);
      MemorySegment sink = arena.allocate(BYTES);
      MemoryRegion from = Objects.requireNonNull(origin.register(source).block(PATIENCE));
      MemoryRegion to = Objects.requireNonNull(target.register(sink).block(PATIENCE));
      origin.submit(Write.of(from.whole(), origin.remote(to.descriptor()).whole())).block(PATIENCE);
      System.out.println("written: " + (sink.mismatch(source) == -1));
      refusal("register", origin.register(DEVICE, Access.REMOTE_WRITE));
      refusal("watch", origin.watch(DEVICE));
      origin.close().then(target.close()).block(PATIENCE);
    }
  }

  private static void refusal(String what, Publisher<?> refused) {
    try {
      Flux.from(refused).blockFirst(PATIENCE);
    } catch (TransferRejectedException e) {
      System.out.println(what + ": " + e.getMessage());
    }
  }

  private static TransferEngine engine() {
    return Objects.requireNonNull(
        TransferEngineBuilder.create().backend(new LoopbackBackend()).open().block(PATIENCE));
  }
}
