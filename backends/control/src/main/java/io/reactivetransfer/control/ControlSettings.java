package io.reactivetransfer.control;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.HostPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a control channel was built with, checked.
 *
 * @param host what is listened on, by the name that the caller gave
 * @param address the same, looked up
 * @param port what is listened on, or 0
 * @param advertisedHost what others are told instead of the host, or null
 * @param advertisedPort what others are told instead of the port, or 0
 * @param aliases what else others may dial
 * @param secrets gives those that are valid at a moment, or none ever
 */
record ControlSettings(
    String host,
    InetAddress address,
    int port,
    @Nullable String advertisedHost,
    int advertisedPort,
    Set<HostPort> aliases,
    Supplier<List<ClusterSecret>> secrets,
    @Nullable Tls tls,
    HandshakeLimits limits,
    Transport transport) {

  InetSocketAddress listenAddress() {
    return new InetSocketAddress(address, port);
  }

  /** What others are told, once it is known on which port it listens. */
  HostPort advertised(int listeningPort) {
    return new HostPort(
        advertisedHost == null ? host : advertisedHost,
        advertisedPort == 0 ? listeningPort : advertisedPort);
  }
}
