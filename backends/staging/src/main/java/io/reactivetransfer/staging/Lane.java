package io.reactivetransfer.staging;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.MemoryFaults;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A buffer, and the piece of an own write that is in it. */
final class Lane {

  private static final String FREED =
      "the source's memory was freed, or the file that it maps was cut off; close its region first";

  private final Pinned pinned;
  private @Nullable StagedWrite write;
  private long offset;
  private int length;
  private boolean carriesImm;
  private @Nullable Failure failure;
  private boolean isThere;

  /** In which turn it was begun. */
  long turn;

  /** Where it goes, if that is to an accelerator of the peer. */
  @Nullable OutSlot slot;

  /** Whether the peer, or the loss of it, has said what became of it. */
  boolean isAnswered;

  /** Whether the NIC has reported it. */
  boolean isReported;

  /** Whose it is, once a NIC has it; else null. */
  @Nullable StagedPeer peer;

  Lane(Pinned pinned) {
    this.pinned = pinned;
  }

  Pinned pinned() {
    return pinned;
  }

  StagedWrite write() {
    return Futures.present(write);
  }

  long offset() {
    return offset;
  }

  int length() {
    return length;
  }

  /** Whether the immediate of its write goes with it. */
  boolean carriesImm() {
    return carriesImm;
  }

  void begin(StagedWrite of, long at, int bytes, boolean withImm) {
    write = of;
    offset = at;
    length = bytes;
    carriesImm = withImm;
    failure = null;
    isThere = false;
    slot = null;
    peer = null;
    isAnswered = false;
    isReported = false;
  }

  /** It is empty, and of nobody. */
  void end() {
    write = null;
    slot = null;
  }

  /** Begins to bring the bytes; a refusal shows when they are waited for. */
  void fetch(DeviceMemory source, long from) {
    try {
      if (length > 0) {
        pinned.fetch(source, from, length);
      }
    } catch (BackendException e) {
      failure = unreadable(e);
    }
  }

  private static Failure unreadable(BackendException cause) {
    return Failure.of("the source could not be read: ", cause);
  }

  /** Copies the bytes; the JDK keeps the memory from being freed meanwhile. */
  void copy(HostMemory source, long from) {
    try {
      MemorySegment.copy(source.segment(), from, pinned.memory(), Frame.BYTES, length);
      MemoryFaults.report(length);
    } catch (IllegalStateException | InternalError e) {
      failure = new Failure(0, FREED);
    }
    isThere = true;
  }

  /** Waits until the bytes are there; why they are not, or null. */
  @Nullable Failure await() {
    if (!isThere) {
      isThere = true;
      BackendException late = pinned.await();
      if (late != null && !pinned.isOver()) {
        write().doubtSource(late);
      }
      if (late != null && failure == null) {
        failure = unreadable(late);
      }
    }
    return failure;
  }
}
