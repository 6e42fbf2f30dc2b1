package io.reactivetransfer.cuda;

import io.reactivetransfer.Device;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;

/** A process on a machine without a GPU: says what it is told of one, and writes without it. */
final class NoGpuProgram {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long BYTES = 64;

  private NoGpuProgram() {}

  public static void main(String[] arguments) {
    System.out.println(new CudaAccess().availability());
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
      origin.close().then(target.close()).block(PATIENCE);
    }
  }

  private static TransferEngine engine() {
    return Objects.requireNonNull(
        TransferEngineBuilder.create().backend(new LoopbackBackend()).open().block(PATIENCE));
  }
}
