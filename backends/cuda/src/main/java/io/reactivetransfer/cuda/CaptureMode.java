package io.reactivetransfer.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.reactivetransfer.cuda.ffi.Cu;
import io.reactivetransfer.cuda.ffi.Libcuda;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * What one thread may call while a stream is captured into a graph. By itself the driver takes a
 * call that is no part of a stream, such as one that allocates or pins memory, for a mistake of who
 * captures: it refuses the call and spoils the capture, also that of another thread. What is called
 * here belongs to no capture, so the thread says that it knows better while it calls.
 *
 * <p>The word that the driver swaps is this thread's, so that nothing is allocated for a call and
 * no other thread writes it meanwhile. In between it keeps the mode that the thread had.
 */
final class CaptureMode {

  private static final Logger LOG = Loggers.getLogger(CaptureMode.class);

  private static final ThreadLocal<CaptureMode> OF_THREAD =
      ThreadLocal.withInitial(CaptureMode::new);

  private final MemorySegment mode = Arena.ofAuto().allocate(JAVA_INT);
  private int depth;
  private boolean isRelaxed;

  private CaptureMode() {}

  /** The calling thread's calls harm no capture until {@link #restore}; the two may be nested. */
  static void relax(Libcuda calls) {
    OF_THREAD.get().enter(calls);
  }

  /** Gives the calling thread the mode that it had; goes on whatever the driver says to that. */
  static void restore(Libcuda calls) {
    OF_THREAD.get().leave(calls);
  }

  private void enter(Libcuda calls) {
    if (depth++ == 0) {
      mode.set(JAVA_INT, 0, Cu.CU_STREAM_CAPTURE_MODE_RELAXED);
      int result = calls.cuThreadExchangeStreamCaptureMode(mode.address());
      isRelaxed = result == Cu.CUDA_SUCCESS;
      if (!isRelaxed) {
        say(calls, "calls of a thread may spoil what is captured into a graph", result);
      }
    }
  }

  private void leave(Libcuda calls) {
    if (--depth == 0 && isRelaxed) {
      int result = calls.cuThreadExchangeStreamCaptureMode(mode.address());
      if (result != Cu.CUDA_SUCCESS) {
        say(calls, "a thread keeps the relaxed mode of captures", result);
      }
    }
  }

  private static void say(Libcuda calls, String what, int result) {
    LOG.error(
        "{}: cuThreadExchangeStreamCaptureMode failed with {}",
        what,
        DriverProbe.name(calls, result));
  }
}
