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
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A word of 64 bits, wherever it is, to which 1 is added, and which may say of a failure, too. On
 * the NIC thread.
 */
abstract class RaisedWord {

  /** What it becomes when a claim fails; null if it stays as it is. */
  private final @Nullable Long failed;

  /** Another one, which is raised first and told of failures first; null if there is none. */
  private final @Nullable RaisedWord first;

  private RaisedWord(@Nullable Long failed, @Nullable RaisedWord first) {
    this.failed = failed;
    this.first = first;
  }

  /** Adds 1: whoever sees that sees all that was written before. */
  protected abstract void add();

  protected abstract void set(long value);

  /** Adds 1 to each, the first one first; says why that cannot be done, or null. */
  @Nullable TransferRejectedException raise() {
    TransferRejectedException unsaid = first == null ? null : first.raise();
    if (unsaid != null) {
      return unsaid;
    }
    try {
      add();
      return null;
    } catch (Throwable e) { // whoever waits for the claim must be told, whatever it is
      return new TransferRejectedException(
          "the word that a claim was to raise cannot be written: " + Signals.textOf(e));
    }
  }

  /** Says that a claim has failed, where a word is for that, too. */
  void fail() {
    if (first != null) {
      first.fail();
    }
    if (failed != null) {
      try {
        set(failed);
      } catch (Throwable e) {
        // The claim fails anyway, and its listener is told why.
      }
    }
  }

  /**
   * The one that lies there.
   *
   * @param failed what it becomes when a claim fails; null if it stays as it is then
   * @param first another one, which is raised before; null if there is none
   * @throws TransferRejectedException if it is of an accelerator that is not reached
   */
  static RaisedWord of(
      Memory word, @Nullable Long failed, Devices devices, @Nullable RaisedWord first) {
    WatchedWord.requireWord(word);
    return switch (word) {
      case HostMemory host -> ofHost(host.segment(), failed, first);
      case DeviceMemory device -> ofDevice(device, failed, devices, first);
    };
  }

  private static RaisedWord ofHost(
      MemorySegment word, @Nullable Long failed, @Nullable RaisedWord first) {
    if (word.isReadOnly()) {
      throw new IllegalArgumentException("expected a word to write to, got read-only memory");
    }
    return new RaisedWord(failed, first) {
      @Override
      protected void add() {
        long before = (long) WatchedWord.WORD.getAndAddRelease(word, 0L, 1L);
        MemoryFaults.report((int) before);
      }

      @Override
      protected void set(long value) {
        WatchedWord.WORD.setRelease(word, 0L, value);
        MemoryFaults.report((int) value);
      }
    };
  }

  private static RaisedWord ofDevice(
      DeviceMemory word, @Nullable Long failed, Devices devices, @Nullable RaisedWord first) {
    DeviceAccess access;
    try {
      access = devices.access(word.device());
    } catch (BackendException e) {
      throw new TransferRejectedException(Signals.textOf(e));
    }
    MemorySegment next = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
    return new RaisedWord(failed, first) {
      @Override
      protected void add() {
        set(access.peek(word, 0) + 1);
      }

      @Override
      protected void set(long value) {
        WatchedWord.WORD.set(next, 0L, value);
        access.copyFromHost(next, 0, word, 0, Long.BYTES);
      }
    };
  }
}
