package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.cuda.fake.Live;
import io.reactivetransfer.tck.process.JavaProcess;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CudaIpcTest {

  private static final Duration PATIENCE = Duration.ofSeconds(40);
  private static final int LENGTH = 300_000;

  @RegisterExtension private final Gpus gpus = new Gpus();

  private JavaProcess exporter() throws IOException {
    ProcessBuilder command =
        JavaProcess.command(List.of(), IpcProgram.class.getName(), Integer.toString(LENGTH));
    gpus.useIn(command);
    return JavaProcess.start(command);
  }

  private static byte[] exported(JavaProcess process)
      throws InterruptedException, TimeoutException {
    return HexFormat.of().parseHex(process.awaitLine("exported (.*)").group(1));
  }

  @Test
  void twoProcessesHaveTheSameMemory() throws Exception {
    CudaAccess access = new CudaAccess();
    try (JavaProcess process = exporter();
        Arena arena = Arena.ofConfined()) {
      try (CudaIpc imported = CudaIpc.open(exported(process))) {
        assertThat(imported.memory().length()).isEqualTo(LENGTH);
        MemorySegment bytes = arena.allocate(LENGTH);
        access.copyToHost(imported.memory(), 0, bytes, 0, LENGTH);
        assertThat(bytes.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(Gpus.noise(LENGTH));
        bytes.set(ValueLayout.JAVA_BYTE, 0, (byte) 42);
        access.copyFromHost(bytes, 0, imported.memory(), 0, 1);
        assertThat(process.awaitLine("first byte (.*)").group(1)).isEqualTo("42");
      }
    }
  }

  @Test
  void aDeadExporterIsAnError() throws Exception {
    byte[] exported;
    try (JavaProcess process = exporter()) {
      exported = exported(process);
      process.handle().destroyForcibly();
      process.handle().onExit().join();
    }
    assertThatThrownBy(() -> CudaIpc.open(exported))
        .isInstanceOf(CudaException.class)
        .hasMessageContaining("expected memory of a process that runs")
        .hasMessageContaining(", which has ended; have it exported anew");
    assertThat(gpus.driver().calls("cuIpcOpenMemHandle")).as("what the driver was asked").isZero();
  }

  /** A region of its memory is closed, and the mapping, though nobody has what is mapped. */
  @Test
  void theEndOfAnExporterIsTold() throws Exception {
    TransferEngine engine = Engines.over("loopback");
    try (JavaProcess process = exporter();
        CudaIpc imported = CudaIpc.open(exported(process))) {
      MemoryRegion region =
          Objects.requireNonNull(
              engine.register(imported.memory(), Access.REMOTE_WRITE).block(PATIENCE));
      CompletableFuture<Void> ended = imported.exporterEnded().toFuture();
      assertThatThrownBy(() -> ended.get(300, TimeUnit.MILLISECONDS))
          .as("while it runs")
          .isInstanceOf(TimeoutException.class);
      process.handle().destroyForcibly();
      ended.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      imported.exporterEnded().block(PATIENCE); // also for who asks later
      region.close().block(PATIENCE);
    } finally {
      engine.close().block(PATIENCE);
    }
    assertThat(gpus.driver().live(Live.IPC_MAPPING)).isZero();
  }

  @Test
  void theProcessThatExportsCannotImport() {
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, 100)) {
      byte[] exported = CudaIpc.export(memory.memory());
      assertThatThrownBy(() -> CudaIpc.open(exported))
          .isInstanceOf(CudaException.class)
          .hasMessageContaining("expected memory of another process, got some that this one has");
      assertThat(gpus.driver().calls("cuIpcOpenMemHandle"))
          .as("what the driver was asked")
          .isZero();
    }
  }

  @Test
  void whatIsNotThereIsNotExported() {
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, 100)) {
      long address = memory.memory().address();
      refused(new DeviceMemory(Gpus.FIRST, address, 101), "expected 1 to 100 bytes");
      refused(new DeviceMemory(Gpus.FIRST, 4_096, 8), "expected memory that the driver allocated");
      if (!Gpus.SECOND.equals(Gpus.FIRST)) {
        refused(
            new DeviceMemory(Gpus.SECOND, address, 100),
            "expected memory of cuda:1, got memory of cuda:0");
      }
    }
  }

  private static void refused(DeviceMemory memory, String text) {
    assertThatThrownBy(() -> CudaIpc.export(memory))
        .isInstanceOf(CudaException.class)
        .hasMessageContaining(text);
  }

  @Test
  void whatThisProcessHasImportedItDoesNotExport() throws Exception {
    try (JavaProcess process = exporter()) {
      byte[] exported = exported(process);
      try (CudaIpc first = CudaIpc.open(exported)) {
        CudaIpc.open(exported).close(); // it is open still
        refused(first.memory(), "got imported memory; have the process that has allocated it");
        refused(first.memory().slice(7, 9), "got imported memory");
      }
    }
  }

  @Test
  void whatTheDriverDoesNotExportIsRefusedInWords() {
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, 100)) {
      gpus.driver().fault("cuIpcGetMemHandle", 1, 1);
      refused(memory.memory(), "not of a pool, managed, or of virtual pieces: cuIpcGetMemHandle");
    }
  }

  @Test
  void otherBytesAreRefused() {
    try (CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, 100)) {
      byte[] exported = CudaIpc.export(memory.memory());
      for (byte[] other :
          List.of(new byte[0], new byte[exported.length], Arrays.copyOf(exported, 50))) {
        assertThatThrownBy(() -> CudaIpc.open(other))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("CudaIpc.export");
      }
      byte[] ofAnother = exported.clone();
      ofAnother[4] ^= 1;
      assertThatThrownBy(() -> CudaIpc.open(ofAnother))
          .isInstanceOf(CudaException.class)
          .hasMessageContaining("CUDA_VISIBLE_DEVICES");
    }
  }
}
