package io.reactivetransfer.cuda;

import io.reactivetransfer.cuda.ffi.Cu;
import jcuda.driver.CUevent;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/** A mark in a stream. */
final class OwnEvent {

  private final CUevent event;

  private OwnEvent(CUevent event) {
    this.event = event;
  }

  /** Of the calling thread's context. */
  static OwnEvent create() {
    CUevent event = new CUevent();
    Results.require(
        "cuEventCreate", () -> JCudaDriver.cuEventCreate(event, Cu.CU_EVENT_DISABLE_TIMING));
    return new OwnEvent(event);
  }

  /** Behind what a stream was given so far. */
  void record(CUstream stream) {
    Results.require("cuEventRecord", () -> JCudaDriver.cuEventRecord(event, stream));
  }

  /** What the driver says: success if the stream has come by, "not ready" if it has not. */
  int query() {
    return Results.of(() -> JCudaDriver.cuEventQuery(event));
  }

  void destroy() {
    Results.of(() -> JCudaDriver.cuEventDestroy(event));
  }
}
