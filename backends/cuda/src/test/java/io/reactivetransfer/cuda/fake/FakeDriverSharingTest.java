package io.reactivetransfer.cuda.fake;

import static io.reactivetransfer.cuda.fake.TestGpu.ok;
import static java.nio.charset.StandardCharsets.UTF_8;
import static jcuda.driver.CUresult.CUDA_ERROR_INVALID_CONTEXT;
import static jcuda.driver.CUresult.CUDA_ERROR_INVALID_VALUE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.cuda.fake.TestGpu.DevicePointer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import jcuda.driver.CUipcMemHandle;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Memory of a device, for other processes and for those who may not touch it. */
class FakeDriverSharingTest {

  private static final int LENGTH = 10_000;

  @RegisterExtension private final OneGpu one = new OneGpu();

  private DevicePointer memory;

  @BeforeEach
  void allocate() {
    memory = one.gpu.allocate(LENGTH);
    ok(JCudaDriver.cuMemsetD8(memory, (byte) 5, LENGTH));
    ok(JCudaDriver.cuCtxSynchronize());
  }

  @AfterEach
  void free() {
    if (one.driver.live(Live.DEVICE_MEMORY) > 0) {
      ok(JCudaDriver.cuMemFree(memory));
    }
  }

  private CUipcMemHandle export() {
    CUipcMemHandle handle = new CUipcMemHandle();
    ok(JCudaDriver.cuIpcGetMemHandle(handle, memory));
    return handle;
  }

  private String runImporter(CUipcMemHandle handle, String end) throws Exception {
    String hex = HexFormat.of().formatHex(IpcBytes.of(handle));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=/dev/null"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(ImporterProgram.class.getName(), hex, String.valueOf(LENGTH), end));
    ProcessBuilder importer = new ProcessBuilder(command);
    one.driver.useIn(importer);
    Process process = importer.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    process.waitFor();
    return said;
  }

  @Test
  void anotherProcessOpensItByItsHandle() throws Exception {
    assertThat(runImporter(export(), "close"))
        .contains("same true", "closed " + CUDA_ERROR_INVALID_VALUE);
    assertThat(TestGpu.read(memory, LENGTH)).containsOnly((byte) 6);
  }

  @Test
  void whoTouchesItCrashes() throws Exception {
    assertThat(runImporter(export(), "touch")).contains("SIGSEGV").doesNotContain("touched");
  }

  @Test
  void aHandleOfFreedMemoryIsRefused() throws Exception {
    CUipcMemHandle handle = export();
    ok(JCudaDriver.cuMemFree(memory));
    assertThat(runImporter(handle, "close")).contains("refused " + CUDA_ERROR_INVALID_VALUE);
  }

  @Test
  void theSameProcessDoesNotOpenIt() {
    assertThat(JCudaDriver.cuIpcOpenMemHandle(new DevicePointer(), export(), 1))
        .isEqualTo(CUDA_ERROR_INVALID_CONTEXT);
  }

  @Test
  @SuppressWarnings("restricted")
  void aSystemCallThatTouchesItFails(@TempDir Path directory) throws IOException {
    MemorySegment bytes = MemorySegment.ofAddress(memory.address()).reinterpret(LENGTH);
    try (FileChannel file =
        FileChannel.open(
            directory.resolve("file"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      assertThatThrownBy(() -> file.write(bytes.asByteBuffer()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("Bad address");
    }
  }
}
