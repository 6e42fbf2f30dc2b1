package io.reactivetransfer.cuda.ffi;

import static io.reactivetransfer.ffm.ffi.Calls.handle;
import static io.reactivetransfer.ffm.ffi.Calls.unexpected;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.reactivetransfer.ffm.NativeLibrary;
import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * The calls, made through method handles: one for each signature, whose first argument is the
 * pointer. Plain calls, not critical ones: the driver blocks in most of them.
 */
public final class LibcudaByLinker implements Libcuda {

  // by arguments: I is an int, L a long or a pointer, H a handle of IPC by value; all give an int
  private static final MethodHandle I = handle(JAVA_INT, JAVA_INT);
  private static final MethodHandle IL = handle(JAVA_INT, JAVA_INT, JAVA_LONG);
  private static final MethodHandle II = handle(JAVA_INT, JAVA_INT, JAVA_INT);
  private static final MethodHandle L = handle(JAVA_INT, JAVA_LONG);
  private static final MethodHandle LI = handle(JAVA_INT, JAVA_LONG, JAVA_INT);
  private static final MethodHandle LII = handle(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT);
  private static final MethodHandle LIL = handle(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG);
  private static final MethodHandle LL = handle(JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle LLLIL =
      handle(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG);
  private static final MethodHandle LLLL =
      handle(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle LHI =
      handle(
          JAVA_INT,
          JAVA_LONG,
          MemoryLayout.structLayout(MemoryLayout.sequenceLayout(Cu.CU_IPC_HANDLE_SIZE, JAVA_BYTE)),
          JAVA_INT);

  private final MemorySegment init;
  private final MemorySegment driverGetVersion;
  private final MemorySegment deviceGetCount;
  private final MemorySegment deviceGetName;
  private final MemorySegment deviceGetPCIBusId;
  private final MemorySegment deviceGetUuid;
  private final MemorySegment deviceGetAttribute;
  private final MemorySegment pointerGetAttribute;
  private final MemorySegment pointerSetAttribute;
  private final MemorySegment ctxPushCurrent;
  private final MemorySegment ctxPopCurrent;
  private final MemorySegment threadExchangeStreamCaptureMode;
  private final MemorySegment memcpyDtoHAsync;
  private final MemorySegment memcpyHtoDAsync;
  private final MemorySegment streamSynchronize;
  private final MemorySegment eventRecord;
  private final MemorySegment eventSynchronize;
  private final MemorySegment memGetHandleForAddressRange;
  private final MemorySegment flushGPUDirectRDMAWrites;
  private final MemorySegment ipcGetMemHandle;
  private final MemorySegment ipcCloseMemHandle;
  private final MemorySegment getErrorName;
  private final MemorySegment getErrorString;
  private final MemorySegment ipcOpenMemHandle;

  /**
   * Looks all of them up.
   *
   * @throws io.reactivetransfer.spi.BackendException if the library lacks one
   * @throws IllegalCallerException if the JVM was started so that native access is denied
   */
  public LibcudaByLinker(NativeLibrary library) {
    init = at(library, "cuInit");
    driverGetVersion = at(library, "cuDriverGetVersion");
    deviceGetCount = at(library, "cuDeviceGetCount");
    deviceGetName = at(library, "cuDeviceGetName");
    deviceGetPCIBusId = at(library, "cuDeviceGetPCIBusId");
    deviceGetUuid = at(library, "cuDeviceGetUuid_v2");
    deviceGetAttribute = at(library, "cuDeviceGetAttribute");
    pointerGetAttribute = at(library, "cuPointerGetAttribute");
    pointerSetAttribute = at(library, "cuPointerSetAttribute");
    ctxPushCurrent = at(library, "cuCtxPushCurrent_v2");
    ctxPopCurrent = at(library, "cuCtxPopCurrent_v2");
    threadExchangeStreamCaptureMode = at(library, "cuThreadExchangeStreamCaptureMode");
    memcpyDtoHAsync = at(library, "cuMemcpyDtoHAsync_v2");
    memcpyHtoDAsync = at(library, "cuMemcpyHtoDAsync_v2");
    streamSynchronize = at(library, "cuStreamSynchronize");
    eventRecord = at(library, "cuEventRecord");
    eventSynchronize = at(library, "cuEventSynchronize");
    memGetHandleForAddressRange = at(library, "cuMemGetHandleForAddressRange");
    flushGPUDirectRDMAWrites = at(library, "cuFlushGPUDirectRDMAWrites");
    ipcGetMemHandle = at(library, "cuIpcGetMemHandle");
    ipcCloseMemHandle = at(library, "cuIpcCloseMemHandle");
    getErrorName = at(library, "cuGetErrorName");
    getErrorString = at(library, "cuGetErrorString");
    ipcOpenMemHandle = at(library, "cuIpcOpenMemHandle_v2");
  }

  private static MemorySegment at(NativeLibrary library, String symbol) {
    return MemorySegment.ofAddress(library.symbol(symbol));
  }

  @Override
  public int cuInit(int flags) {
    try {
      return (int) I.invokeExact(init, flags);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int cuDriverGetVersion(long version) {
    try {
      return (int) L.invokeExact(driverGetVersion, version);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int cuDeviceGetCount(long count) {
    try {
      return (int) L.invokeExact(deviceGetCount, count);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int cuDeviceGetName(long name, int length, int device) {
    try {
      return (int) LII.invokeExact(deviceGetName, name, length, device);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int cuDeviceGetPCIBusId(long id, int length, int device) {
    try {
      return (int) LII.invokeExact(deviceGetPCIBusId, id, length, device);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int cuDeviceGetUuid_v2(long uuid, int device) {
    try {
      return (int) LI.invokeExact(deviceGetUuid, uuid, device);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int cuDeviceGetAttribute(long value, int attribute, int device) {
    try {
      return (int) LII.invokeExact(deviceGetAttribute, value, attribute, device);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int cuPointerGetAttribute(long data, int attribute, long pointer) {
    try {
      return (int) LIL.invokeExact(pointerGetAttribute, data, attribute, pointer);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int cuPointerSetAttribute(long value, int attribute, long pointer) {
    try {
      return (int) LIL.invokeExact(pointerSetAttribute, value, attribute, pointer);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int cuCtxPushCurrent_v2(long context) {
    try {
      return (int) L.invokeExact(ctxPushCurrent, context);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int cuCtxPopCurrent_v2(long context) {
    try {
      return (int) L.invokeExact(ctxPopCurrent, context);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int cuThreadExchangeStreamCaptureMode(long mode) {
    try {
      return (int) L.invokeExact(threadExchangeStreamCaptureMode, mode);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int cuMemcpyDtoHAsync_v2(long target, long source, long bytes, long stream) {
    try {
      return (int) LLLL.invokeExact(memcpyDtoHAsync, target, source, bytes, stream);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int cuMemcpyHtoDAsync_v2(long target, long source, long bytes, long stream) {
    try {
      return (int) LLLL.invokeExact(memcpyHtoDAsync, target, source, bytes, stream);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int cuStreamSynchronize(long stream) {
    try {
      return (int) L.invokeExact(streamSynchronize, stream);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int cuEventRecord(long event, long stream) {
    try {
      return (int) LL.invokeExact(eventRecord, event, stream);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int cuEventSynchronize(long event) {
    try {
      return (int) L.invokeExact(eventSynchronize, event);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int cuMemGetHandleForAddressRange(
      long handle, long pointer, long bytes, int type, long flags) {
    try {
      return (int)
          LLLIL.invokeExact(memGetHandleForAddressRange, handle, pointer, bytes, type, flags);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int cuFlushGPUDirectRDMAWrites(int target, int scope) {
    try {
      return (int) II.invokeExact(flushGPUDirectRDMAWrites, target, scope);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int cuIpcGetMemHandle(long handle, long pointer) {
    try {
      return (int) LL.invokeExact(ipcGetMemHandle, handle, pointer);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int cuIpcCloseMemHandle(long pointer) {
    try {
      return (int) L.invokeExact(ipcCloseMemHandle, pointer);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int cuIpcOpenMemHandle_v2(long pointer, MemorySegment handle, int flags) {
    try {
      return (int) LHI.invokeExact(ipcOpenMemHandle, pointer, handle, flags);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public @Nullable String cuGetErrorName(int result) {
    return text(getErrorName, result);
  }

  @Override
  public @Nullable String cuGetErrorString(int result) {
    return text(getErrorString, result);
  }

  private static @Nullable String text(MemorySegment call, int result) {
    try (Arena arena = Arena.ofConfined()) {
      long text = arena.allocate(JAVA_LONG).address();
      int found = (int) IL.invokeExact(call, result, text);
      long address = Raw.getLong(text);
      return found == Cu.CUDA_SUCCESS && address != 0 ? Raw.getString(address) : null;
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }
}
