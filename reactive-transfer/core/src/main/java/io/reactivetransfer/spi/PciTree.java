package io.reactivetransfer.spi;

import io.reactivetransfer.Nic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where PCI devices are in a machine, as Linux says in {@code /sys}: in the real path of a device
 * stand the host bridge and all bridges between that and the device. What is not known, as on other
 * systems or in some containers, is said to be unknown: nothing fails for lack of it.
 *
 * <p>Addresses are such as {@code 0000:3b:00.0}. Reads files at each call; safe from any thread,
 * but not for a NIC's thread.
 *
 * @see <a href="https://docs.kernel.org/PCI/sysfs-pci.html">Accessing PCI device resources through
 *     sysfs</a>
 */
public final class PciTree {

  private static final int UNKNOWN_NODE = -1;
  private static final Pattern HOST_BRIDGE = Pattern.compile("pci[0-9a-f]+:[0-9a-f]{2}");
  private static final Pattern FUNCTION =
      Pattern.compile("[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]");

  /**
   * How many names of two paths may differ for devices of one switch: the port of the switch that
   * leads to the device, and the device.
   */
  private static final int BELOW_A_SWITCH = 2;

  private final Path sys;

  /**
   * As another directory says.
   *
   * @param sys in place of {@code /sys}
   */
  public PciTree(Path sys) {
    this.sys = sys;
  }

  /** That of this machine. */
  public static PciTree system() {
    return new PciTree(Path.of("/sys"));
  }

  /**
   * How far apart a NIC and an accelerator are: by their ways to the CPU, or where one of these is
   * not known, by their NUMA nodes.
   *
   * @param device the PCI address of the accelerator, or null for what has none
   */
  public Distance distance(Nic nic, @Nullable String device) {
    List<String> from = path(nic.pciPath());
    List<String> to = path(device);
    int common = 0;
    while (common < Math.min(from.size(), to.size()) && from.get(common).equals(to.get(common))) {
      common++;
    }
    if (common > 1) {
      int apart = Math.max(from.size(), to.size()) - common;
      return apart <= BELOW_A_SWITCH ? Distance.PIX : Distance.PXB;
    }
    if (common == 1) {
      return Distance.PHB;
    }
    int here = nic.numaNode() < 0 ? numaNode(nic.pciPath()) : nic.numaNode();
    int there = numaNode(device);
    if (here < 0 || there < 0) {
      return Distance.UNKNOWN;
    }
    return here == there ? Distance.NODE : Distance.SYS;
  }

  /**
   * The NUMA node of a device.
   *
   * @param address of the device, or null for what has none
   * @return from 0 on, or -1 if it is not known
   */
  public int numaNode(@Nullable String address) {
    if (!isAddress(address)) {
      return UNKNOWN_NODE;
    }
    try {
      return Integer.parseInt(Files.readString(device(address).resolve("numa_node")).strip());
    } catch (IOException | NumberFormatException e) {
      return UNKNOWN_NODE; // the file is the only source there is
    }
  }

  /**
   * The PCI address of the card that a network interface of the system belongs to.
   *
   * @param name such as {@code eth0}
   * @return null for an interface that is software, such as {@code lo}
   */
  public @Nullable String addressOfInterface(String name) {
    List<String> path = realPath(sys.resolve("class/net").resolve(name).resolve("device"));
    return path.isEmpty() ? null : path.getLast();
  }

  /** From the host bridge to the device; empty if it is not known. */
  private List<String> path(@Nullable String address) {
    return isAddress(address) ? realPath(device(address)) : List.of();
  }

  private Path device(@Nullable String address) {
    return sys.resolve("bus/pci/devices").resolve(String.valueOf(address));
  }

  private static boolean isAddress(@Nullable String text) {
    return text != null && FUNCTION.matcher(text).matches();
  }

  private static List<String> realPath(Path link) {
    List<String> names = new ArrayList<>();
    try {
      for (Path each : link.toRealPath()) {
        String name = each.toString();
        boolean isKnown = HOST_BRIDGE.matcher(name).matches() || FUNCTION.matcher(name).matches();
        if (isKnown) {
          names.add(name);
        }
      }
    } catch (IOException e) {
      return List.of(); // there is no such device, or the system has no such files
    }
    return names;
  }
}
