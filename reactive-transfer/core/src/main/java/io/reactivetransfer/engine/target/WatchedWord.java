package io.reactivetransfer.engine.target;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Signals;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.MemoryFaults;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** How a word of 64 bits is read, wherever it is. */
interface WatchedWord {

  VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

  /**
   * As it is now.
   *
   * @throws IllegalStateException if that cannot be said any more
   */
  long read();

  /**
   * What was written before it is seen by whoever has read it.
   *
   * @throws TransferRejectedException if it is of an accelerator that is not reached
   */
  static WatchedWord of(Memory word, Devices devices) {
    return switch (word) {
      case HostMemory host -> ofHost(host.segment());
      case DeviceMemory device -> ofDevice(device, devices);
    };
  }

  private static WatchedWord ofHost(MemorySegment word) {
    return () -> {
      try {
        long now = (long) WORD.getAcquire(word, 0L);
        MemoryFaults.report((int) now);
        return now;
      } catch (IllegalStateException gone) {
        throw new IllegalStateException("the watched memory was freed: " + gone.getMessage(), gone);
      } catch (InternalError fault) {
        throw new IllegalStateException(
            "the watched memory is gone, as when a mapped file was cut off: " + fault.getMessage(),
            fault);
      }
    };
  }

  private static WatchedWord ofDevice(DeviceMemory word, Devices devices) {
    DeviceAccess access;
    try {
      access = devices.access(word.device());
    } catch (BackendException e) {
      throw new TransferRejectedException(Signals.textOf(e));
    }
    return () -> {
      try {
        return access.peek(word, 0);
      } catch (RuntimeException e) {
        throw new IllegalStateException("the device refuses: " + Signals.textOf(e), e);
      }
    };
  }

  /** Refuses what is no word, at once. */
  static void requireWord(Memory word) {
    long alignment =
        switch (word) {
          case HostMemory host -> host.segment().maxByteAlignment();
          case DeviceMemory device -> Long.lowestOneBit(device.address());
        };
    if (word.length() != Long.BYTES || alignment < Long.BYTES) {
      throw new IllegalArgumentException(
          "expected an aligned word of 8 bytes, got "
              + word.length()
              + " bytes aligned to "
              + alignment);
    }
  }
}
