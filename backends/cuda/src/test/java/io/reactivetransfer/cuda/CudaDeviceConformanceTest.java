package io.reactivetransfer.cuda;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.cuda.fake.FakeDriver;
import io.reactivetransfer.cuda.ffi.Cu;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.tck.DeviceConformance;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The rules of an access to devices, beneath which streams take their time. */
class CudaDeviceConformanceTest extends DeviceConformance {

  @RegisterExtension private final Gpus gpus = new Gpus();

  private final Map<Long, CudaMemory> allocated = new ConcurrentHashMap<>();

  @Override
  protected DeviceAccess access() {
    gpus.delay(100);
    return new CudaAccess();
  }

  @Override
  protected DeviceMemory allocate(Device device, long bytes) {
    CudaMemory memory = CudaMemory.allocate(device, bytes);
    allocated.put(memory.memory().address(), memory);
    return memory.memory();
  }

  @Override
  protected void free(DeviceMemory memory) {
    allocated.remove(memory.address()).close();
  }

  /** Past all streams, on the fake; a GPU copies. */
  @Override
  protected void write(DeviceMemory memory, byte[] bytes) {
    if (Gpus.REAL) {
      super.write(memory, bytes);
    } else {
      MemorySegment.copy(bytes, 0, shown(memory), ValueLayout.JAVA_BYTE, 0, bytes.length);
    }
  }

  @Override
  protected byte[] read(DeviceMemory memory) {
    return Gpus.REAL ? super.read(memory) : shown(memory).toArray(ValueLayout.JAVA_BYTE);
  }

  @SuppressWarnings("restricted") // nothing but the driver knows how long it is
  private static MemorySegment shown(DeviceMemory memory) {
    return MemorySegment.ofAddress(FakeDriver.load().bytes(memory.address()))
        .reinterpret(memory.length());
  }

  /** A stream of an application, for which the default one waits, waits for a word. */
  @Override
  protected Runnable keepBusy(Device device) {
    Gpu gpu = CudaDriver.here().gpu(device);
    CudaWord word = CudaWord.open(device);
    CUstream stream = new CUstream();
    gpu.within(() -> {
      Results.require("cuStreamCreate", () -> JCudaDriver.cuStreamCreate(stream, 0));
      CUdeviceptr at = word.pointer();
      Results.require(
          "cuStreamWaitValue64",
          () -> JCudaDriver.cuStreamWaitValue64(stream, at, 1, Cu.CU_STREAM_WAIT_VALUE_GEQ));
      return stream;
    });
    return () -> {
      word.set(1);
      gpu.within(() -> {
        Results.require("cuStreamSynchronize", () -> JCudaDriver.cuStreamSynchronize(stream));
        return JCudaDriver.cuStreamDestroy(stream);
      });
      word.close();
    };
  }
}
