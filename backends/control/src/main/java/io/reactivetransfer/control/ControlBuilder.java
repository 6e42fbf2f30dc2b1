package io.reactivetransfer.control;

import io.reactivetransfer.HostPort;
import java.net.InetAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the builders have in common of backends that embed a control channel and have its users say
 * where it listens.
 *
 * @param <B> the builder itself
 */
public abstract class ControlBuilder<B extends ControlBuilder<B>> extends ListeningBuilder<B> {

  private static final int MAX_PORT = 65_535;

  private String host = "127.0.0.1";
  private int port;
  private @Nullable String advertisedHost;
  private int advertisedPort;
  final Set<HostPort> aliases = new HashSet<>();
  Transport transport = Transport.AUTO;

  /** With the defaults. */
  protected ControlBuilder() {}

  /**
   * The address, or name, of this machine to listen on, 127.0.0.1 by default. It is also what
   * others are told, unless {@link #advertised} is set. With any other address than a loopback
   * address, say who may talk with this engine, by {@link #secret} or {@link #withoutSecret}.
   */
  public final B host(String host) {
    this.host = requireHost(host);
    return self();
  }

  /** What is listened on. */
  protected final String host() {
    return host;
  }

  /** The port to listen on; 0, the default, takes a free one. */
  public final B port(int port) {
    if (port < 0 || port > MAX_PORT) {
      throw new IllegalArgumentException("expected a port of 0 to " + MAX_PORT + ", got " + port);
    }
    this.port = port;
    return self();
  }

  /**
   * The address or name that others are told, where it is not the one that is listened on, with the
   * port that is: for all interfaces at once (0.0.0.0), for a name, or behind a translation of
   * addresses.
   */
  public final B advertised(String advertisedHost) {
    return advertised(requireHost(advertisedHost), 0);
  }

  final B advertised(String host, int port) {
    this.advertisedHost = host;
    this.advertisedPort = port;
    return self();
  }

  /**
   * The channel, made when it is asked for first, and the same from then on; from any thread. To be
   * called once. Making it looks up a host that is a name, and so may block, and throws an {@link
   * IllegalArgumentException} if the host is unknown; if it stands for all interfaces and nothing
   * is advertised; if it is not a loopback address, and there is neither a secret nor {@link
   * #withoutSecret()}; or if there are both.
   */
  protected final Supplier<NettyControl> control() {
    return new Supplier<>() {

      private @Nullable NettyControl made;

      @Override
      public synchronized NettyControl get() {
        NettyControl control = made == null ? newControl() : made;
        made = control;
        return control;
      }
    };
  }

  final NettyControl newControl() {
    InetAddress address = lookUp(host);
    if (advertisedHost == null) {
      requireOneAddress(host, address);
    }
    requireSecret(List.of(host), List.of(address));
    transport.handlers();
    return new NettyControl(
        new ControlSettings(
            host,
            address,
            port,
            advertisedHost,
            advertisedPort,
            Set.copyOf(aliases),
            validSecrets(),
            tls(),
            handshakeLimits(),
            transport));
  }

  private static String requireHost(String host) {
    Objects.requireNonNull(host, "host");
    String bare =
        host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    return new HostPort(bare, MAX_PORT).host(); // which checks it
  }
}
