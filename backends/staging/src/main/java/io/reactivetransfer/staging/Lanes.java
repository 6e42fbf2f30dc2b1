package io.reactivetransfer.staging;

import io.reactivetransfer.Device;
import io.reactivetransfer.spi.BackendException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The buffers of own writes: as many as were needed at once, up to a bound. */
final class Lanes {

  /** All peers together; four megabytes. */
  static final int MOST = 16;

  private final Nics nics;
  private final Map<Device, ArrayDeque<Lane>> idle = new HashMap<>();
  private final List<Lane> all = new ArrayList<>();

  /** Those that a NIC has not let go of yet, or never will before it is closed. */
  private final Set<Pinned> leaving = ConcurrentHashMap.newKeySet();

  private final Kept kept = new Kept(MOST);

  /** Broken ones, as which a NIC is registering them still. */
  private final List<Lane> unsettled = new ArrayList<>();

  Lanes(Nics nics) {
    this.nics = nics;
  }

  /**
   * One for this source; null if there are enough.
   *
   * @throws BackendException if its device refuses, or NICs keep all that there may be
   */
  @Nullable Lane take(Device device) {
    discardSettled();
    Lane lane = idleOf(device).pollLast();
    Failure shortage = kept.shortage(1);
    if (lane == null && shortage != null) {
      throw new BackendException(shortage.code(), shortage.text());
    }
    if (lane == null && (all.size() + kept.count() < MOST || discardOne())) {
      Pinned pinned = device.equals(Device.HOST) ? Pinned.ofHost() : Pinned.of(nics, device);
      lane = new Lane(pinned);
      all.add(lane);
    }
    return lane;
  }

  private ArrayDeque<Lane> idleOf(Device device) {
    return idle.computeIfAbsent(device, _ -> new ArrayDeque<>());
  }

  /** Makes room for one of another device, if one of any is idle. */
  private boolean discardOne() {
    for (ArrayDeque<Lane> alike : idle.values()) {
      for (Lane unused : alike) {
        if (unused.pinned().isSettled()) {
          alike.remove(unused);
          discard(unused);
          return true;
        }
      }
    }
    return false;
  }

  private void discard(Lane lane) {
    all.remove(lane);
    Pinned pinned = lane.pinned();
    leaving.add(pinned); // and stays there if that fails: a NIC may touch it
    var _ =
        pinned
            .deregister(nics)
            .whenComplete((_, failure) -> {
              if (failure == null) {
                closeOnce(pinned);
              } else {
                kept.add(failure);
              }
            });
  }

  private void discardSettled() {
    for (int i = unsettled.size() - 1; i >= 0; i--) {
      if (unsettled.get(i).pinned().isSettled()) {
        discard(unsettled.remove(i));
      }
    }
  }

  private void closeOnce(Pinned pinned) {
    if (leaving.remove(pinned)) {
      pinned.close();
    }
  }

  /** No NIC and no accelerator has anything to do with what is in it. */
  void give(Lane lane) {
    lane.end();
    lane.pinned().forgetRefusals();
    if (lane.pinned().isBroken()) {
      if (lane.pinned().isSettled()) {
        discard(lane);
      } else {
        unsettled.add(lane);
      }
    } else {
      idleOf(lane.pinned().device()).addLast(lane);
    }
  }

  /** No NIC is open any more. */
  void close() {
    for (Lane lane : all) {
      var _ = lane.pinned().await();
      lane.pinned().close();
    }
    List.copyOf(leaving).forEach(this::closeOnce);
    all.clear();
    idle.clear();
    unsettled.clear();
  }
}
