package io.reactivetransfer.engine.base;

import io.reactivetransfer.Device;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.DeviceWay;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.Distance;
import io.reactivetransfer.spi.EngineEnvironment;
import io.reactivetransfer.spi.PciTree;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which NICs of one engine are near to which accelerator: those that the options name, or else the
 * nearest ones. Immutable.
 */
public final class NearNics {

  private final int all;
  private final Map<Device, Integer> near;

  private NearNics(int nics, Map<Device, Integer> near) {
    this.all = (1 << nics) - 1;
    this.near = Map.copyOf(near);
  }

  /**
   * As far as it is known. Reads files, so not on a NIC's thread.
   *
   * @param nics those of the engine
   * @throws BackendException if the options name a NIC that is none of these
   */
  public static NearNics of(
      Backend backend, List<Nic> nics, EngineOptions options, EngineEnvironment environment) {
    Map<Device, Integer> near = new HashMap<>();
    Devices devices = environment.devices();
    for (Device device : devices.all()) {
      near.put(device, nearest(backend, nics, device, devices.access(device), environment.pci()));
    }
    options.deviceNics().forEach((device, names) -> near.put(device, named(device, names, nics)));
    return new NearNics(nics.size(), near);
  }

  private static int nearest(
      Backend backend, List<Nic> nics, Device device, DeviceAccess access, PciTree tree) {
    String address = access.pciAddress(device);
    List<Distance> distances = new ArrayList<>();
    Distance least = Distance.UNKNOWN;
    for (Nic nic : nics) {
      Distance distance =
          isCopied(backend, nic, device, access) ? Distance.UNKNOWN : tree.distance(nic, address);
      distances.add(distance);
      least = distance.isNearerThan(least) ? distance : least;
    }
    int nearest = 0;
    for (int nic = 0; nic < nics.size(); nic++) {
      nearest |= distances.get(nic) == least ? 1 << nic : 0;
    }
    return nearest;
  }

  /**
   * Then its distance does not matter, and all NICs together are faster than a few of them. The
   * question is somebody else's code, which must not keep an engine from being opened.
   */
  private static boolean isCopied(Backend backend, Nic nic, Device device, DeviceAccess access) {
    try {
      DeviceWay way = backend.wayTo(nic, device, access);
      return way == DeviceWay.STAGED || way == DeviceWay.NONE;
    } catch (RuntimeException | LinkageError e) {
      return true;
    }
  }

  private static int named(Device device, List<String> names, List<Nic> nics) {
    int named = 0;
    List<String> all = nics.stream().map(Nic::name).toList();
    for (String name : names) {
      int nic = all.indexOf(name);
      if (nic < 0) {
        throw new BackendException(
            0,
            "expected deviceNics of "
                + device
                + " with names of the engine's NICs, which are "
                + String.join(", ", all)
                + ", got "
                + name);
      }
      named |= 1 << nic;
    }
    return named;
  }

  /** Those that are near to memory of a device, as a set of bits; all, if none is nearer. */
  int to(Device device) {
    return near.getOrDefault(device, all);
  }
}
