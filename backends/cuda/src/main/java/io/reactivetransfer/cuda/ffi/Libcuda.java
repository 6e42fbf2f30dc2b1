package io.reactivetransfer.cuda.ffi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Calls of libcuda, under the names of C: pointers are numbers, a result is a {@code CUresult}.
 * Those with a version in their name are what cuda.h means without one. Those of a context need it
 * to be the calling thread's.
 *
 * @see <a href="https://docs.nvidia.com/cuda/cuda-driver-api/">CUDA driver API</a>
 */
public interface Libcuda {

  /** Has to come first; more than once does no harm. */
  int cuInit(int flags);

  /** Works before {@link #cuInit}: 12060 is CUDA 12.6. */
  int cuDriverGetVersion(long version);

  /** How many GPUs this process sees. */
  int cuDeviceGetCount(long count);

  /** For people, with a 0 behind it. */
  int cuDeviceGetName(long name, int length, int device);

  /** Where it is: domain, bus, device and function, with a 0 behind it. */
  int cuDeviceGetPCIBusId(long id, int length, int device);

  /** Which one it is, in every process: {@link Cu#UUID_BYTES}. */
  int cuDeviceGetUuid_v2(long uuid, int device);

  /** One {@code int} about a GPU. */
  int cuDeviceGetAttribute(long value, int attribute, int device);

  /** Such as {@code CUDA_ERROR_NO_DEVICE}; null if there is no such result. */
  @Nullable String cuGetErrorName(int result);

  /** What it means, in words; null if there is no such result. */
  @Nullable String cuGetErrorString(int result);

  /** Something about an address; how long it is depends on the attribute. */
  int cuPointerGetAttribute(long data, int attribute, long pointer);

  /** Sets something about the allocation of an address. */
  int cuPointerSetAttribute(long value, int attribute, long pointer);

  /** Makes a context the calling thread's, on top of the one that it has. */
  int cuCtxPushCurrent_v2(long context);

  /** Takes the calling thread's context away; it is put into the argument. */
  int cuCtxPopCurrent_v2(long context);

  /** Swaps what the calling thread may do while streams are captured with the argument. */
  int cuThreadExchangeStreamCaptureMode(long mode);

  /** Copies to the host, when the stream comes to it. */
  int cuMemcpyDtoHAsync_v2(long target, long source, long bytes, long stream);

  /** Copies from the host, when the stream comes to it. */
  int cuMemcpyHtoDAsync_v2(long target, long source, long bytes, long stream);

  /** Waits until a stream has done all that it was given. */
  int cuStreamSynchronize(long stream);

  /** Sets a mark behind what a stream was given so far. */
  int cuEventRecord(long event, long stream);

  /** Waits until a stream has come by a mark. */
  int cuEventSynchronize(long event);

  /** Exports memory, for other drivers. */
  int cuMemGetHandleForAddressRange(long handle, long pointer, long bytes, int type, long flags);

  /** Has what others wrote into a GPU's memory seen there. */
  int cuFlushGPUDirectRDMAWrites(int target, int scope);

  /** Exports an allocation, for other processes: {@link Cu#CU_IPC_HANDLE_SIZE} bytes. */
  int cuIpcGetMemHandle(long handle, long pointer);

  /** Maps an allocation of another process; its address is put into the first argument. */
  int cuIpcOpenMemHandle_v2(long pointer, MemorySegment handle, int flags);

  /** Unmaps an allocation of another process. */
  int cuIpcCloseMemHandle(long pointer);
}
