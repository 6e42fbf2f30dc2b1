package io.reactivetransfer.engine;

import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.NicWait;
import io.reactivetransfer.spi.NicWaits;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whether a thread can wait for its NICs instead of polling them, and what it then waits with.
 * Belongs to that thread. What fails here is said once, and the NICs are polled from then on.
 */
final class NicWaiting {

  private final NicWaits waits;
  private final Consumer<String> defects;
  private @Nullable NicWait wait;
  private int[][] watched = {};
  private boolean unusable;

  NicWaiting(NicWaits waits, Consumer<String> defects) {
    this.waits = waits;
    this.defects = defects;
  }

  /**
   * What to wait for these NICs with, or null if they must be polled. Allocates at changes only.
   */
  @Nullable NicWait on(Domain[] domains) {
    if (unusable || domains.length == 0) {
      return null;
    }
    boolean changed = watched.length != domains.length;
    for (int nic = 0; nic < domains.length; nic++) {
      int[] descriptors = domains[nic].waitDescriptors();
      if (descriptors.length == 0) {
        return null;
      }
      changed = changed || !isSame(watched[nic], descriptors);
    }
    return changed ? watch(domains) : wait;
  }

  /** Whether none of them has something to poll. */
  static boolean prepare(Domain[] domains) {
    for (Domain domain : domains) {
      if (!domain.prepareWait()) {
        return false;
      }
    }
    return true;
  }

  @SuppressWarnings("ReferenceEquality") // other descriptors come in another array
  private static boolean isSame(int[] before, int[] now) {
    return before == now;
  }

  private @Nullable NicWait watch(Domain[] domains) {
    if (waits.availability() instanceof Availability.Unavailable) {
      unusable = true;
      return null;
    }
    try {
      int[][] now = Arrays.stream(domains).map(Domain::waitDescriptors).toArray(int[][]::new);
      NicWait opened = wait == null ? waits.open() : wait;
      wait = opened;
      opened.watch(Stream.of(now).flatMapToInt(Arrays::stream).toArray());
      watched = now;
      return opened;
    } catch (BackendException e) {
      failed(e);
      return null;
    }
  }

  /** Nothing is waited for any more. */
  void failed(BackendException reason) {
    unusable = true;
    defects.accept("NICs are polled from now on: " + reason.getMessage());
  }

  void close() {
    unusable = true;
    if (wait != null) {
      wait.close();
    }
  }
}
