package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.cuda.fake.Live;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.tck.process.JavaProcess;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

/**
 * Whichever call of the driver fails: what needed it ends once, by the driver's name of the error,
 * what did not is whole, and nothing is left behind. Copies, memory and waits have such a test of
 * their own.
 */
class WhicheverCallFailsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int LAUNCH_FAILED = 719;
  private static final int LENGTH = 700_000; // three parts of tcp

  @RegisterExtension private final Gpus gpus = new Gpus();

  private final CudaAccess access = new CudaAccess();

  /** What is tried, with one call that fails; returns whether it went well all the same. */
  private interface Attempt {
    boolean run() throws Exception;
  }

  /**
   * Of as many calls of the driver as the attempt takes when none fails.
   *
   * @param least how many of them it cannot do without
   */
  private void forEachCall(int least, Runnable prepare, Attempt attempt) throws Exception {
    for (int i = 0; i < 2; i++) { // what is opened once is open from here on
      prepare.run();
      gpus.driver().reset();
      assertThat(attempt.run()).isTrue();
    }
    int calls = gpus.driver().calls().size();
    int failures = 0;
    for (int n = 1; n <= calls; n++) {
      prepare.run();
      gpus.driver().reset();
      gpus.driver().failCall(n, LAUNCH_FAILED);
      failures += attempt.run() ? 0 : 1;
      gpus.driver().reset();
    }
    assertThat(failures).as("calls of %d whose failure shows", calls).isGreaterThanOrEqualTo(least);
    prepare.run();
    assertThat(attempt.run()).as("without a failure, afterwards").isTrue();
  }

  private static boolean goesWell(Runnable work) {
    try {
      work.run();
      return true;
    } catch (CudaException | BackendException e) {
      assertThat(e).hasMessageContaining("CUDA_ERROR_LAUNCH_FAILED");
      return false;
    }
  }

  @Test
  void aWriteToAnotherGpuComesWholeOrNotAtAll() throws Exception {
    writeWhicheverCallFails("tcp", 1);
  }

  /** What stands before every NIC is the same, which the test above shows over one of them. */
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource({"tcp, 0", "loopback, 0", "loopback, 1", "libfabric, 0", "libfabric, 1"})
  void aWriteComesWholeOrNotAtAll(String backend, int ofTarget) throws Exception {
    writeWhicheverCallFails(backend, ofTarget);
  }

  private void writeWhicheverCallFails(String backend, int ofTarget) throws Exception {
    byte[] bytes = Gpus.noise(LENGTH);
    TransferEngine origin = Engines.over(backend);
    TransferEngine target = Engines.over(backend);
    try (CudaMemory source = CudaMemory.allocate(Gpus.FIRST, LENGTH);
        CudaMemory sink = CudaMemory.allocate(Device.of("cuda", ofTarget), LENGTH)) {
      forEachCall(
          10,
          () -> {
            fill(source, bytes);
            fill(sink, new byte[LENGTH]);
          },
          () -> {
            boolean isDone = write(origin, source, target, sink);
            gpus.driver().reset();
            assertThat(content(source)).isEqualTo(bytes);
            assertThat(!isDone || Arrays.equals(content(sink), bytes)).isTrue();
            return isDone;
          });
    } finally {
      gpus.driver().reset();
      Mono.when(origin.close(), target.close()).block(PATIENCE);
    }
  }

  private void fill(CudaMemory memory, byte[] bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
      access.copyFromHost(host, 0, memory.memory(), 0, bytes.length);
    }
  }

  private byte[] content(CudaMemory memory) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(LENGTH);
      access.copyToHost(memory.memory(), 0, host, 0, LENGTH);
      return host.toArray(ValueLayout.JAVA_BYTE);
    }
  }

  private static boolean write(
      TransferEngine origin, CudaMemory source, TransferEngine target, CudaMemory sink) {
    ImmLease lease = target.lease();
    MemoryRegion from = register(origin, source);
    MemoryRegion to = register(target, sink);
    boolean isDone = from != null && to != null && isWritten(origin, from, to, lease.imm());
    if (isDone) {
      lease.counter().next(1).block(PATIENCE);
    }
    assertThat(lease.counter().discard().block(PATIENCE)).as("more arrivals").isZero();
    for (MemoryRegion region : Stream.of(from, to).filter(Objects::nonNull).toList()) {
      region.close().block(PATIENCE);
    }
    lease.close();
    return isDone;
  }

  private static boolean isWritten(
      TransferEngine origin, MemoryRegion from, MemoryRegion to, Imm imm) {
    try {
      origin
          .submit(WriteImm.of(from.whole(), origin.remote(to.descriptor()).whole(), imm))
          .block(PATIENCE);
      return true;
    } catch (TransferException e) {
      assertThat(e).hasMessageContaining("CUDA_ERROR_LAUNCH_FAILED");
      return false;
    }
  }

  private static @Nullable MemoryRegion register(TransferEngine engine, CudaMemory memory) {
    try {
      return engine.register(memory.memory(), Access.REMOTE_WRITE).block(PATIENCE);
    } catch (TransferException e) {
      assertThat(e).hasMessageContaining("CUDA_ERROR_LAUNCH_FAILED");
      return null;
    }
  }

  @Test
  void aWordIsThereOrNot() throws Exception {
    OwnStream stream = CudaDriver.here().gpu(Gpus.FIRST).within(OwnStream::create);
    forEachCall(
        2,
        () -> {},
        () ->
            goesWell(() -> {
              try (CudaWord word = CudaWord.open(Gpus.FIRST)) {
                word.writeOn(stream, 7);
              }
            }));
  }

  @Test
  void whatIsExportedForANicIsClosed() throws Exception {
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, LENGTH)) {
      forEachCall(
          1,
          () -> {},
          () -> {
            long open = openFiles();
            boolean well = goesWell(() -> access.exportDmaBuf(memory.memory()).close());
            assertThat(openFiles()).as("open files").isEqualTo(open);
            return well;
          });
    }
  }

  private static long openFiles() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      return files.count();
    }
  }

  @Test
  void memoryOfAnotherProcessIsImportedOrNot() throws Exception {
    ProcessBuilder command =
        JavaProcess.command(List.of(), IpcProgram.class.getName(), Integer.toString(LENGTH));
    gpus.useIn(command);
    try (JavaProcess process = JavaProcess.start(command)) {
      byte[] exported = HexFormat.of().parseHex(process.awaitLine("exported (.*)").group(1));
      forEachCall(
          4,
          () -> {},
          () -> {
            AtomicBoolean isOpen = new AtomicBoolean();
            boolean well =
                goesWell(() -> {
                  try (CudaIpc imported = CudaIpc.open(exported)) {
                    isOpen.set(imported.memory().length() == LENGTH);
                  }
                });
            if (well || !isOpen.get()) { // what could not be closed stays, as close() says
              assertThat(gpus.driver().live(Live.IPC_MAPPING)).as("mappings").isZero();
            }
            return well;
          });
    }
  }
}
