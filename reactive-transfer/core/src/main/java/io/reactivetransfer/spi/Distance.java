package io.reactivetransfer.spi;

/**
 * How far a NIC and an accelerator are apart: what bytes have to pass that the one takes from the
 * other by itself. By the names that {@code nvidia-smi topo -m} gives them, nearest first.
 */
public enum Distance {
  /** At most one PCIe switch. */
  PIX("one PCIe switch at most"),
  /** Several PCIe switches, and not the CPU. */
  PXB("several PCIe switches"),
  /** A PCIe host bridge, which is part of the CPU. */
  PHB("the same host bridge"),
  /** The way from one host bridge to another one, of the same NUMA node. */
  NODE("the same NUMA node"),
  /** The way from one NUMA node to another one, such as from socket to socket. */
  SYS("across sockets"),
  /** Nobody knows: one of them is software, or no PCI device, or the system does not say. */
  UNKNOWN("distance unknown");

  private final String text;

  Distance(String text) {
    this.text = text;
  }

  /** Whether this is known, and nearer than that. */
  public boolean isNearerThan(Distance other) {
    return compareTo(other) < 0;
  }

  /** The name and what it means; for people. */
  @Override
  public String toString() {
    return this == UNKNOWN ? text : name() + " (" + text + ")";
  }
}
