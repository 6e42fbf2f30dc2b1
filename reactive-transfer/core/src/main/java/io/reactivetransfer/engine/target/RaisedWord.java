package io.reactivetransfer.engine.target;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Signals;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.Devices;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A word of 64 bits, wherever it is, to which 1 is added. On the NIC thread. */
abstract class RaisedWord {

  /** Adds 1: whoever sees that sees all that was written before. */
  protected abstract void add();

  /** Adds 1; says why that cannot be done, or null. */
  @Nullable TransferRejectedException raise() {
    try {
      add();
      return null;
    } catch (Throwable e) { // whoever waits for the claim must be told, whatever it is
      return new TransferRejectedException(
          "the word that a claim was to raise cannot be written: " + Signals.textOf(e));
    }
  }

  /**
   * The one that lies there.
   *
   * @throws TransferRejectedException if it is of an accelerator that is not reached
   */
  static RaisedWord of(Memory word, Devices devices) {
    WatchedWord.requireWord(word);
    return switch (word) {
      case HostMemory host -> ofHost(host.segment());
      case DeviceMemory device -> ofDevice(device, devices);
    };
  }

  private static RaisedWord ofHost(MemorySegment word) {
    if (word.isReadOnly()) {
      throw new IllegalArgumentException("expected a word to write to, got read-only memory");
    }
    return new RaisedWord() {
      @Override
      protected void add() {
        long _ = (long) WatchedWord.WORD.getAndAddRelease(word, 0L, 1L);
      }
    };
  }

  private static RaisedWord ofDevice(DeviceMemory word, Devices devices) {
    DeviceAccess access;
    try {
      access = devices.access(word.device());
    } catch (BackendException e) {
      throw new TransferRejectedException(Signals.textOf(e));
    }
    MemorySegment next = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
    return new RaisedWord() {
      @Override
      protected void add() {
        WatchedWord.WORD.set(next, 0L, access.peek(word, 0) + 1);
        access.copyFromHost(next, 0, word, 0, Long.BYTES);
      }
    };
  }
}
