package io.reactivetransfer.loopback;

import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.MemoryFaults;
import java.util.OptionalLong;

/**
 * The target side of one NIC: does to its own memory what others ask for, if they may. Belongs to
 * the NIC's thread.
 */
final class Inbound {

  private static final int WRITES_PER_POLL = 64;

  private final Port port;
  private final MemoryTable memory;
  private final ServingWindow window;
  private final long maxCopyBytes;
  private long copyBytesLeft;

  Inbound(Port port, MemoryTable memory, long maxCopyBytes, OptionalLong reorderSeed) {
    this.port = port;
    this.memory = memory;
    this.window = new ServingWindow(port, reorderSeed);
    this.maxCopyBytes = maxCopyBytes;
  }

  /** Serves writes: a bounded number, and a bounded number of bytes. */
  int serve(CompletionSink sink) {
    copyBytesLeft = maxCopyBytes;
    int turns = 0;
    int taken = window.refill();
    while (turns < WRITES_PER_POLL && copyBytesLeft > 0) {
      InFlightWrite write = window.pick();
      if (write == null) {
        break;
      }
      turns++;
      if (advance(write, sink)) {
        window.removePicked();
        taken += window.refill();
      }
    }
    if (taken > 0) {
      port.ringRefused();
    }
    return turns;
  }

  /** Nothing comes in any more of what that NIC has on its way here. */
  void shutOut(LoopbackAddress origin) {
    window.takeOut(
        write -> write.origin().address().equals(origin),
        write -> {
          if (write.claim()) {
            fail(write, WriteError.PEER_LOST, "the target has given this engine up");
          }
        });
    port.ringRefused();
  }

  boolean hasWork() {
    return !window.isEmpty();
  }

  /** Gives one write a turn, and says whether that was its last; then it is the origin's again. */
  private boolean advance(InFlightWrite write, CompletionSink sink) {
    if (!write.claim()) {
      return true;
    }
    // Looked up in every turn, so that a write whose key was revoked half-way stops there.
    LoopbackMemory target = memory.find(write.key());
    if (target == null) {
      return fail(
          write,
          WriteError.UNKNOWN_KEY,
          "no memory under this key: it was revoked, deregistered, or never registered");
    }
    if (!target.access().allowsRemoteWrite()) {
      return fail(
          write, WriteError.ACCESS, "expected memory open to REMOTE_WRITE, got " + target.access());
    }
    if (!Ranges.within(write.targetOffset(), write.targetExtent(), target.length())) {
      return fail(
          write,
          WriteError.TARGET_RANGE,
          Ranges.describe(write.targetOffset(), write.targetExtent(), target.length()));
    }
    try {
      long copied = write.copyInto(target, copyBytesLeft);
      MemoryFaults.report((int) copied);
      copyBytesLeft -= copied;
    } catch (BackendException e) {
      write.doubtUnlessOver(target, e);
      return fail(
          write, e.isOver() ? WriteError.COPY : WriteError.UNKNOWN_END, "could not copy: " + e);
    } catch (Throwable e) {
      // Such as an arena that was closed too early, a mapped file that was truncated, or no memory
      // for a copy: the fault of one region, which must not take the thread of all others with it.
      // And whoever has claimed a write has to end it: its origin waits for that.
      return fail(write, WriteError.COPY, "could not copy: " + e);
    }
    if (!write.isCopied()) {
      write.release();
      return false;
    }
    write.succeed();
    if (write.hasImm()) {
      sink.immArrived(write.origin().address().engine(), write.imm(), write.length());
    }
    write.origin().complete(write);
    return true;
  }

  private boolean fail(InFlightWrite write, WriteError error, String text) {
    write.fail(error, text + " (at " + port.address() + ")");
    write.origin().complete(write);
    return true;
  }
}
