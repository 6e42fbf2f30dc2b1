package io.reactivetransfer.cuda;

import com.sun.management.ThreadMXBean;
import io.reactivetransfer.Access;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.Collections;
import java.util.Objects;
import java.util.stream.LongStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A process with two engines, one of which writes to the other one over tcp; it says what the
 * threads of their NICs have allocated for each write, in the round that has taken least.
 */
final class TcpAllocationProgram {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** As long as the compiler is at work, what it will remove is still allocated. */
  private static final int ROUNDS = 12;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private TcpAllocationProgram() {}

  public static void main(String[] arguments) {
    boolean isOfGpus = arguments[0].equals("gpu");
    int bytes = Integer.parseInt(arguments[1]);
    int writes = Integer.parseInt(arguments[2]);
    int enough = Integer.parseInt(arguments[3]);
    TransferEngine origin = open();
    TransferEngine target = open();
    try (Arena arena = Arena.ofShared();
        CudaMemory source = CudaMemory.allocate(Gpus.FIRST, bytes);
        CudaMemory sink = CudaMemory.allocate(Gpus.SECOND, bytes)) {
      MemoryRegion from =
          await(
              origin.register(
                  isOfGpus ? source.memory() : new HostMemory(arena.allocate(bytes)),
                  Access.LOCAL));
      MemoryRegion to =
          await(
              target.register(
                  isOfGpus ? sink.memory() : new HostMemory(arena.allocate(bytes)),
                  Access.REMOTE_WRITE));
      Write write = Write.of(from.whole(), origin.remote(to.descriptor()).whole());
      Flux<Write> all = Flux.fromIterable(Collections.nCopies(writes, write));
      long[] nics =
          LongStream.of(THREADS.getAllThreadIds()).filter(TcpAllocationProgram::isOfANic).toArray();
      long least = Long.MAX_VALUE;
      for (int round = 0; round < ROUNDS && least >= enough; round++) {
        long before = allocated(nics);
        origin.submit(all).then().block(PATIENCE);
        least = Math.min(least, (allocated(nics) - before) / writes);
      }
      System.out.println("bytes for each write: " + least);
      Mono.when(origin.close(), target.close()).block(PATIENCE);
    }
  }

  private static boolean isOfANic(long thread) {
    ThreadInfo info = THREADS.getThreadInfo(thread);
    return info != null && info.getThreadName().startsWith("transfer-tcp-");
  }

  private static long allocated(long[] threads) {
    return LongStream.of(THREADS.getThreadAllocatedBytes(threads)).sum();
  }

  private static TransferEngine open() {
    return await(
        TransferEngineBuilder.create()
            .backend("tcp")
            .options(
                EngineOptions.builder().nics(1).signalScheduler(Schedulers.immediate()).build())
            .open());
  }

  private static <T> T await(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(PATIENCE));
  }
}
