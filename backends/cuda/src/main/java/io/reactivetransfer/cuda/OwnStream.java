package io.reactivetransfer.cuda;

import io.reactivetransfer.cuda.ffi.Cu;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/** A stream whose address can be read; it waits for no other stream, the default one included. */
final class OwnStream extends CUstream {

  /** Of the calling thread's context. */
  static OwnStream create() {
    OwnStream stream = new OwnStream();
    Results.require(
        "cuStreamCreate", () -> JCudaDriver.cuStreamCreate(stream, Cu.CU_STREAM_NON_BLOCKING));
    return stream;
  }

  long address() {
    return getNativePointer();
  }
}
