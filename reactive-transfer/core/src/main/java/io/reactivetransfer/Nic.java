package io.reactivetransfer;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Describes one network interface; opens nothing.
 *
 * @param name the backend's name for it, unique within the backend, such as {@code tcp0}
 * @param bitsPerSecond link speed, or 0 if unknown
 * @param numaNode NUMA node that it is attached to, or -1 if unknown
 * @param pciPath PCI path, or null for what has none
 */
public record Nic(String name, long bitsPerSecond, int numaNode, @Nullable String pciPath) {

  /** The most that one engine may have. */
  public static final int MAX_PER_ENGINE = 8;

  /** Checks the name. */
  public Nic {
    Objects.requireNonNull(name, "name");
    if (name.isBlank()) {
      throw new IllegalArgumentException("expected a name for the NIC, got a blank one");
    }
  }

  /** A NIC of which only the name is known, such as a software one. */
  public static Nic named(String name) {
    return new Nic(name, 0, -1, null);
  }
}
