package io.reactivetransfer.cuda;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Objects;
import jcuda.driver.JCudaDriver;
import reactor.core.publisher.Mono;

/** A process whose kernel leaves its memory, and what becomes of its writes then. */
final class BrokenGpuProgram {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int LENGTH = 300_000;

  private BrokenGpuProgram() {}

  private static <T> T await(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(PATIENCE));
  }

  public static void main(String[] arguments) {
    TransferEngine origin = await(TransferEngineBuilder.create().backend(arguments[0]).open());
    TransferEngine target = await(TransferEngineBuilder.create().backend(arguments[0]).open());
    Gpu gpu = CudaDriver.here().gpu(Gpus.FIRST);
    Kernels kernels = new Kernels(gpu);
    OwnStream stream = gpu.within(OwnStream::create);
    CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, LENGTH); // lost with the context
    Arena arena = Arena.ofShared();
    HostMemory host = new HostMemory(arena.allocate(LENGTH));
    MemoryRegion fromHost = await(origin.register(host, Access.LOCAL));
    MemoryRegion fromGpu = await(origin.register(memory.memory(), Access.LOCAL));
    MemoryRegion toHost = await(target.register(host, Access.REMOTE_WRITE));
    MemoryRegion toGpu = await(target.register(memory.memory(), Access.REMOTE_WRITE));
    say("before", write(origin, fromGpu, toGpu));
    kernels.leaveMemory(stream);
    int result = gpu.within(() -> JCudaDriver.cuStreamSynchronize(stream));
    System.out.println("the kernel: " + CudaDriver.name(result));
    say("from the GPU", write(origin, fromGpu, toHost));
    say("to the GPU", write(origin, fromHost, toGpu));
    say("between hosts", write(origin, fromHost, toHost));
    say("closed", Mono.when(origin.close(), target.close()));
  }

  private static Mono<Void> write(TransferEngine origin, MemoryRegion from, MemoryRegion to) {
    return origin
        .submit(WriteImm.of(from.whole(), origin.remote(to.descriptor()).whole(), Imm.of(7)))
        .then();
  }

  private static void say(String which, Mono<Void> what) {
    String end;
    try {
      what.block(PATIENCE);
      end = "done";
    } catch (RuntimeException e) {
      end = String.valueOf(e.getMessage());
    }
    System.out.println(which + ": " + end);
  }
}
