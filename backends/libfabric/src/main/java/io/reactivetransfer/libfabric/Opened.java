package io.reactivetransfer.libfabric;

import io.reactivetransfer.ffm.LookClock;
import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.libfabric.ffi.LibFabric;
import io.reactivetransfer.spi.BackendException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.function.LongSupplier;

/**
 * What was opened at a provider, and how it is closed. A provider may refuse to close, and then
 * whatever it was may go on reading and writing memory: so that counts as closed of which the
 * provider has said so, and nothing else. One that says it is busy is asked again; after any other
 * error nobody knows what is left of the thing, and it is not touched any more.
 */
final class Opened {

  /**
   * So long a provider that is asked again and again may be busy with what it is to close, before
   * that counts as a failure.
   */
  static final long PATIENCE_NANOS = 1_000_000_000;

  /** Of closing what somebody waits for. */
  private static final int TRIES = 3;

  private final LibFabric lib;
  private final String provider;
  private final LongSupplier clock;

  /** Does not go on while nobody asks again. */
  private final LookClock patience;

  private final SequencedSet<Long> bases = new LinkedHashSet<>();
  private final SequencedSet<Long> leaves = new LinkedHashSet<>();
  private final Map<Long, Integer> stuck = new HashMap<>();
  private final List<Refused> refused = new ArrayList<>();

  /**
   * A close that is to be tried again.
   *
   * @param fid what is to be closed
   * @param whenClosed what depends on it
   * @param sinceNanos when it was refused first, by the time in which it is asked again
   */
  private record Refused(long fid, Runnable whenClosed, long sinceNanos) {}

  Opened(LibFabric lib, String provider, LongSupplier clock) {
    this.lib = lib;
    this.provider = provider;
    this.clock = clock;
    this.patience = new LookClock(clock.getAsLong());
  }

  /** On which others are made. Some providers free parts of it before they look for these. */
  void addBase(long fid) {
    bases.add(fid);
  }

  /** On which nothing is made. */
  void addLeaf(long fid) {
    leaves.add(fid);
  }

  /**
   * Closes a leaf, if it is open. When it returns, that does nothing any more.
   *
   * @throws BackendException if the provider refuses; it may be tried again
   */
  void closeNow(long leaf) {
    int result = close(leaves, leaf);
    for (int tries = 1; tries < TRIES && isBusy(result); tries++) {
      result = close(leaves, leaf);
    }
    if (result < 0) {
      throw failure(result);
    }
  }

  /** Closes a leaf, if it is open: at once, or with one of the next {@link #closeAgain()}. */
  void close(long leaf, Runnable whenClosed) {
    if (close(leaves, leaf) >= 0) {
      whenClosed.run();
    } else {
      patience.polled(clock.getAsLong());
      refused.add(new Refused(leaf, whenClosed, patience.getAsLong()));
    }
  }

  /** Whether something is left to be closed. */
  boolean isClosing() {
    return !refused.isEmpty();
  }

  /**
   * Tries again what was refused; returns how much was closed.
   *
   * @throws BackendException if one is refused for too long, or for good: only to close all can now
   *     end what it does
   */
  int closeAgain() {
    patience.polled(clock.getAsLong());
    int closed = 0;
    for (Refused each : List.copyOf(refused)) {
      int result = close(leaves, each.fid());
      if (result >= 0) {
        closed++;
      } else if (!isBusy(result) || patience.getAsLong() - each.sinceNanos() > PATIENCE_NANOS) {
        throw failure(result);
      }
    }
    return closed;
  }

  /**
   * Closes all.
   *
   * @throws BackendException if something stays open
   */
  void closeAll() {
    long begin = clock.getAsLong();
    int result = closeInReverse();
    while (isBusy(result) && clock.getAsLong() - begin <= PATIENCE_NANOS) {
      Thread.onSpinWait();
      result = closeInReverse();
    }
    refused.clear();
    if (result < 0) {
      throw failure(result);
    }
  }

  /** One leaf does not keep another open; a base waits for all. */
  private int closeInReverse() {
    int result = Fi.FI_SUCCESS;
    for (Long leaf : List.copyOf(leaves.reversed())) {
      result = Math.min(result, close(leaves, leaf));
    }
    while (result >= 0 && !bases.isEmpty()) {
      result = close(bases, bases.getLast());
    }
    return result;
  }

  private int close(SequencedSet<Long> among, long fid) {
    if (!among.contains(fid)) {
      return Fi.FI_SUCCESS;
    }
    Integer known = stuck.get(fid);
    int result = known == null ? lib.fi_close(fid) : known;
    if (result >= 0) {
      among.remove(fid);
      hasClosed(fid);
    } else if (!isBusy(result)) {
      stuck.put(fid, result);
    }
    return result;
  }

  /** The provider may give the same fid to what it makes next. */
  private void hasClosed(long fid) {
    if (!refused.isEmpty()) {
      List<Refused> concerned = refused.stream().filter(each -> each.fid() == fid).toList();
      refused.removeAll(concerned);
      concerned.forEach(each -> each.whenClosed().run());
    }
  }

  private static boolean isBusy(int result) {
    return result == -Fi.FI_EBUSY || result == -Fi.FI_EAGAIN;
  }

  private BackendException failure(int result) {
    return new BackendException(
        -result,
        "fi_close of provider "
            + provider
            + " failed: "
            + lib.fi_strerror(-result)
            + " ("
            + -result
            + "); what it was to close may go on reading and writing memory");
  }
}
