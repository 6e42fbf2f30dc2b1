package io.reactivetransfer.tcp;

import io.reactivetransfer.Device;
import io.reactivetransfer.Nic;
import io.reactivetransfer.control.HandshakeLimits;
import io.reactivetransfer.control.ListeningBuilder;
import io.reactivetransfer.control.NettyControl;
import io.reactivetransfer.control.NettyControlChannel;
import io.reactivetransfer.control.Transport;
import io.reactivetransfer.control.socket.Admission;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.DeviceWay;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.PciTree;
import io.reactivetransfer.spi.WorkerLoop;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Moves bytes over TCP sockets: for any machine, without any special hardware. A NIC is a listening
 * socket and the connections that it makes; an engine may have as many as it likes, up to eight,
 * and all of them run on one event loop, which drives the engine too.
 *
 * <p>As found by the name {@code tcp} it listens on the loopback address, on any free ports: for
 * processes on one machine. {@link #builder()} makes one that others can reach; that one wants a
 * {@link Builder#secret cluster secret}, and can {@link Builder#tls encrypt}.
 */
public final class TcpBackend implements Backend {

  private static final String NIC_PREFIX = "tcp";

  private final TcpSettings settings;
  private final NettyControl control;
  private final List<Nic> nics;

  /** Listens on the loopback address 127.0.0.1, on any free ports, with two NICs. */
  public TcpBackend() {
    this(builder());
  }

  private TcpBackend(Builder builder) {
    settings = builder.settings();
    control = builder.control();
    nics = IntStream.range(0, Nic.MAX_PER_ENGINE).mapToObj(this::nic).toList();
  }

  private Nic nic(int index) {
    InetAddress address = settings.addresses().get(index % settings.addresses().size());
    return NicPlaces.placed(Nic.named(NIC_PREFIX + index), address, PciTree.system());
  }

  /** Begins with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public String name() {
    return "tcp";
  }

  @Override
  public Availability availability() {
    return Availability.available();
  }

  @Override
  public List<Nic> nics() {
    return nics(settings.nics());
  }

  @Override
  public List<Nic> nics(int count) {
    if (count < 1 || count > nics.size()) {
      throw new BackendException(0, "expected 1 to " + nics.size() + " NICs, got " + count);
    }
    return nics.subList(0, count);
  }

  @Override
  public DeviceWay wayTo(Nic nic, Device device, DeviceAccess access) {
    return DeviceWay.STAGED;
  }

  @Override
  public WorkerLoop newLoop() {
    return new TcpLoop(control.newLoop(name()));
  }

  @Override
  public CompletionStage<ControlChannel> openControl(ControlContext context) {
    if (!(context.loop() instanceof TcpLoop loop)) {
      return control.open(context); // for an engine whose NICs are driven elsewhere
    }
    return control
        .open(context.toBuilder().loop(loop.shared()).build(), loop::sessionEnded)
        .thenApply(channel -> attach(loop, channel));
  }

  /** On the loop, or on the thread that has opened the channel, before the NICs are opened. */
  private static ControlChannel attach(TcpLoop loop, ControlChannel channel) {
    if (channel instanceof NettyControlChannel sessions) {
      loop.attach(peer -> sessions.sessionKey(peer, "tcp data"));
    }
    return channel;
  }

  private static BackendException withoutLoop() {
    return new BackendException(0, "tcp drives its NICs by its own loop; open it with newLoop()");
  }

  @Override
  public CompletionStage<Domain> open(Nic nic, OpenContext context) {
    int index = nics.indexOf(nic);
    if (index < 0) {
      return CompletableFuture.failedFuture(
          new BackendException(0, "expected one of the NICs of tcp, got " + nic.name()));
    }
    if (!(context.loop() instanceof TcpLoop loop)) {
      return CompletableFuture.failedFuture(withoutLoop());
    }
    HandshakeLimits limits = settings.limits();
    TcpDomain domain =
        new TcpDomain(
            loop,
            context,
            new Authentication(loop.keys(), context.engine(), loop.sessions()),
            new Admission<>(
                limits.connections(),
                limits.halfOpen(),
                limits.perSecond(),
                limits.burst(),
                System::nanoTime),
            settings.outgoingAddress(index));
    return Listener.listen(domain, settings.listenAddress(index), settings.advertisedHost(index))
        .thenApply(listener -> {
          domain.listensWith(listener);
          return domain;
        });
  }

  /** Sets what differs from the defaults. */
  public static final class Builder extends ListeningBuilder<Builder> {

    private static final int MAX_PORT = 65_535 - Nic.MAX_PER_ENGINE;
    private static final int DEFAULT_NICS = 2;

    private List<String> hosts = List.of("127.0.0.1");
    private @Nullable String advertisedHost;
    private int port;
    private int nics;
    private Transport transport = Transport.AUTO;

    private Builder() {}

    /**
     * The address, or name, of this machine to listen on, 127.0.0.1 by default. It is also what
     * others are told, unless {@link #advertisedHost} is set.
     */
    public Builder host(String host) {
      this.hosts = List.of(requireHost(host));
      return this;
    }

    /**
     * Several addresses, or names, of this machine, for instance one for each network card: the
     * NICs take them in turn, and an engine that is not told how many has one NIC for each.
     * Connections of a NIC come from its own address where the other side's is of the same kind
     * (IPv4 or IPv6); which card they leave by is up to the routes of the system.
     */
    public Builder hosts(String... several) {
      if (several.length < 1 || several.length > Nic.MAX_PER_ENGINE) {
        throw new IllegalArgumentException(
            "expected 1 to " + Nic.MAX_PER_ENGINE + " hosts, got " + several.length);
      }
      this.hosts = Arrays.stream(several).map(Builder::requireHost).toList();
      return this;
    }

    /**
     * The address or name that others are told, where it is not the one that is listened on: for
     * all interfaces at once (0.0.0.0), or behind a translation of addresses.
     */
    public Builder advertisedHost(String advertisedHost) {
      this.advertisedHost = requireHost(advertisedHost);
      return this;
    }

    /**
     * The port under which the engine is known; its NICs have those behind it. 0, the default,
     * takes free ones.
     */
    public Builder port(int port) {
      if (port < 0 || port > MAX_PORT) {
        throw new IllegalArgumentException(
            "expected a port of 0 to "
                + MAX_PORT
                + ", with those of eight NICs behind it, got "
                + port);
      }
      this.port = port;
      return this;
    }

    /**
     * How many NICs an engine has that is not told how many, 1 to 8; by default 2, or as many as
     * there are {@link #hosts}.
     */
    public Builder nics(int nics) {
      if (nics < 1 || nics > Nic.MAX_PER_ENGINE) {
        throw new IllegalArgumentException(
            "expected 1 to " + Nic.MAX_PER_ENGINE + " NICs, got " + nics);
      }
      this.nics = nics;
      return this;
    }

    /** How the sockets are driven, {@link Transport#AUTO} by default. */
    public Builder transport(Transport transport) {
      this.transport = Objects.requireNonNull(transport, "transport");
      return this;
    }

    /**
     * The backend. Looks up the hosts that are names, and so may block.
     *
     * @throws IllegalArgumentException if a host is unknown; if it stands for all interfaces and no
     *     advertised host is set; if there are several, and an advertised host; if it is not a
     *     loopback address, and there is neither a secret nor {@link #withoutSecret()}; if there
     *     are both; or if this machine does not have the transport
     */
    public TcpBackend build() {
      return new TcpBackend(this);
    }

    private TcpSettings settings() {
      List<InetAddress> addresses = hosts.stream().map(ListeningBuilder::lookUp).toList();
      requireAdvertised(addresses);
      requireSecret(hosts, addresses);
      int usual = hosts.size() == 1 ? DEFAULT_NICS : hosts.size();
      int count = nics == 0 ? usual : nics;
      return new TcpSettings(hosts, addresses, advertisedHost, port, count, handshakeLimits());
    }

    private void requireAdvertised(List<InetAddress> addresses) {
      if (advertisedHost == null) {
        for (int i = 0; i < hosts.size(); i++) {
          requireOneAddress(hosts.get(i), addresses.get(i));
        }
      } else if (hosts.size() > 1) {
        throw new IllegalArgumentException(
            "expected one host where an advertised host is set, got " + hosts);
      }
    }

    /** On the first of the hosts, and on the port before those of the NICs. */
    private NettyControl control() {
      NettyControl.Builder builder =
          sameFor(NettyControl.builder()).host(hosts.getFirst()).port(port).transport(transport);
      return (advertisedHost == null ? builder : builder.advertised(advertisedHost)).build();
    }

    private static String requireHost(String host) {
      Objects.requireNonNull(host, "host");
      boolean printable = host.chars().allMatch(c -> c > ' ' && c < 0x7f);
      if (host.isEmpty() || host.length() > NicAddress.MAX_HOST_BYTES || !printable) {
        throw new IllegalArgumentException(
            "expected a host of 1 to 253 printable US-ASCII characters, got '" + host + "'");
      }
      return host.startsWith("[") && host.endsWith("]")
          ? host.substring(1, host.length() - 1)
          : host;
    }
  }
}
