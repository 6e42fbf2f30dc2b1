package io.reactivetransfer.ibverbs;

import io.reactivetransfer.ibverbs.ffi.Gid;
import org.jspecify.annotations.Nullable;

/**
 * What a NIC is asked for by, such as {@code mlx5_0}, {@code mlx5_0/2} or {@code mlx5_0@10.0.0.7}.
 *
 * @param port the name of a device, or of one of its ports
 * @param address one of those of the port; null for the best
 */
record PortName(String port, @Nullable Gid address) {

  /**
   * Reads it.
   *
   * @throws IllegalArgumentException if it is none
   */
  static PortName of(String text) {
    int at = text.indexOf('@');
    try {
      return at < 0
          ? new PortName(text, null)
          : new PortName(text.substring(0, at), Gid.of(text.substring(at + 1)));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "expected a device, or a device, @ and one of its IP addresses, such as mlx5_0@10.0.0.7,"
              + " got "
              + text,
          e);
    }
  }

  boolean isOf(Port candidate) {
    boolean isNamed = candidate.portName().equals(port) || candidate.device().equals(port);
    return isNamed && (address == null || candidate.address().gid().equals(address));
  }
}
