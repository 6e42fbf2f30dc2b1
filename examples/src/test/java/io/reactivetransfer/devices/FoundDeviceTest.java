package io.reactivetransfer.devices;

import static io.reactivetransfer.devices.FoundDevice.HARDWARE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.Change;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Imm;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/**
 * An accelerator whose access is on the class path, and nothing else said of it: engines register
 * its memory, write from there and to there, and watch its words.
 */
class FoundDeviceTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int LENGTH = 300_000;

  private final Random random = new Random(1);
  private final List<TransferEngine> engines = new ArrayList<>();
  private final Arena arena = Arena.ofShared();

  @AfterEach
  void close() {
    engines.forEach(engine -> get(engine.close()));
    arena.close();
  }

  private static <T> T get(Mono<T> mono) {
    return mono.block(PATIENCE);
  }

  private TransferEngine open(String backend) {
    TransferEngine engine =
        get(
            TransferEngineBuilder.create()
                .backend(backend)
                .options(EngineOptions.builder().nics(2).build())
                .open());
    engines.add(engine);
    return engine;
  }

  private byte[] noise() {
    byte[] noise = new byte[LENGTH];
    random.nextBytes(noise);
    return noise;
  }

  private DeviceMemory device(byte[] bytes) {
    DeviceMemory memory = HARDWARE.allocate(bytes.length);
    HARDWARE.write(memory, bytes);
    return memory;
  }

  private HostMemory host(byte[] bytes) {
    return new HostMemory(arena.allocate(bytes.length).copyFrom(MemorySegment.ofArray(bytes)));
  }

  private static byte[] bytes(Memory memory) {
    return switch (memory) {
      case DeviceMemory device -> HARDWARE.read(device);
      case HostMemory host -> host.segment().toArray(ValueLayout.JAVA_BYTE);
    };
  }

  private static MemoryRegion register(TransferEngine engine, Memory memory) {
    return get(engine.register(memory, Access.REMOTE_WRITE));
  }

  @ParameterizedTest
  @ValueSource(strings = {"loopback", "tcp"})
  void isWrittenFromAndTo(String backend) {
    TransferEngine origin = open(backend);
    TransferEngine target = open(backend);
    byte[] from = noise();
    byte[] to = noise();
    List<List<Memory>> pairs =
        List.of(
            List.of(device(from), device(to)),
            List.of(device(from), host(to)),
            List.of(host(from), device(to)));
    for (int i = 0; i < pairs.size(); i++) {
      Memory there = pairs.get(i).getLast();
      MemoryRegion source = register(origin, pairs.get(i).getFirst());
      RemoteRegion sink = origin.remote(register(target, there).descriptor());
      Imm imm = Imm.of(i);
      Mono<Void> arrived = target.counter(imm).next(1).cache();
      get(origin.submit(WriteImm.of(source.slice(5, 200_000), sink.slice(9, 200_000), imm)));
      get(arrived);
      byte[] expected = to.clone();
      System.arraycopy(from, 5, expected, 9, 200_000);
      assertThat(bytes(there)).isEqualTo(expected);
      assertThat(bytes(pairs.get(i).getFirst())).isEqualTo(from);
      PageList pages = PageList.of(4, 0, 2);
      get(origin.submit(PagedWrite.of(64, source.whole(), pages, sink.whole(), pages, imm)));
      get(target.counter(imm).next(3));
      for (int page : new int[] {4, 0, 2}) {
        System.arraycopy(from, page * 64, expected, page * 64, 64);
      }
      assertThat(bytes(there)).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"loopback", "tcp"})
  void isRevokedAndFreed(String backend) {
    TransferEngine origin = open(backend);
    TransferEngine target = open(backend);
    MemoryRegion source = register(origin, host(noise()));
    DeviceMemory memory = device(noise());
    MemoryRegion there = register(target, memory);
    RemoteRegion sink = origin.remote(there.descriptor());
    get(origin.submit(WriteImm.of(source.slice(0, 10), sink.slice(0, 10), Imm.of(1))));
    get(there.revoke());
    byte[] before = HARDWARE.read(memory);
    assertThatThrownBy(() ->
            get(origin.submit(WriteImm.of(source.slice(50, 10), sink.slice(0, 10), Imm.of(2)))))
        .isInstanceOf(TransferFailedException.class);
    assertThat(HARDWARE.read(memory)).isEqualTo(before);
    RemoteRegion again = origin.remote(there.descriptor());
    HARDWARE.free(memory);
    assertThatThrownBy(() ->
            get(origin.submit(WriteImm.of(source.slice(0, 10), again.slice(0, 10), Imm.of(3)))))
        .isInstanceOf(TransferFailedException.class);
    RemoteRegion other = origin.remote(register(target, device(noise())).descriptor());
    get(origin.submit(WriteImm.of(source.slice(0, 10), other.slice(0, 10), Imm.of(4))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"loopback", "tcp"})
  void tellsByAWord(String backend) {
    TransferEngine origin = open(backend);
    TransferEngine target = open(backend);
    MemoryRegion source = register(origin, host(new byte[] {1, 0, 0, 0, 0, 0, 0, 1}));
    DeviceMemory word = HARDWARE.allocate(Long.BYTES);
    RemoteRegion sink = origin.remote(register(target, word).descriptor());
    StepVerifier.create(target.watch(word))
        .then(() -> get(origin.submit(WriteImm.of(source.whole(), sink.whole(), Imm.of(1)))))
        .expectNext(new Change(0, 0x0100_0000_0000_0001L))
        .then(() -> HARDWARE.write(word, new byte[Long.BYTES]))
        .expectNext(new Change(0x0100_0000_0000_0001L, 0))
        .thenCancel()
        .verify(PATIENCE);
  }
}
