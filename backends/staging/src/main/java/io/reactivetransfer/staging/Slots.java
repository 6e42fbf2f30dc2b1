package io.reactivetransfer.staging;

import io.reactivetransfer.Device;
import io.reactivetransfer.spi.BackendException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The buffers that peers write: as many as were needed at once, up to a bound. */
final class Slots {

  /** All peers together; twelve megabytes. */
  static final int MOST = 48;

  /** One that its NIC still has. */
  private static final class Leaving {
    private final Pinned pinned;
    private @Nullable CompletableFuture<Void> deregistered;

    Leaving(Pinned pinned) {
      this.pinned = pinned;
    }
  }

  private final Nics nics;
  private final Map<Device, ArrayDeque<Pinned>> idle = new HashMap<>();
  private final List<Pinned> all = new ArrayList<>();
  private final List<Leaving> leaving = new ArrayList<>();
  private final Kept kept = new Kept(MOST);

  Slots(Nics nics) {
    this.nics = nics;
  }

  /** Whether there are so many, of whichever devices. */
  boolean haveRoom(int count) {
    int unused = idle.values().stream().mapToInt(ArrayDeque::size).sum();
    return MOST - all.size() + unused >= count;
  }

  /** Why there will never be room for so many; null as long as there may be. */
  @Nullable Failure shortage(int count) {
    return kept.shortage(count);
  }

  /**
   * One for this device, for which there is room.
   *
   * @throws BackendException if the device refuses
   */
  Pinned take(Device device) {
    Pinned pinned = idle.computeIfAbsent(device, _ -> new ArrayDeque<>()).pollLast();
    if (pinned != null) {
      return pinned;
    }
    if (all.size() == MOST) {
      discardOne();
    }
    Pinned made = Pinned.of(nics, device);
    all.add(made);
    return made;
  }

  private void discardOne() {
    for (ArrayDeque<Pinned> alike : idle.values()) {
      Pinned unused = alike.pollLast();
      if (unused != null) {
        discard(unused);
        return;
      }
    }
  }

  private void discard(Pinned pinned) {
    all.remove(pinned);
    pinned.close();
  }

  /** Its user has no more use for it; no accelerator has anything to do with it. */
  void give(Pinned pinned) {
    Leaving left = new Leaving(pinned);
    leaving.add(left);
    beginToDeregister(left);
  }

  private void beginToDeregister(Leaving left) {
    if (left.pinned.isSettled()) {
      left.deregistered = left.pinned.deregister(nics);
    }
  }

  /** Takes back those that the NIC has let go of; returns how many. */
  int collect() {
    int collected = 0;
    for (int i = leaving.size() - 1; i >= 0; i--) {
      Leaving each = leaving.get(i);
      CompletableFuture<Void> deregistered = each.deregistered;
      if (deregistered == null) {
        beginToDeregister(each);
      } else if (deregistered.isDone()) {
        leaving.remove(i);
        collected++;
        if (deregistered.isCompletedExceptionally()) {
          kept.add(deregistered.exceptionNow()); // what the NIC may touch stays until it is closed
        } else {
          takeBack(each.pinned);
        }
      }
    }
    return collected;
  }

  private void takeBack(Pinned pinned) {
    if (pinned.isBroken()) {
      discard(pinned);
    } else {
      idle.computeIfAbsent(pinned.device(), _ -> new ArrayDeque<>()).addLast(pinned);
    }
  }

  /** No NIC is open any more. */
  void close() {
    for (Pinned pinned : all) {
      var _ = pinned.await();
      pinned.close();
    }
    all.clear();
    idle.clear();
    leaving.clear();
  }
}
