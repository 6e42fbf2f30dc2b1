package io.reactivetransfer.cuda.fake;

import static io.reactivetransfer.cuda.fake.TestGpu.ok;

import io.reactivetransfer.cuda.fake.TestGpu.DevicePointer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import jcuda.driver.CUipcMemHandle;
import jcuda.driver.CUipcMem_flags;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;

/** Opens memory of another process, adds one to each byte, and closes it or touches it. */
final class ImporterProgram {

  private ImporterProgram() {}

  /** The handle, the length, and "close" or "touch". */
  public static void main(String[] args) throws ReflectiveOperationException {
    JCudaLibrary.load();
    int length = Integer.parseInt(args[1]);
    CUipcMemHandle handle = new CUipcMemHandle();
    byte[] bytes = HexFormat.of().parseHex(args[0]);
    System.arraycopy(bytes, 0, IpcBytes.of(handle), 0, bytes.length);
    try (TestGpu _ = new TestGpu(0)) {
      DevicePointer memory = open(handle);
      DevicePointer again = open(handle);
      System.out.println("same " + (memory.address() == again.address()));
      ok(JCudaDriver.cuIpcCloseMemHandle(again));
      byte first = TestGpu.read(memory, length)[0];
      ok(JCudaDriver.cuMemsetD8(memory, (byte) (first + 1), length));
      ok(JCudaDriver.cuCtxSynchronize());
      if (args[2].equals("touch")) {
        touch(memory.address());
      }
      ok(JCudaDriver.cuIpcCloseMemHandle(memory));
      System.out.println("closed " + JCudaDriver.cuIpcCloseMemHandle(memory));
    }
  }

  private static DevicePointer open(CUipcMemHandle handle) {
    DevicePointer memory = new DevicePointer();
    int result =
        JCudaDriver.cuIpcOpenMemHandle(
            memory, handle, CUipcMem_flags.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
    if (result != CUresult.CUDA_SUCCESS) {
      System.out.println("refused " + result);
      System.exit(0);
    }
    return memory;
  }

  @SuppressWarnings("restricted")
  private static void touch(long address) {
    MemorySegment memory = MemorySegment.ofAddress(address).reinterpret(1);
    System.out.println("touched " + memory.get(ValueLayout.JAVA_BYTE, 0));
  }
}
