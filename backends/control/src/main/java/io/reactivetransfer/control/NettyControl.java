package io.reactivetransfer.control;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

/**
 * How engines talk with each other over a network: for authors of backends, who embed one in theirs
 * and open a channel of it for each engine. Each pair of engines has one TCP connection, over which
 * both have proved who they are, and, where there is a secret, that they know it; with {@link
 * Builder#tls} it is encrypted. Safe from any thread.
 */
public final class NettyControl {

  private final ControlSettings settings;

  private NettyControl(ControlSettings settings) {
    this.settings = settings;
  }

  /** Begins with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * A loop for one engine, on which its channel runs, and all that its backend wants to; by a
   * daemon thread {@code transfer-KIND-N}. Blocks a little.
   */
  public ControlLoop newLoop(String kind) {
    return new ControlLoop(kind, settings.transport(), settings.tls());
  }

  /**
   * Opens the channel of one engine. It runs on the engine's loop if that is one of {@link
   * #newLoop}, else on one of its own, and is then polled by the engine's thread.
   *
   * @return the open channel, or a {@link BackendException}
   */
  public CompletionStage<ControlChannel> open(ControlContext context) {
    return open(context, _ -> {});
  }

  /**
   * The same, for a backend whose NICs have connections of their own.
   *
   * @param sessionEnded told the engine with which a session has ended, on the loop, at once: so
   *     before the channel reports it, and before anything of another session
   */
  public CompletionStage<ControlChannel> open(
      ControlContext context, Consumer<EngineId> sessionEnded) {
    if (!context.identity().isProvable()) {
      return CompletableFuture.failedFuture(
          new BackendException(
              0, "expected an identity with keys, got one with an id alone, which proves nothing"));
    }
    return CompletableFuture.supplyAsync(
            () -> new Prepared(context, sessionEnded),
            task -> Schedulers.boundedElastic().schedule(task))
        .thenCompose(Prepared::listen);
  }

  /** What reads files when it is made, and so is not made on the loop. */
  private final class Prepared {

    private final ControlContext context;
    private final ControlLoop loop;
    private final boolean isOwnLoop;
    private final Sessions sessions;

    Prepared(ControlContext context, Consumer<EngineId> sessionEnded) {
      this.context = context;
      this.isOwnLoop = !(context.loop() instanceof ControlLoop);
      this.loop = context.loop() instanceof ControlLoop given ? given : newLoop("control");
      Credentials credentials = new Credentials(context.identity(), settings.secrets());
      this.sessions =
          new Sessions(
              loop,
              Network.of(loop, Sessions.millis(context.connectTimeout())),
              context,
              credentials,
              settings.limits(),
              settings.aliases(),
              sessionEnded);
    }

    CompletionStage<ControlChannel> listen() {
      return Listener.listen(sessions, settings.listenAddress(), settings::advertised)
          .<ControlChannel>thenApply(
              listener -> new NettyControlChannel(context, sessions, listener, this::endLoop))
          .whenComplete((_, failure) -> {
            if (failure != null) {
              loop.execute(this::endLoop);
            }
          });
    }

    private void endLoop() {
      if (isOwnLoop) {
        var _ = loop.close();
      }
    }
  }

  /** Sets what differs from the defaults. */
  public static final class Builder {

    private static final int MAX_PORT = 65_535;

    private String host = "127.0.0.1";
    private int port;
    private @Nullable String advertisedHost;
    private int advertisedPort;
    private final Set<HostPort> aliases = new HashSet<>();
    private List<ClusterSecret> secrets = List.of();
    private boolean withoutSecret;
    private @Nullable Tls tls;
    private HandshakeLimits limits = HandshakeLimits.DEFAULTS;
    private Transport transport = Transport.AUTO;

    private Builder() {}

    /**
     * The address, or name, of this machine to listen on, 127.0.0.1 by default. It is also what
     * others are told, unless {@link #advertised} is set.
     */
    public Builder host(String host) {
      this.host = requireHost(host);
      return this;
    }

    /** The port to listen on; 0, the default, takes a free one. */
    public Builder port(int port) {
      if (port < 0 || port > MAX_PORT) {
        throw new IllegalArgumentException("expected a port of 0 to " + MAX_PORT + ", got " + port);
      }
      this.port = port;
      return this;
    }

    /**
     * The address or name that others are told, where it is not the one that is listened on, with
     * the port that is: for all interfaces at once (0.0.0.0), or for a name.
     */
    public Builder advertised(String advertisedHost) {
      this.advertisedHost = requireHost(advertisedHost);
      this.advertisedPort = 0;
      return this;
    }

    /** What others are told, where the port differs, too: behind a translation of addresses. */
    public Builder advertised(HostPort advertised) {
      this.advertisedHost = advertised.host();
      this.advertisedPort = advertised.port();
      return this;
    }

    /**
     * What else others may dial to reach this engine, behind a translation of addresses. Who has
     * dialled something that is not the address of the socket that it comes to, and is neither
     * advertised nor named here, is refused: something in between passes its connections on.
     */
    public Builder alsoKnownAs(HostPort... others) {
      aliases.addAll(List.of(others));
      return this;
    }

    /**
     * What the engines of a cluster know. Each side of a new connection proves to the other that it
     * does, or there is no connection; so it must be the same everywhere. Needed where the engine
     * listens on more than a loopback address.
     */
    public Builder secret(ClusterSecret secret) {
      this.secrets = List.of(secret);
      return this;
    }

    /**
     * Two secrets that are both valid, while the engines of a cluster are given another one: first
     * all of them, in any order, get the new one with the old one behind it, then the new one
     * alone.
     */
    public Builder secrets(ClusterSecret current, ClusterSecret previous) {
      this.secrets = List.of(current, previous);
      return this;
    }

    /**
     * Listens without a secret, on any address: whoever can connect may send messages, under an id
     * of its own. For a network that is trusted as a whole, or with {@link Tls#mutual} and an
     * authority of the cluster's own.
     */
    public Builder withoutSecret() {
      this.withoutSecret = true;
      return this;
    }

    /** Encrypts all connections; all engines must, or none. Nothing is encrypted by default. */
    public Builder tls(Tls tls) {
      this.tls = Objects.requireNonNull(tls, "tls");
      return this;
    }

    /** What strangers may cost, {@link HandshakeLimits#DEFAULTS} by default. */
    public Builder handshakeLimits(HandshakeLimits limits) {
      this.limits = Objects.requireNonNull(limits, "limits");
      return this;
    }

    /** How the sockets are driven, {@link Transport#AUTO} by default. */
    public Builder transport(Transport transport) {
      this.transport = Objects.requireNonNull(transport, "transport");
      return this;
    }

    /**
     * The channel's settings. Looks up a host that is a name, and so may block.
     *
     * @throws IllegalArgumentException if the host is unknown; if it stands for all interfaces and
     *     nothing is advertised; if it is not a loopback address, and there is neither a secret nor
     *     {@link #withoutSecret()}; if there are both; or if this machine does not have the
     *     transport
     */
    public NettyControl build() {
      InetAddress address = lookUp();
      if (advertisedHost == null && address.isAnyLocalAddress()) {
        throw new IllegalArgumentException(
            "expected an advertised host, got none: "
                + host
                + " stands for all addresses of this machine, and others must be told one of them");
      }
      checkSecret(address);
      transport.handlers();
      return new NettyControl(
          new ControlSettings(
              host,
              address,
              port,
              advertisedHost,
              advertisedPort,
              Set.copyOf(aliases),
              secrets,
              tls,
              limits,
              transport));
    }

    private InetAddress lookUp() {
      try {
        return InetAddress.getByName(host);
      } catch (UnknownHostException e) {
        throw new IllegalArgumentException(
            "expected a host name or address of this machine, got " + host, e);
      }
    }

    private void checkSecret(InetAddress address) {
      if (!secrets.isEmpty() && withoutSecret) {
        throw new IllegalArgumentException("expected a secret or withoutSecret(), got both");
      }
      if (secrets.isEmpty() && !withoutSecret && !address.isLoopbackAddress()) {
        throw new IllegalArgumentException(
            "expected a cluster secret, got none: on "
                + host
                + " other machines can connect. Give secret(ClusterSecret.ofFile(...)), the same on"
                + " all of them, or say withoutSecret()");
      }
    }

    private static String requireHost(String host) {
      Objects.requireNonNull(host, "host");
      String bare =
          host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
      return new HostPort(bare, MAX_PORT).host(); // which checks it
    }
  }
}
