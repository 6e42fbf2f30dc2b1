package io.reactivetransfer.tcp;

import io.reactivetransfer.Device;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.StagingBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The staging buffers of one NIC, through which memory of accelerators is sent and received while
 * its thread does something else: as many as were needed at once, up to a bound. Who gets none
 * copies and waits.
 */
final class Staging {

  /** Of each: an accelerator copies that in about the time in which a socket takes it. */
  static final int BYTES = 256 << 10;

  /** So that peers that do not read take no more memory than this many. */
  private static final int MOST = 64;

  private final Devices devices;
  private final Map<Device, ArrayDeque<Staged>> idle = new HashMap<>();
  private final List<Staged> taken = new ArrayList<>();

  /** Devices that have refused one: asking costs more than to copy and wait. */
  private final Set<Device> refused = new HashSet<>();

  private int made;
  private boolean closed;

  Staging(Devices devices) {
    this.devices = devices;
  }

  /** One for this memory, with nothing in it; null if there are enough, or the device has none. */
  @Nullable Staged take(TcpMemory memory) {
    if (closed) {
      return null;
    }
    Device device = memory.deviceMemory().device();
    Staged staged = idleOf(device).pollLast();
    if (staged == null) {
      staged = open(device);
    }
    if (staged != null) {
      staged.begin(memory, taken.size());
      taken.add(staged);
    }
    return staged;
  }

  private @Nullable Staged open(Device device) {
    if (refused.contains(device) || (made == MOST && !closeOne())) {
      return null;
    }
    try {
      StagingBuffer buffer = devices.access(device).stagingBuffer(device, BYTES);
      made++;
      return new Staged(this, buffer);
    } catch (BackendException e) {
      refused.add(device); // copies say better than this what is wrong
      return null;
    }
  }

  /** Makes room for one of another device, if one of any is idle. */
  private boolean closeOne() {
    for (ArrayDeque<Staged> alike : idle.values()) {
      Staged unused = alike.pollLast();
      if (unused != null) {
        close(unused);
        return true;
      }
    }
    return false;
  }

  private void close(Staged staged) {
    made--;
    staged.close();
  }

  private ArrayDeque<Staged> idleOf(Device device) {
    return idle.computeIfAbsent(device, _ -> new ArrayDeque<>());
  }

  /** Whether fewer than half of those that there may be are in use. */
  boolean hasPlenty() {
    return taken.size() < MOST / 2;
  }

  /** Nothing is under way in it, and nobody uses it any more. */
  void give(Staged staged) {
    Staged last = taken.removeLast();
    if (last != staged) {
      taken.set(staged.index(), last);
      last.moveTo(staged.index());
    }
    if (closed || staged.failure() != null) {
      close(staged);
    } else {
      idleOf(staged.memory().deviceMemory().device()).addLast(staged);
    }
  }

  /** Waits until nothing is under way to this memory, or from it, whatever comes of that. */
  void quiet(TcpMemory memory) {
    for (Staged each : taken) {
      if (each.memory() == memory) {
        each.await();
      }
    }
  }

  /** Those that are in use are closed when they are given back. */
  void close() {
    closed = true;
    idle.values().forEach(alike -> alike.forEach(this::close));
    idle.clear();
  }
}
