package io.reactivetransfer.tools.doctor;

import io.reactivetransfer.Device;
import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.DeviceWay;
import io.reactivetransfer.spi.Distance;
import io.reactivetransfer.spi.PciTree;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;

/**
 * Which way each NIC and each accelerator of a host take to each other, and how far apart they are.
 * What is not available is left out, as {@link Findings} tells it.
 */
final class Pairs {

  private final PciTree tree;
  private final List<String> lines = new ArrayList<>();

  /** One NIC of a backend, as an accelerator sees it. */
  private record Pair(Nic nic, DeviceWay way, Distance distance) {

    boolean isDirect() {
      return way == DeviceWay.DMA_BUF || way == DeviceWay.PEER_MEMORY;
    }
  }

  private Pairs(PciTree tree) {
    this.tree = tree;
  }

  /** One line for each pair, for people. */
  static List<String> lines(
      Iterator<Backend> backends, Iterator<DeviceAccess> accesses, PciTree tree) {
    List<Backend> available = new ArrayList<>();
    while (backends.hasNext()) {
      addAvailable(backends, available);
    }
    Pairs pairs = new Pairs(tree);
    while (accesses.hasNext()) {
      pairs.examine(accesses, available);
    }
    return pairs.lines;
  }

  private static void addAvailable(Iterator<Backend> backends, List<Backend> available) {
    try {
      Backend backend = backends.next();
      if (backend.availability() instanceof Availability.Available) {
        available.add(backend);
      }
    } catch (ServiceConfigurationError | RuntimeException | LinkageError e) {
      return; // told where backends are examined
    }
  }

  private void examine(Iterator<DeviceAccess> accesses, List<Backend> backends) {
    try {
      DeviceAccess access = accesses.next();
      if (access.availability() instanceof Availability.Available) {
        for (Device device : access.devices()) {
          backends.forEach(backend -> examineIfPossible(backend, access, device));
        }
      }
    } catch (ServiceConfigurationError | RuntimeException | LinkageError e) {
      return; // told where devices are examined
    }
  }

  /** One that cannot say how it gets there keeps no other from saying so. */
  private void examineIfPossible(Backend backend, DeviceAccess access, Device device) {
    try {
      examine(backend, access, device);
    } catch (RuntimeException | LinkageError e) {
      lines.add(Findings.line(device.toString(), backend.name() + ": unknown: " + e.getMessage()));
    }
  }

  private void examine(Backend backend, DeviceAccess access, Device device) {
    String address = access.pciAddress(device);
    List<Pair> pairs =
        backend.nics().stream()
            .map(nic ->
                new Pair(nic, backend.wayTo(nic, device, access), tree.distance(nic, address)))
            .toList();
    for (Pair each : pairs) {
      lines.add(
          Findings.line(
              device.toString(),
              backend.name()
                  + " "
                  + each.nic.name()
                  + ": "
                  + each.way
                  + ", "
                  + each.distance
                  + warning(each, pairs)));
    }
  }

  /** Whoever copies through the host is not slower by how far the NIC is from the accelerator. */
  private static String warning(Pair pair, List<Pair> all) {
    if (!pair.isDirect() || pair.distance == Distance.UNKNOWN) {
      return "";
    }
    List<String> nearer =
        all.stream()
            .filter(each -> each.isDirect() && each.distance.isNearerThan(pair.distance))
            .map(each -> each.nic.name())
            .toList();
    if (!nearer.isEmpty()) {
      return "; warning: nearer are " + String.join(", ", nearer);
    }
    return pair.distance == Distance.SYS
        ? "; warning: no NIC is nearer, so bytes pass from socket to socket"
        : "";
  }
}
