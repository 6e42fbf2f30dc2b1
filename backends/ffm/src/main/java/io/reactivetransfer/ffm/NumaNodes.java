package io.reactivetransfer.ffm;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;

/**
 * Which memory is near to which CPU and device, as Linux says in {@code /sys}. What is not known,
 * as on other systems or in some containers, is said to be unknown: nothing fails for lack of it.
 * Reads files at each call; safe from any thread, but not for a NIC's thread.
 *
 * @see <a href="https://docs.kernel.org/admin-guide/abi-stable.html">Documentation/ABI/stable,
 *     sysfs-devices-node</a>
 */
public final class NumaNodes {

  /** A node that is not known. */
  public static final int UNKNOWN = -1;

  private final Path sys;

  /**
   * As another directory says.
   *
   * @param sys in place of {@code /sys}
   */
  public NumaNodes(Path sys) {
    this.sys = sys;
  }

  /** Those of this machine. */
  public static NumaNodes system() {
    return new NumaNodes(Path.of("/sys"));
  }

  /**
   * The node of a CPU.
   *
   * @param cpu its number
   * @return from 0 on, or {@link #UNKNOWN}
   */
  public int nodeOfCpu(int cpu) {
    Path directory = sys.resolve("devices/system/cpu/cpu" + cpu);
    try (DirectoryStream<Path> nodes = Files.newDirectoryStream(directory, "node[0-9]*")) {
      for (Path node : nodes) {
        return number(String.valueOf(node.getFileName()).substring("node".length()));
      }
    } catch (IOException e) {
      return UNKNOWN; // the file is the only source there is
    }
    return UNKNOWN;
  }

  /**
   * The node of a PCI device.
   *
   * @param address such as {@code 0000:3b:00.0}
   * @return from 0 on, or {@link #UNKNOWN}
   */
  public int nodeOfPciDevice(String address) {
    return nodeOfDevice(sys.resolve("bus/pci/devices").resolve(address));
  }

  /**
   * The node of a device.
   *
   * @param device its directory, such as {@code /sys/class/infiniband/mlx5_0/device}
   * @return from 0 on, or {@link #UNKNOWN}
   */
  public int nodeOfDevice(Path device) {
    return number(read(device.resolve("numa_node")));
  }

  /**
   * The CPUs of a node.
   *
   * @return their numbers; empty if it is not known, or has none
   */
  public BitSet cpusOf(int node) {
    return CpuList.parse(read(sys.resolve("devices/system/node/node" + node + "/cpulist")));
  }

  private static int number(String text) {
    try {
      return Math.max(UNKNOWN, Integer.parseInt(text));
    } catch (NumberFormatException e) {
      return UNKNOWN;
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      return "";
    }
  }
}
