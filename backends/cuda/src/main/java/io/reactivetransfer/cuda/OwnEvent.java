package io.reactivetransfer.cuda;

import io.reactivetransfer.cuda.ffi.Cu;
import jcuda.driver.CUevent;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/** A mark in a stream, whose address can be read. */
final class OwnEvent extends CUevent {

  /** Of the calling thread's context. */
  static OwnEvent create() {
    OwnEvent event = new OwnEvent();
    Results.require(
        "cuEventCreate", () -> JCudaDriver.cuEventCreate(event, Cu.CU_EVENT_DISABLE_TIMING));
    return event;
  }

  long address() {
    return getNativePointer();
  }

  /** Behind what a stream was given so far. */
  void record(CUstream stream) {
    Results.require("cuEventRecord", () -> JCudaDriver.cuEventRecord(this, stream));
  }

  /** What the driver says: success if the stream has come by, "not ready" if it has not. */
  int query() {
    return Results.of(() -> JCudaDriver.cuEventQuery(this));
  }

  void destroy() {
    Results.of(() -> JCudaDriver.cuEventDestroy(this));
  }
}
