package io.reactivetransfer.tcp;

import io.reactivetransfer.Device;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.StagingBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import reactor.util.Logger;
import reactor.util.Loggers;

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

  /** After it, who has refused one is asked again. */
  private static final long PAUSE_NANOS = 1_000_000_000;

  private static final Logger LOG = Loggers.getLogger(Staging.class);

  private final Devices devices;
  private final LongSupplier nanoTime;
  private final Map<Device, ArrayDeque<Staged>> idle = new HashMap<>();
  private final List<Staged> taken = new ArrayList<>();

  /** Devices that have refused one, and when: asking costs more than to copy and wait. */
  private final Map<Device, Long> refused = new HashMap<>();

  private int made;
  private boolean closed;

  /** Why nobody knows whether a copy of the NIC's memory is over. */
  private @Nullable BackendException doubt;

  Staging(Devices devices, LongSupplier nanoTime) {
    this.devices = devices;
    this.nanoTime = nanoTime;
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
    if (hasJustRefused(device) || (made == MOST && !closeOne())) {
      return null;
    }
    try {
      StagingBuffer buffer = devices.access(device).stagingBuffer(device, BYTES);
      made++;
      refused.remove(device);
      return new Staged(this, buffer);
    } catch (BackendException e) {
      if (refused.put(device, nanoTime.getAsLong()) == null) {
        LOG.warn(
            "{} refuses a staging buffer, so its memory is copied while the NIC's thread waits,"
                + " until it gives one; it is asked again every second: {}",
            device,
            e.getMessage());
      }
      return null;
    }
  }

  private boolean hasJustRefused(Device device) {
    Long since = refused.get(device);
    return since != null && nanoTime.getAsLong() - since < PAUSE_NANOS;
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

  /** Nobody knows whether a copy is over, be it through one of these or another one. */
  void doubt(BackendException why) {
    doubt = doubt == null ? why : doubt;
  }

  /**
   * All copies of the NIC's memory are over.
   *
   * @throws BackendException if nobody knows that
   */
  void requireQuiet() {
    BackendException why = doubt;
    if (why != null) {
      throw new BackendException(
          why.code(),
          "expected copies that are over, got one of which its accelerator does not say so, and"
              + " which may read or write memory until the process ends: "
              + why.getMessage(),
          why);
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
