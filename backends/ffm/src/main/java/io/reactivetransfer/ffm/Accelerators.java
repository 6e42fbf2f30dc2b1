package io.reactivetransfer.ffm;

import io.reactivetransfer.Device;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.Devices;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * The accelerators whose memory one NIC reads and writes by itself. Safe from any thread, but for
 * {@link #flush}, {@link #takeFailure} and {@link #close}, which are the NIC's thread's.
 */
public final class Accelerators {

  private static final Logger LOG = Loggers.getLogger(Accelerators.class);
  private static final Device[] NONE = {};

  private final Devices devices;

  /** Each lives until it fails: then its memory is as good as freed. */
  private final Map<Device, Arena> lives = new ConcurrentHashMap<>();

  /** Those of which others may have been let write to some memory. */
  private volatile Device[] written = NONE;

  /** Whether one has failed since {@link #takeFailure}. */
  private boolean hasFailed;

  /** Of a NIC that reaches none. */
  public static Accelerators none() {
    return new Accelerators(Devices.none());
  }

  /** Of those that can be reached; none of them is yet. */
  public Accelerators(Devices devices) {
    this.devices = devices;
  }

  /**
   * Ends when the accelerator has failed.
   *
   * @throws BackendException if it cannot be reached
   */
  public MemorySegment.Scope scope(Device device) {
    DeviceAccess _ = devices.access(device);
    return lives.computeIfAbsent(device, each -> Arena.ofShared()).scope();
  }

  /**
   * Others may write to memory of it from now on.
   *
   * @throws BackendException if it cannot be made to see what is written
   */
  public void opened(Device device) {
    devices.access(device).flush(device);
    synchronized (lives) {
      if (Arrays.asList(written).contains(device)) {
        return;
      }
      Device[] more = Arrays.copyOf(written, written.length + 1);
      more[written.length] = device;
      written = more;
    }
  }

  /** Whether {@link #flush} is to be called before arrivals are reported. */
  public boolean areWritten() {
    return written.length > 0;
  }

  /**
   * What was written into accelerators by now is seen there afterwards. One that refuses has
   * failed: nobody sees what is in it, and it is closed to others; arrivals do not say where their
   * bytes are, so they count all the same, for those that are elsewhere.
   */
  public void flush() {
    for (Device device : written) {
      try {
        devices.access(device).flush(device);
      } catch (BackendException e) {
        failed(device, e);
      }
    }
  }

  private void failed(Device device, BackendException why) {
    synchronized (lives) {
      written = Arrays.stream(written).filter(each -> !each.equals(device)).toArray(Device[]::new);
    }
    Arena life = lives.get(device);
    if (life != null && life.scope().isAlive()) {
      life.close();
    }
    hasFailed = true;
    LOG.error(
        "{} does not see any more what a NIC writes there, so its memory is closed to others: {}",
        device,
        why.getMessage());
  }

  /** Whether one has failed since the last call; on the NIC's thread. */
  public boolean takeFailure() {
    boolean failed = hasFailed;
    hasFailed = false;
    return failed;
  }

  /** How one is reached. */
  public DeviceAccess access(Device device) {
    return devices.access(device);
  }

  /** Nothing is registered any more. */
  public void close() {
    for (Arena life : lives.values()) {
      if (life.scope().isAlive()) {
        life.close();
      }
    }
  }
}
