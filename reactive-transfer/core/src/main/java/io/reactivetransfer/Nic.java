package io.reactivetransfer;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Describes one network interface; opens nothing. A value; begin with {@link #named}. */
public final class Nic {

  /** The most that one engine may have. */
  public static final int MAX_PER_ENGINE = 8;

  private static final int UNKNOWN_NODE = -1;

  private final String name;
  private final long bitsPerSecond;
  private final int numaNode;
  private final @Nullable String pciPath;

  private Nic(String name, long bitsPerSecond, int numaNode, @Nullable String pciPath) {
    this.name = Objects.requireNonNull(name, "name");
    this.bitsPerSecond = bitsPerSecond;
    this.numaNode = numaNode;
    this.pciPath = pciPath;
    if (name.isBlank()) {
      throw new IllegalArgumentException("expected a name for the NIC, got a blank one");
    }
  }

  /** A NIC of which only the name is known, such as a software one. */
  public static Nic named(String name) {
    return new Nic(name, 0, UNKNOWN_NODE, null);
  }

  /** The same with this link speed, or 0 if unknown. */
  public Nic withBitsPerSecond(long speed) {
    return new Nic(name, speed, numaNode, pciPath);
  }

  /** The same, attached to this NUMA node, or -1 if unknown. */
  public Nic withNumaNode(int node) {
    return new Nic(name, bitsPerSecond, node, pciPath);
  }

  /** The same with this PCI path, or null for what has none. */
  public Nic withPciPath(@Nullable String path) {
    return new Nic(name, bitsPerSecond, numaNode, path);
  }

  /** The backend's name for it, unique within the backend, such as {@code tcp0}. */
  public String name() {
    return name;
  }

  /** Link speed, or 0 if unknown. */
  public long bitsPerSecond() {
    return bitsPerSecond;
  }

  /** NUMA node that it is attached to, or -1 if unknown. */
  public int numaNode() {
    return numaNode;
  }

  /** PCI path, or null for what has none. */
  public @Nullable String pciPath() {
    return pciPath;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Nic that
        && name.equals(that.name)
        && bitsPerSecond == that.bitsPerSecond
        && numaNode == that.numaNode
        && Objects.equals(pciPath, that.pciPath);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }

  /** The name, and what else is known. */
  @Override
  public String toString() {
    return name
        + (bitsPerSecond == 0 ? "" : ", " + bitsPerSecond + " bit/s")
        + (numaNode == UNKNOWN_NODE ? "" : ", NUMA node " + numaNode)
        + (pciPath == null ? "" : ", PCI " + pciPath);
  }
}
