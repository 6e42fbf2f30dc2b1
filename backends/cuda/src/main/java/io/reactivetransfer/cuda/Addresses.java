package io.reactivetransfer.cuda;

import java.lang.foreign.MemorySegment;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;

/** Between addresses and what JCuda has for them. */
final class Addresses {

  private Addresses() {}

  /** Null and an offset is how to make one of a number. */
  static CUdeviceptr device(long address) {
    return new CUdeviceptr().withByteOffset(address);
  }

  /** Only a class that extends JCuda's is told. */
  static long of(CUdeviceptr pointer) {
    return new ReadablePointer(pointer).address();
  }

  static Pointer host(MemorySegment segment) {
    return new HostPointer(segment.address());
  }

  private static final class ReadablePointer extends CUdeviceptr {

    ReadablePointer(CUdeviceptr other) {
      super(other, 0);
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
