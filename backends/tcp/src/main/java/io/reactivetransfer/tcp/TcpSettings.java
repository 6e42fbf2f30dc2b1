package io.reactivetransfer.tcp;

import io.reactivetransfer.control.HandshakeLimits;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a backend was built with, checked.
 *
 * @param hosts what is listened on, by the names that the caller gave
 * @param addresses the same, looked up
 * @param advertisedHost what others are told instead, or null
 * @param port of the engine, before those of its NICs, or 0
 * @param nics how many there are if nobody says how many
 */
record TcpSettings(
    List<String> hosts,
    List<InetAddress> addresses,
    @Nullable String advertisedHost,
    int port,
    int nics,
    HandshakeLimits limits) {

  /** Where the NIC with this index listens. */
  InetSocketAddress listenAddress(int nicIndex) {
    return new InetSocketAddress(
        addresses.get(nicIndex % addresses.size()), port == 0 ? 0 : port + 1 + nicIndex);
  }

  /** Under which host others reach that NIC. */
  String advertisedHost(int nicIndex) {
    return advertisedHost == null ? hosts.get(nicIndex % hosts.size()) : advertisedHost;
  }

  /**
   * The address that connections of that NIC come from, or null for whichever the system takes: as
   * long as all NICs have one address, it knows best.
   */
  @Nullable InetAddress outgoingAddress(int nicIndex) {
    return addresses.size() == 1 ? null : addresses.get(nicIndex % addresses.size());
  }
}
