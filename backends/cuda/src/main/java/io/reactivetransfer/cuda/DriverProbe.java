package io.reactivetransfer.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.reactivetransfer.cuda.ffi.Cu;
import io.reactivetransfer.cuda.ffi.Libcuda;
import io.reactivetransfer.cuda.ffi.LibcudaByLinker;
import io.reactivetransfer.ffm.NativeLibrary;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Looks for the driver without JCuda: JCuda's class is spoilt for the whole process where there is
 * no driver, and a function that an old driver lacks ends the process when it is called.
 *
 * @param calls of the driver, if there is one that is good enough
 * @param count of GPUs
 * @param version of CUDA that the driver speaks: 12060 is 12.6
 * @param availability whether all is there
 */
record DriverProbe(@Nullable Libcuda calls, int count, int version, Availability availability) {

  private static final String INSTALL = "install NVIDIA's driver, 515 or later";

  /** The first with dma-buf and 64-bit words of streams under today's names: 11.7. */
  private static final int OLDEST = 11_070;

  private static final int THOUSAND = 1_000;
  private static final int TEN = 10;

  /** Looks for a library of this name. */
  static DriverProbe of(String library) {
    if (NativeLibrary.availability() instanceof Availability.Unavailable(String why, String then)) {
      return none(why, then);
    }
    NativeLibrary found;
    try {
      found = NativeLibrary.open(library);
    } catch (BackendException e) {
      return none(
          "there is no driver of NVIDIA's GPUs: " + e.getMessage(),
          INSTALL + "; in a container, start it with --gpus all");
    }
    Libcuda calls;
    try {
      calls = new LibcudaByLinker(found);
    } catch (BackendException e) {
      return none("the driver is too old: " + e.getMessage(), INSTALL);
    } catch (IllegalCallerException e) {
      return none(
          "this JVM denies native access", "start it with --enable-native-access=ALL-UNNAMED");
    }
    return of(calls);
  }

  private static DriverProbe of(Libcuda calls) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocate(JAVA_INT);
      int result = calls.cuDriverGetVersion(number.address());
      int version = number.get(JAVA_INT, 0);
      if (result != Cu.CUDA_SUCCESS) {
        return refused(calls, "cuDriverGetVersion", result);
      }
      if (version < OLDEST) {
        return none(
            "expected a driver of CUDA " + text(OLDEST) + " or later, got " + text(version),
            INSTALL);
      }
      result = calls.cuInit(0);
      if (result != Cu.CUDA_SUCCESS) {
        return refused(calls, "cuInit", result);
      }
      result = calls.cuDeviceGetCount(number.address());
      int count = number.get(JAVA_INT, 0);
      if (result != Cu.CUDA_SUCCESS) {
        return refused(calls, "cuDeviceGetCount", result);
      }
      return count == 0
          ? refused(calls, "cuDeviceGetCount gives 0 and not", Cu.CUDA_ERROR_NO_DEVICE)
          : new DriverProbe(calls, count, version, Availability.available());
    }
  }

  private static DriverProbe refused(Libcuda calls, String call, int result) {
    String remedy = Results.remedy(result);
    return none(
        "the driver refuses: " + call + " failed with " + name(calls, result),
        remedy.isEmpty() ? "look at what nvidia-smi says" : remedy.substring(2));
  }

  private static DriverProbe none(String reason, String remedy) {
    return new DriverProbe(null, 0, 0, Availability.unavailable(reason, remedy));
  }

  /** As in "12.6". */
  static String text(int version) {
    return version / THOUSAND + "." + version % THOUSAND / TEN;
  }

  /** As in "CUDA_ERROR_NO_DEVICE (100, no CUDA-capable device is detected)". */
  static String name(Libcuda calls, int result) {
    String name = calls.cuGetErrorName(result);
    return name == null
        ? "result " + result + ", which the driver has no name for"
        : name + " (" + result + ", " + calls.cuGetErrorString(result) + ")";
  }
}
