package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.WriteImm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/**
 * A GPU whose context was broken, by whomever, fails what uses it, by name, and nothing else: not
 * even the end of a region of it.
 */
class BrokenGpuTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int ILLEGAL_ADDRESS = 700;
  private static final int LENGTH = 300_000;

  @RegisterExtension private final Gpus gpus = new Gpus();

  private final Arena arena = Arena.ofShared();

  private static <T> T await(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(PATIENCE));
  }

  private Memory host() {
    return new HostMemory(arena.allocate(LENGTH));
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "loopback", "libfabric"})
  void failsItsWritesOnly(String backend) {
    TransferEngine origin = Engines.over(backend);
    TransferEngine target = Engines.over(backend);
    try (arena;
        CudaMemory broken = CudaMemory.allocate(Gpus.FIRST, LENGTH);
        CudaMemory whole = CudaMemory.allocate(Gpus.SECOND, LENGTH)) {
      ImmLease lease = target.lease();
      MemoryRegion fromHost = await(origin.register(host(), Access.LOCAL));
      MemoryRegion fromBroken = await(origin.register(broken.memory(), Access.LOCAL));
      MemoryRegion fromWhole = await(origin.register(whole.memory(), Access.LOCAL));
      MemoryRegion toHost = await(target.register(host(), Access.REMOTE_WRITE));
      MemoryRegion toBroken = await(target.register(broken.memory(), Access.REMOTE_WRITE));
      MemoryRegion toWhole = await(target.register(whole.memory(), Access.REMOTE_WRITE));
      breakFirst(broken);

      ImmLease refused = target.lease();
      for (Mono<Void> write :
          List.of(
              write(origin, fromBroken, toHost, refused),
              write(origin, fromHost, toBroken, refused),
              write(origin, fromBroken, toWhole, refused),
              write(origin, fromWhole, toBroken, refused))) {
        assertThatThrownBy(() -> write.block(PATIENCE))
            .isInstanceOf(TransferFailedException.class)
            .hasMessageContaining("CUDA_ERROR_ILLEGAL_ADDRESS");
      }
      Mono<Void> arrivals = lease.counter().next(3).cache();
      arrivals.subscribe();
      write(origin, fromHost, toHost, lease).block(PATIENCE);
      write(origin, fromWhole, toHost, lease).block(PATIENCE);
      write(origin, fromHost, toWhole, lease).block(PATIENCE);
      arrivals.block(PATIENCE);
      assertThat(lease.counter().discard().block(PATIENCE)).as("more arrivals").isZero();

      Mono.when(fromBroken.close(), toBroken.close()).block(PATIENCE);
      Mono.when(origin.close(), target.close()).block(PATIENCE);
      gpus.driver().reset();
    }
  }

  private static Mono<Void> write(
      TransferEngine origin, MemoryRegion from, MemoryRegion to, ImmLease lease) {
    return origin
        .submit(WriteImm.of(from.whole(), origin.remote(to.descriptor()).whole(), lease.imm()))
        .then();
  }

  /** As a kernel does that leaves its memory: the error stays. */
  private void breakFirst(CudaMemory memory) {
    gpus.driver().fault("op.copy", 1, ILLEGAL_ADDRESS);
    try (Arena own = Arena.ofConfined()) {
      MemorySegment host = own.allocateFrom(ValueLayout.JAVA_LONG, 1);
      assertThatThrownBy(
              () -> new CudaAccess().copyFromHost(host, 0, memory.memory(), 0, Long.BYTES))
          .hasMessageContaining("CUDA_ERROR_ILLEGAL_ADDRESS");
    }
  }
}
