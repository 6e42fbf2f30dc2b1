package io.reactivetransfer.cuda;

import io.reactivetransfer.cuda.ffi.Cu;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntSupplier;
import jcuda.driver.CUresult;

/** What calls of the driver give. */
final class Results {

  /** By name: what JCuda throws says no more, if anybody in this process had it throw. */
  private static final int LAST_RESULT = 999;

  private static final Map<Integer, String> REMEDIES =
      Map.of(
          Cu.CUDA_ERROR_OUT_OF_MEMORY,
          "free some of the device's memory, or take less",
          Cu.CUDA_ERROR_STUB_LIBRARY,
          "the library is the one to link against; put NVIDIA's driver before it",
          Cu.CUDA_ERROR_NO_DEVICE,
          "start the process where there is a GPU, in a container with --gpus all, and look at"
              + " CUDA_VISIBLE_DEVICES and nvidia-smi",
          Cu.CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
          "the driver in the kernel and its library are of two versions: reload the one, or restart"
              + " the machine");

  /** After these the context is of no use any more, nor is any memory of it: nothing goes on. */
  private static final Set<Integer> ENDS_OF_CONTEXTS =
      Set.of(
          Cu.CUDA_ERROR_ILLEGAL_ADDRESS,
          Cu.CUDA_ERROR_LAUNCH_TIMEOUT,
          Cu.CUDA_ERROR_CONTEXT_IS_DESTROYED,
          Cu.CUDA_ERROR_ASSERT,
          Cu.CUDA_ERROR_HARDWARE_STACK_ERROR,
          Cu.CUDA_ERROR_ILLEGAL_INSTRUCTION,
          Cu.CUDA_ERROR_MISALIGNED_ADDRESS,
          Cu.CUDA_ERROR_INVALID_ADDRESS_SPACE,
          Cu.CUDA_ERROR_INVALID_PC,
          Cu.CUDA_ERROR_LAUNCH_FAILED);

  private Results() {}

  /** Whether the context has ended, of which a call gave this. */
  static boolean endsContext(int result) {
    return ENDS_OF_CONTEXTS.contains(result);
  }

  /**
   * Makes a call through JCuda, which may have been told to throw.
   *
   * @throws CudaException if it gives anything but success
   */
  static void require(String call, IntSupplier made) {
    require(call, of(made));
  }

  /** What a call through JCuda gives. */
  static int of(IntSupplier made) {
    try {
      return made.getAsInt();
    } catch (jcuda.CudaException e) {
      return codeOf(String.valueOf(e.getMessage()));
    }
  }

  private static int codeOf(String name) {
    for (int code = 1; code < LAST_RESULT; code++) {
      if (CUresult.stringFor(code).equals(name)) {
        return code;
      }
    }
    return LAST_RESULT;
  }

  /**
   * What a call gave.
   *
   * @throws CudaException if that is anything but success
   */
  static void require(String call, int result) {
    if (result != Cu.CUDA_SUCCESS) {
      throw failure(call, result);
    }
  }

  /** A call has failed. */
  static CudaException failure(String call, int result) {
    return new CudaException(
        result, call + " failed with " + CudaDriver.name(result) + remedy(result));
  }

  /** What to do about it, behind a semicolon; nothing where nobody knows. */
  static String remedy(int result) {
    String remedy = REMEDIES.get(result);
    return remedy == null ? "" : "; " + Objects.requireNonNull(remedy);
  }
}
