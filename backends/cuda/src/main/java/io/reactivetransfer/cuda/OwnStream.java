package io.reactivetransfer.cuda;

import io.reactivetransfer.cuda.ffi.Cu;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import jcuda.runtime.cudaStream_t;

/** A stream whose address can be read; it waits for no other stream, the default one included. */
final class OwnStream extends CUstream {

  private OwnStream() {}

  private OwnStream(cudaStream_t same) {
    super(same);
  }

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

  /** Of any stream: JCuda shows the address to nobody but a class of its own kind. */
  static long addressOf(CUstream stream) {
    return new OwnStream(new cudaStream_t(stream)).address();
  }
}
