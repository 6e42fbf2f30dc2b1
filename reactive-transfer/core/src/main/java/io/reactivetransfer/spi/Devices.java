package io.reactivetransfer.spi;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The accelerators that can be reached from this process, and how. Immutable. */
public final class Devices {

  private final Map<Device, GuardedAccess> access = new TreeMap<>();

  /** Why others are not there, and what to do about it. */
  private final List<String> missing = new ArrayList<>();

  private Devices() {}

  /** An access that cannot say what there is says nothing of others, and ends nothing. */
  private Devices with(Supplier<? extends DeviceAccess> found) {
    String who = "an access to devices";
    try {
      DeviceAccess each = found.get();
      who = each.getClass().getName();
      switch (Objects.requireNonNull(each.availability(), "its availability")) {
        case Availability.Available() -> {
          for (Device device : Objects.requireNonNull(each.devices(), "its devices")) {
            add(device, each);
          }
        }
        case Availability.Unavailable(String reason, String remedy) ->
            missing.add(reason + " (" + remedy + ")");
      }
    } catch (Throwable failure) {
      missing.add(who + " (has failed: " + GuardedAccess.textOf(failure) + ")");
    }
    return this;
  }

  private void add(@Nullable Device device, DeviceAccess each) {
    if (device == null || device.equals(Device.HOST)) {
      missing.add(each.getClass().getName() + " (names " + device + ", which is no accelerator)");
    } else {
      access.putIfAbsent(device, new GuardedAccess(device, each));
    }
  }

  /** None at all. */
  public static Devices none() {
    return new Devices();
  }

  /**
   * Those of these, as far as they are available; of two that know one device, the first has it.
   */
  public static Devices of(Collection<? extends DeviceAccess> all) {
    Devices devices = new Devices();
    List.copyOf(all).forEach(each -> devices.with(() -> each));
    return devices;
  }

  /**
   * Those of all that are on the class path. One that cannot be loaded is missing, like one that is
   * not available.
   */
  public static Devices find() {
    Devices devices = new Devices();
    Iterator<DeviceAccess> found = ServiceLoader.load(DeviceAccess.class).iterator();
    while (found.hasNext()) {
      devices.with(found::next);
    }
    return devices;
  }

  /** The accelerators; not the host. */
  public Set<Device> all() {
    return Set.copyOf(access.keySet());
  }

  /**
   * Whose memory a driver serves that copies it: the host's, and that of all accelerators. For
   * {@link Capabilities#devices()}.
   */
  public Set<Device> andHost() {
    Set<Device> all = new TreeSet<>(access.keySet());
    all.add(Device.HOST);
    return all;
  }

  /**
   * Whose memory a driver serves whose NIC reads and writes it by itself: the host's, and that of
   * the accelerators that are open to NICs. For {@link Capabilities#devices()}.
   */
  public Set<Device> openToNicsAndHost() {
    Set<Device> all = andHost();
    all.removeIf(device -> access.containsKey(device) && !access.get(device).isOpenToNics(device));
    return all;
  }

  /**
   * How an accelerator is reached. What is given throws {@link BackendException}s only, and gives
   * no null where there is to be none, whatever the access itself does.
   *
   * @throws BackendException if it is not; the text says which ones are, and what is missing
   */
  public DeviceAccess access(Device device) {
    return guarded(device);
  }

  private GuardedAccess guarded(Device device) {
    GuardedAccess found = access.get(device);
    if (found == null) {
      throw new BackendException(
          0,
          "expected access to device "
              + device
              + ", got none: there is access to "
              + (access.isEmpty() ? "no device" : access.keySet())
              + (missing.isEmpty() ? "" : "; not available: " + String.join(", ", missing))
              + "; copy it to host memory, or add the artifact that reaches this device");
    }
    return found;
  }

  /**
   * Copies from one accelerator to another, or within one; when it returns the bytes are there.
   * Where one access reaches both, that {@linkplain DeviceAccess#copy copies}; else the bytes go
   * through the host. As there, ranges should not overlap.
   *
   * @param from reach the source, such as those of another engine
   * @param source memory of one of those
   * @param sourceOffset first byte within the source
   * @param target memory of one of these
   * @param targetOffset first byte within the target
   * @param length bytes, 0 or more; both ranges were checked
   * @throws BackendException if a device is not reached, or refuses; parts of the target may have
   *     changed by then
   */
  public void copy(
      Devices from,
      DeviceMemory source,
      long sourceOffset,
      DeviceMemory target,
      long targetOffset,
      long length) {
    GuardedAccess read = from.guarded(source.device());
    GuardedAccess write = guarded(target.device());
    if (write.isOneWith(read)) {
      write.copy(source, sourceOffset, target, targetOffset, length);
    } else {
      ThroughHost.copy(read, source, sourceOffset, write, target, targetOffset, length);
    }
  }

  @Override
  public String toString() {
    return access.keySet().toString();
  }
}
