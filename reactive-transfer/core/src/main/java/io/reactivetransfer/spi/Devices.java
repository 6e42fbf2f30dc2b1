package io.reactivetransfer.spi;

import io.reactivetransfer.Device;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The accelerators that can be reached from this process, and how. Immutable. */
public final class Devices {

  private final Map<Device, DeviceAccess> access = new TreeMap<>();

  /** Why others are not there, and what to do about it. */
  private final List<String> missing = new ArrayList<>();

  private Devices(Iterable<DeviceAccess> all) {
    for (DeviceAccess each : all) {
      switch (each.availability()) {
        case Availability.Available() ->
            each.devices().forEach(device -> access.putIfAbsent(device, each));
        case Availability.Unavailable(String reason, String remedy) ->
            missing.add(reason + " (" + remedy + ")");
      }
    }
  }

  /** None at all. */
  public static Devices none() {
    return new Devices(List.of());
  }

  /**
   * Those of these, as far as they are available; of two that know one device, the first has it.
   */
  public static Devices of(Collection<? extends DeviceAccess> all) {
    return new Devices(List.copyOf(all));
  }

  /** Those of all that are on the class path. */
  public static Devices find() {
    return new Devices(ServiceLoader.load(DeviceAccess.class));
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
   * How an accelerator is reached.
   *
   * @throws BackendException if it is not; the text says which ones are, and what is missing
   */
  public DeviceAccess access(Device device) {
    DeviceAccess found = access.get(device);
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

  @Override
  public String toString() {
    return access.keySet().toString();
  }
}
