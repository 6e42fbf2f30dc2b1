package io.reactivetransfer.spi;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder with what Linux says of PCI devices in {@code /sys}, of a machine that there is not. */
public final class MadeUpMachine {

  private final Path sys;

  /** With nothing in it. */
  public MadeUpMachine(Path sys) {
    this.sys = sys;
  }

  /** What says where its devices are. */
  public PciTree tree() {
    return new PciTree(sys);
  }

  /**
   * Puts a device in.
   *
   * @param node its NUMA node, or -1
   * @param path from the host bridge to the device, with blanks
   */
  public MadeUpMachine with(int node, String path) {
    try {
      Path device = sys.resolve("devices").resolve(path.replace(' ', '/'));
      Files.createDirectories(device);
      Files.writeString(device.resolve("numa_node"), node + "\n");
      link(sys.resolve("bus/pci/devices").resolve(String.valueOf(device.getFileName())), device);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Puts a network interface in, which leads to this, or to nothing. */
  public MadeUpMachine withInterface(String name, String path) {
    try {
      Path device = sys.resolve("devices").resolve(path.replace(' ', '/'));
      Files.createDirectories(device);
      link(sys.resolve("class/net").resolve(name).resolve("device"), device);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void link(Path from, Path to) throws IOException {
    Files.createDirectories(from.getParent());
    Files.createSymbolicLink(from, to);
  }
}
