package io.reactivetransfer.cuda.fake;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import jcuda.CudaException;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;

/** A device through JCuda, which is current on the thread that made this until it is closed. */
final class TestGpu implements AutoCloseable {

  private final CUdevice device = new CUdevice();
  final CUcontext context = new CUcontext();

  TestGpu(int ordinal) {
    ok(JCudaDriver.cuInit(0));
    ok(JCudaDriver.cuDeviceGet(device, ordinal));
    ok(JCudaDriver.cuDevicePrimaryCtxRetain(context, device));
    makeCurrent();
  }

  static void ok(int result) {
    if (result != CUresult.CUDA_SUCCESS) {
      throw new CudaException(CUresult.stringFor(result));
    }
  }

  void makeCurrent() {
    ok(JCudaDriver.cuCtxSetCurrent(context));
  }

  int attribute(int attribute) {
    int[] value = new int[1];
    ok(JCudaDriver.cuDeviceGetAttribute(value, attribute, device));
    return value[0];
  }

  DevicePointer allocate(long length) {
    DevicePointer pointer = new DevicePointer();
    ok(JCudaDriver.cuMemAlloc(pointer, length));
    return pointer;
  }

  static MemorySegment pinned(Arena arena, long length) {
    MemorySegment memory = arena.allocate(length, 4096);
    ok(JCudaDriver.cuMemHostRegister(host(memory), length, 0));
    return memory;
  }

  static DevicePointer deviceAddressOf(MemorySegment pinned) {
    DevicePointer pointer = new DevicePointer();
    ok(JCudaDriver.cuMemHostGetDevicePointer(pointer, host(pinned), 0));
    return pointer;
  }

  static void unpin(MemorySegment memory) {
    ok(JCudaDriver.cuMemHostUnregister(host(memory)));
  }

  static CUstream stream() {
    CUstream stream = new CUstream();
    ok(JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
    return stream;
  }

  /** The bytes there, after all that was in the default stream. */
  static byte[] read(CUdeviceptr from, int length) {
    byte[] bytes = new byte[length];
    ok(JCudaDriver.cuMemcpyDtoH(Pointer.to(bytes), from, length));
    return bytes;
  }

  static Pointer host(MemorySegment memory) {
    return new HostPointer(memory.address());
  }

  @Override
  public void close() {
    assertThat(JCudaDriver.cuCtxSetCurrent(new CUcontext())).isZero();
    assertThat(JCudaDriver.cuDevicePrimaryCtxRelease(device)).isZero();
  }

  /** Says what it points to. */
  static final class DevicePointer extends CUdeviceptr {

    DevicePointer() {}

    private DevicePointer(CUdeviceptr pointer, long offset) {
      super(pointer, offset);
    }

    DevicePointer at(long offset) {
      return new DevicePointer(this, offset);
    }

    long address() {
      return getNativePointer() + getByteOffset();
    }
  }

  private static final class HostPointer extends Pointer {

    HostPointer(long address) {
      super(address);
    }
  }
}
