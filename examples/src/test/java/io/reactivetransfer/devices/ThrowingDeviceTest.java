package io.reactivetransfer.devices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.Change;
import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.Imm;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.EngineEnvironment;
import io.reactivetransfer.tck.FakeDevice;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/**
 * An accelerator whose access throws what its contract does not name: the fault of one library,
 * which ends neither an engine nor anything that is about other memory.
 */
class ThrowingDeviceTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int LENGTH = 3_000;

  private final FakeDevice fake = new FakeDevice(Device.of("fake", 0));
  private final Throwing device = new Throwing();
  private final List<TransferEngine> engines = new ArrayList<>();

  private final class Throwing implements DeviceAccess {

    volatile @Nullable Throwable toHost;
    volatile @Nullable Throwable fromHost;
    volatile @Nullable Throwable peek;

    private static void raise(@Nullable Throwable failure) {
      switch (failure) {
        case null -> {}
        case RuntimeException e -> throw e;
        case Error e -> throw e;
        default -> throw new AssertionError(failure);
      }
    }

    @Override
    public Availability availability() {
      return fake.availability();
    }

    @Override
    public List<Device> devices() {
      return fake.devices();
    }

    @Override
    public void copyToHost(DeviceMemory from, long at, MemorySegment to, long toAt, long length) {
      raise(toHost);
      fake.copyToHost(from, at, to, toAt, length);
    }

    @Override
    public void copyFromHost(MemorySegment from, long at, DeviceMemory to, long toAt, long length) {
      raise(fromHost);
      fake.copyFromHost(from, at, to, toAt, length);
    }

    @Override
    public long peek(DeviceMemory memory, long offset) {
      raise(peek);
      return fake.peek(memory, offset);
    }
  }

  @AfterEach
  void close() {
    engines.forEach(engine -> get(engine.close()));
  }

  private static <T> T get(Mono<T> mono) {
    return mono.block(PATIENCE);
  }

  private TransferEngine open(String backend) {
    TransferEngine engine =
        get(
            TransferEngineBuilder.create()
                .backend(backend)
                .environment(
                    EngineEnvironment.system().toBuilder()
                        .devices(Devices.of(List.of(device)))
                        .build())
                .open());
    engines.add(engine);
    return engine;
  }

  private static Throwable failure(String kind) {
    return kind.equals("error")
        ? new NoClassDefFoundError("com/example/Card")
        : new IllegalStateException("context lost");
  }

  private static MemoryRegion register(TransferEngine engine, Memory memory) {
    return get(engine.register(memory, Access.REMOTE_WRITE));
  }

  @ParameterizedTest
  @CsvSource({
    "loopback, exception, true", "loopback, exception, false",
    "loopback, error, true", "loopback, error, false",
    "tcp, exception, true", "tcp, exception, false",
    "tcp, error, true", "tcp, error, false"
  })
  void aCopyFailsThatWriteOnly(String backend, String kind, boolean atSource) {
    TransferEngine origin = open(backend);
    TransferEngine target = open(backend);
    DeviceMemory from = fake.allocate(LENGTH);
    DeviceMemory to = fake.allocate(LENGTH);
    fake.write(from, new byte[] {1, 2, 3});
    MemoryRegion source = register(origin, from);
    MemoryRegion sink = register(target, to);
    var remote = origin.remote(sink.descriptor());
    Throwable failure = failure(kind);
    if (atSource) {
      device.toHost = failure;
    } else {
      device.fromHost = failure;
    }
    assertThatThrownBy(
            () -> get(origin.submit(WriteImm.of(source.whole(), remote.whole(), Imm.of(1)))))
        .isInstanceOf(TransferFailedException.class)
        .hasMessageContainingAll("fake:0", failure.toString());
    device.toHost = null;
    device.fromHost = null;
    get(origin.submit(WriteImm.of(source.whole(), remote.whole(), Imm.of(1))));
    get(target.counter(Imm.of(1)).next(1));
    assertThat(fake.read(to)).isEqualTo(fake.read(from));
    assertThat(origin.isClosed() || target.isClosed()).as("whether an engine has closed").isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"exception", "error"})
  void aPeekEndsThatWatchOnly(String kind) {
    TransferEngine engine = open("loopback");
    DeviceMemory word = fake.allocate(Long.BYTES);
    Throwable failure = failure(kind);
    StepVerifier.create(engine.watch(word))
        .expectSubscription()
        .then(() -> fake.write(word, new byte[] {1, 0, 0, 0, 0, 0, 0, 1}))
        .expectNext(new Change(0, 0x0100_0000_0000_0001L))
        .then(() -> device.peek = failure)
        .expectErrorSatisfies(error ->
            assertThat(error)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("fake:0", failure.toString()))
        .verify(PATIENCE);
    device.peek = null;
    StepVerifier.create(engine.watch(word))
        .expectSubscription()
        .then(() -> fake.write(word, new byte[Long.BYTES]))
        .expectNext(new Change(0x0100_0000_0000_0001L, 0))
        .thenCancel()
        .verify(PATIENCE);
  }
}
