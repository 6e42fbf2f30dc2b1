package io.reactivetransfer.ibverbs;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.ffm.Accelerators;
import io.reactivetransfer.ibverbs.ffi.Completions;
import io.reactivetransfer.ibverbs.ffi.Ib;
import io.reactivetransfer.ibverbs.ffi.Receives;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Operation;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads from the completion queue of one NIC what became of its writes, and what has arrived. The
 * completion of a write speaks for those before it.
 */
final class CompletionReader {

  private static final int BATCH = 64;
  private static final int BATCHES = 4;

  private static final Failure NOT_SENT =
      new Failure(
          Ib.IBV_WC_REM_ACCESS_ERR,
          "the target's NIC has refused a write before this one under the same key, so this one was"
              + " not sent: the memory was revoked, deregistered, or never registered",
          true);

  private final OpenDevice device;
  private final Accelerators accelerators;
  private final Writes writes;
  private final SendSlots slots;
  private final Completions completions;
  private final ConnectionTable byNumber = new ConnectionTable();

  /** What the driver of the device says of a completion that has failed, in a line. */
  private final StatusTexts texts;

  private volatile boolean mustReadAll;
  private long emptied;
  private long read;
  private @Nullable Failure broken;

  /** What arrives is not counted any more: peers were told that nothing comes in here. */
  private boolean hasFailed;

  /** Own writes that have failed are held until it was told that the NIC has. */
  private boolean isFailing;

  private final List<Held> held = new ArrayList<>();

  /** What the queue says of an own write that has failed. */
  private record Held(long id, int status, int vendorError) {}

  /** The queue itself cannot be read. What else breaks leaves in it what has arrived before. */
  private boolean isUnreadable;

  CompletionReader(
      OpenDevice device, Port port, Writes writes, Accelerators accelerators, Arena arena) {
    this.device = device;
    this.accelerators = accelerators;
    this.writes = writes;
    slots = writes.slots();
    completions = new Completions(arena, BATCH);
    texts = new StatusTexts(device.verbs, port);
  }

  /** Arrivals name it from now on. */
  void know(Connection connection) {
    byNumber.put(connection);
  }

  /** Reads what is complete and what has arrived, a bounded number. */
  int poll(CompletionSink sink, Outgoing outgoing) {
    int work = writes.reportUnposted(sink);
    if (!isFailing && !held.isEmpty()) {
      held.forEach(each -> failed(each.id(), each.status(), each.vendorError(), sink, outgoing));
      held.clear();
    }
    boolean readsAll = mustReadAll;
    if (readsAll) {
      mustReadAll = false; // before it reads: what is set meanwhile is for the next poll
    }
    work += readBatches(readsAll ? device.completions() / BATCH + 1 : BATCHES, sink, outgoing);
    if (broken == null) {
      var refusal = device.postReceives();
      if (refusal != null) {
        broken(new Failure(refusal.code(), String.valueOf(refusal.getMessage()), false));
      }
    }
    return work;
  }

  private int readBatches(int most, CompletionSink sink, Outgoing outgoing) {
    int work = 0;
    for (int batch = 0; batch < most && !isUnreadable; batch++) {
      int count = readSome(sink, outgoing);
      work += Math.max(0, count);
      if (count < BATCH) {
        break;
      }
    }
    return work;
  }

  /**
   * A key has ended: what had come under it by now is counted in the next poll, behind which its
   * owner is told that nothing comes any more. From any thread.
   */
  void readAllOnce() {
    mustReadAll = true;
  }

  /** Returns how many, less than a batch if there are no more, and below 0 if it cannot read. */
  private int readSome(CompletionSink sink, Outgoing outgoing) {
    int count = completions.poll(device.verbs, device.cq());
    if (count < 0) {
      isUnreadable = true;
      broken(new Failure(-count, texts.pollFailed(count), false));
      return count;
    }
    if (accelerators.areWritten() && haveArrivals(count)) {
      accelerators.flush();
    }
    for (int i = 0; i < count; i++) {
      completed(i, sink, outgoing);
    }
    read += count;
    if (count < BATCH) {
      emptied++;
    }
    return count;
  }

  private boolean haveArrivals(int count) {
    for (int i = 0; i < count; i++) {
      if (completions.id(i) == Receives.ID) {
        return true;
      }
    }
    return false;
  }

  /**
   * Reads what has come by now, all of it: the NIC has failed, and when that is told, who has
   * written to it counts on it that nothing comes any more.
   */
  void readTheLast(CompletionSink sink, Outgoing outgoing) {
    for (long left = device.completions(); left > 0 && !isUnreadable; left -= BATCH) {
      if (readSome(sink, outgoing) < BATCH) {
        break;
      }
    }
    isFailing = false;
    hasFailed = true;
  }

  /** The NIC has failed, which is told before the own writes that fail from now on. */
  void holdFailures() {
    isFailing = true;
  }

  /** Whether what completes can still be read. */
  boolean isReadable() {
    return !isUnreadable;
  }

  /** Why the NIC can do nothing any more; null as long as it can. */
  @Nullable Failure broken() {
    return broken;
  }

  /** The device says that it can do nothing more. */
  void broken(String text) {
    broken(new Failure(0, text, false));
  }

  private void broken(Failure why) {
    if (broken == null) {
      broken = why;
    }
  }

  private void completed(int index, CompletionSink sink, Outgoing outgoing) {
    long id = completions.id(index);
    int status = completions.status(index);
    if (id == Receives.ID) {
      device.received();
      if (status == Ib.IBV_WC_SUCCESS && completions.hasImm(index) && !hasFailed) {
        arrived(byNumber.get(completions.queuePair(index)), index, sink);
      }
    } else if (status == Ib.IBV_WC_SUCCESS) {
      succeeded(id, sink, outgoing);
    } else if (isFailing) {
      held.add(new Held(id, status, completions.vendorError(index)));
    } else {
      failed(id, status, completions.vendorError(index), sink, outgoing);
    }
  }

  /** Null for what was reported before. */
  private @Nullable Connection connection(int slot) {
    return slot == SendSlots.NONE ? null : slots.connection(slot);
  }

  private void succeeded(long id, CompletionSink sink, Outgoing outgoing) {
    int slot = slots.slotOf(id);
    Connection connection = connection(slot);
    if (connection == null) {
      return;
    }
    written(connection, slot, true, sink);
    if (connection.takesWrites()) {
      writes.again(connection);
    } else if (connection.isReady()) {
      outgoing.replaceEnded(connection);
    }
  }

  private void failed(
      long id, int status, int vendorError, CompletionSink sink, Outgoing outgoing) {
    int slot = slots.slotOf(id);
    Connection connection = connection(slot);
    if (connection == null) {
      return;
    }
    Failure why = texts.of(status, vendorError, connection.peer());
    if (connection.isEnding()) {
      failedLate(connection, slot, why, sink);
    } else {
      written(connection, slot, false, sink);
      failed(connection, slot, why, sink, outgoing);
    }
  }

  /** The engine, or the device, has ended it before this side has seen why. */
  private void failedLate(Connection connection, int slot, Failure why, CompletionSink sink) {
    Failure end = connection.end;
    if (!why.isCertain() || end == null || end.isCertain()) {
      leftUpTo(connection, slot, sink);
      return;
    }
    // It is the first that has failed: those before it were written, those behind it not begun.
    written(connection, slot, false, sink);
    report(slot, why, sink);
    connection.end = why;
  }

  private void report(int slot, Failure why, CompletionSink sink) {
    long token = slots.token(slot);
    slots.release(slot);
    why.report(sink, token);
  }

  /** What comes by a queue pair that is for own writes, or for nobody, is of no honest peer. */
  private void arrived(@Nullable Connection by, int index, CompletionSink sink) {
    if (by != null) {
      EngineId origin = by.peer().engine();
      sink.immArrived(origin, completions.imm(index), completions.bytes(index));
    }
  }

  /** All before one are complete, and it is, too, or has just failed, and leaves the lane. */
  private void written(
      Connection connection, int last, boolean isLastWritten, CompletionSink sink) {
    Lane out = connection.out();
    long run = 0;
    int count = 0;
    boolean isOver = false;
    while (!isOver && !out.isEmpty()) {
      int slot = out.remove();
      isOver = slot == last;
      if (isOver && !isLastWritten) {
        break;
      }
      long token = slots.token(slot);
      boolean isKnown = writes.isKnownWhatWasSent(slot);
      slots.release(slot);
      if (!isKnown) {
        sink.failed(token, 0, VerbsMemory.SOURCE_FREED);
        continue;
      }
      if (count > 0 && !Operation.areOfOneRun(run, token)) {
        written(run, count, sink);
        count = 0;
      }
      run = token;
      count++;
    }
    written(run, count, sink);
  }

  private static void written(long token, int count, CompletionSink sink) {
    if (count == 1) {
      sink.written(token);
    } else if (count > 1) {
      sink.written(token, count);
    }
  }

  /**
   * It has left the lane. What is certain fails it alone. Else the way to the peer is lost, which
   * is told before, so that the engine can try those that may have come on another one.
   */
  private void failed(
      Connection connection, int slot, Failure why, CompletionSink sink, Outgoing outgoing) {
    if (why.isCertain()) {
      refused(connection, slot, why);
      report(slot, why, sink);
      outgoing.replace(connection, why);
      return;
    }
    outgoing.lose(connection.peer(), why.code(), why.text());
    int told = outgoing.settle(sink, System.nanoTime());
    assert told > 0 : "a loss is told before the failures of writes";
    report(slot, why, sink);
  }

  /** Of a connection that ends, up to this one: each is reported, or posted again. */
  private void leftUpTo(Connection connection, int last, CompletionSink sink) {
    Lane out = connection.out();
    boolean isOver = false;
    while (!isOver && !out.isEmpty()) {
      int slot = out.remove();
      isOver = slot == last;
      left(connection, slot, false, sink);
    }
    Connection next = connection.peer().ready();
    if (next != null) {
      writes.again(next);
    }
  }

  /**
   * The engine has checked bounds, so it is the key that is no more. Others to the same memory
   * would be refused, too, each at the price of a connection. A card may have given the key to
   * other memory since, which is named by another address.
   */
  private void refused(Connection connection, int slot, Failure why) {
    if (why.code() == Ib.IBV_WC_REM_ACCESS_ERR) {
      connection.hasRefusedKey = true;
      connection.refusedKey = slots.requests.rkey(slot);
      connection.refusedBase = slots.base(slot);
    }
  }

  private void left(Connection connection, int slot, boolean wasNotPosted, CompletionSink sink) {
    Failure why = connection.end;
    if (connection.keepsRest || why == null) {
      if (connection.hasRefusedKey
          && slots.goesTo(slot, connection.refusedKey, connection.refusedBase)) {
        report(slot, NOT_SENT, sink);
        return;
      }
      slots.connection(slot, null);
      connection.peer().again().add(slot);
    } else {
      report(slot, wasNotPosted ? why.asCertain() : why, sink);
    }
  }

  /** Notes how far completions were read. */
  void mark(Connection connection) {
    connection.emptied = emptied;
    connection.read = read;
  }

  /** Whether all was read that was there then; where more comes all the time, it is never empty. */
  boolean hasRead(Connection connection) {
    return isUnreadable
        || emptied > connection.emptied
        || read - connection.read > device.completions();
  }

  /** It is closed, and all was read that has come of it: nothing more is heard of the rest. */
  void finish(Connection connection, CompletionSink sink) {
    byNumber.remove(connection);
    while (!connection.out().isEmpty()) {
      left(connection, connection.out().remove(), false, sink);
    }
    while (!connection.chain().isEmpty()) {
      left(connection, connection.chain().remove(), true, sink);
    }
  }
}
