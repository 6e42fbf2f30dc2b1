package io.reactivetransfer.ibverbs;

import io.reactivetransfer.Nic;
import io.reactivetransfer.ffm.NumaNodes;
import io.reactivetransfer.ibverbs.ffi.Ib;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A port of a device that can be a NIC.
 *
 * @param device its name
 * @param number from 1
 * @param ports how many the device has
 * @param gidIndex of the own address in the port's table
 * @param address what peers are told
 * @param maxMessageBytes the longest write
 * @param bitsPerSecond of the link, or 0
 * @param isOneOfSeveral whether it was asked for by its address, which is part of its name then
 */
record Port(
    String device,
    int number,
    int ports,
    int gidIndex,
    VerbsAddress address,
    long maxMessageBytes,
    long bitsPerSecond,
    boolean isOneOfSeveral) {

  private static final Path CLASS = Path.of("/sys/class/infiniband");

  /** The same, as a NIC beside others of the same port. */
  Port asOneOfSeveral() {
    return new Port(device, number, ports, gidIndex, address, maxMessageBytes, bitsPerSecond, true);
  }

  /** The device's name, and the port where there are several. */
  static String name(String device, int number, int ports) {
    return ports == 1 ? device : device + "/" + number;
  }

  /** Whether both are the same address of the same port. */
  boolean isSameAs(Port other) {
    return portName().equals(other.portName()) && gidIndex == other.gidIndex;
  }

  /** What it is called without its address. */
  String portName() {
    return name(device, number, ports);
  }

  String name() {
    return isOneOfSeveral ? nameWithAddress() : portName();
  }

  String nameWithAddress() {
    return portName() + "@" + address.gid();
  }

  boolean isEthernet() {
    return address.linkLayer() == Ib.IBV_LINK_LAYER_ETHERNET;
  }

  Nic nic() {
    Path directory = CLASS.resolve(device).resolve("device");
    return Nic.named(name())
        .withBitsPerSecond(bitsPerSecond)
        .withNumaNode(NumaNodes.system().nodeOfDevice(directory))
        .withPciPath(pciPath(directory));
  }

  /** Null for software. */
  private static @Nullable String pciPath(Path directory) {
    try {
      String last = String.valueOf(directory.toRealPath().getFileName());
      return last.matches("[0-9a-f]+:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-9a-f]") ? last : null;
    } catch (IOException e) {
      return null; // software has no such file
    }
  }
}
