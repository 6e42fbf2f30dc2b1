package io.reactivetransfer;

import java.util.Objects;

/**
 * Where memory is: in the host, or on an accelerator of some kind. A kind is a name that those who
 * know the device agree upon, such as {@code cuda}; an engine knows none of them, and compares.
 *
 * @param kind 1 to 32 letters a to z, digits and hyphens
 * @param ordinal which one of that kind, 0 or more
 */
public record Device(String kind, int ordinal) implements Comparable<Device> {

  /** The memory that the CPU addresses. */
  public static final Device HOST = new Device("host", 0);

  private static final int MAX_KIND = 32;

  /** Checks both. */
  public Device {
    Objects.requireNonNull(kind, "kind");
    if (kind.isEmpty() || kind.length() > MAX_KIND || !kind.chars().allMatch(Device::isOfKind)) {
      throw new IllegalArgumentException(
          "expected a kind of device of 1 to "
              + MAX_KIND
              + " letters a to z, digits and hyphens, got '"
              + kind
              + "'");
    }
    if (ordinal < 0) {
      throw new IllegalArgumentException("expected a device of 0 or more, got " + ordinal);
    }
  }

  /** One device of a kind. */
  public static Device of(String kind, int ordinal) {
    return new Device(kind, ordinal);
  }

  private static boolean isOfKind(int letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '-';
  }

  /** By kind, then by ordinal. */
  @Override
  public int compareTo(Device other) {
    int byKind = kind.compareTo(other.kind); // without a comparator: each copy comes by here
    return byKind != 0 ? byKind : Integer.compare(ordinal, other.ordinal);
  }

  /** {@code host}, or such as {@code cuda:0}. */
  @Override
  public String toString() {
    return equals(HOST) ? kind : kind + ":" + ordinal;
  }
}
