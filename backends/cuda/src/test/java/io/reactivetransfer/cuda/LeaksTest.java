package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.fuzz.CapturedLog;
import io.reactivetransfer.tck.process.JavaProcess;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What nobody can close any more is said in the log, once it is collected. */
class LeaksTest {

  private static final Duration PATIENCE = Duration.ofSeconds(40);
  private static final String LINE = "never closed, and lost until the process ends";

  @RegisterExtension private final Gpus gpus = new Gpus();

  private final Gpu gpu = CudaDriver.here().gpu(Gpus.FIRST);

  private static void await(CapturedLog log, String what) {
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> {
          System.gc();
          return !log.lines(what).isEmpty();
        });
    assertThat(log.lines(what)).allMatch(line -> line.contains("ERROR") && line.contains(LINE));
  }

  @Test
  void memory() {
    try (CapturedLog log = new CapturedLog()) {
      CudaMemory.allocate(Gpus.FIRST, 7_003).close();
      CUdeviceptr lost = CudaMemory.allocate(Gpus.FIRST, 7_001).pointer();
      await(log, "7001 bytes of cuda:0");
      assertThat(log.lines("7003 bytes")).as("lines of what was closed").isEmpty();
      assertThat(CudaMemory.of(lost, 7_001).length()).as("what is allocated yet").isEqualTo(7_001);
      Results.require("cuMemFree", gpu.within(() -> JCudaDriver.cuMemFree(lost)));
    }
  }

  @Test
  void memoryOfAnotherProcess() throws Exception {
    ProcessBuilder command =
        JavaProcess.command(List.of(), IpcProgram.class.getName(), Integer.toString(7_002));
    gpus.useIn(command);
    try (CapturedLog log = new CapturedLog();
        JavaProcess process = JavaProcess.start(command)) {
      byte[] exported = HexFormat.of().parseHex(process.awaitLine("exported (.*)").group(1));
      DeviceMemory lost = CudaIpc.open(exported).memory();
      await(log, "7002 imported bytes of cuda:0");
      long begin = Pointers.begin(lost.address());
      Results.require(
          "cuIpcCloseMemHandle",
          gpu.within(() -> CudaDriver.here().calls().cuIpcCloseMemHandle(begin)));
    }
  }

  @Test
  void words() {
    try (CapturedLog log = new CapturedLog()) {
      long lost = CudaWord.open(Gpus.FIRST).memory().segment().address();
      await(log, "a word for cuda:0");
      try (CudaWord next = CudaWord.open(Gpus.FIRST)) {
        assertThat(next.memory().segment().address()).as("another word").isNotEqualTo(lost);
      }
    }
  }
}
