package io.reactivetransfer.tcp;

import io.reactivetransfer.Nic;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.WorkerLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
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
 * processes on one machine. {@link #builder()} makes one that others can reach.
 *
 * <p>Nothing is encrypted, and who can connect can send messages; memory can be written only by who
 * knows its key. Use it in a network that you trust.
 */
public final class TcpBackend implements Backend {

  private static final String NIC_PREFIX = "tcp";

  private final Builder settings;
  private final InetAddress bindAddress;
  private final List<Nic> nics;

  /** Listens on the loopback address 127.0.0.1, on any free ports, with two NICs. */
  public TcpBackend() {
    this(builder());
  }

  private TcpBackend(Builder builder) {
    settings = new Builder(builder);
    try {
      bindAddress = InetAddress.getByName(settings.host);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(
          "expected a host name or address of this machine, got " + settings.host, e);
    }
    if (bindAddress.isAnyLocalAddress() && settings.advertisedHost == null) {
      throw new IllegalArgumentException(
          "expected an advertised host, got none: "
              + settings.host
              + " stands for all addresses of this machine, and others must be told one of them");
    }
    nics =
        IntStream.range(0, PeerAddress.MAX_NICS)
            .mapToObj(index -> Nic.named(NIC_PREFIX + index))
            .toList();
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
    return nics(settings.nics);
  }

  @Override
  public List<Nic> nics(int count) {
    if (count < 1 || count > nics.size()) {
      throw new BackendException(0, "expected 1 to " + nics.size() + " NICs, got " + count);
    }
    return nics.subList(0, count);
  }

  @Override
  public WorkerLoop newLoop() {
    return new TcpLoop();
  }

  @Override
  public CompletionStage<Domain> open(Nic nic, OpenContext context) {
    int index = nics.indexOf(nic);
    if (index < 0) {
      return CompletableFuture.failedFuture(
          new BackendException(0, "expected one of the NICs of tcp, got " + nic.name()));
    }
    if (!(context.loop() instanceof TcpLoop loop)) {
      return CompletableFuture.failedFuture(
          new BackendException(0, "tcp drives its NICs by its own loop; open it with newLoop()"));
    }
    int port = settings.port == 0 ? 0 : settings.port + index;
    String advertised = settings.advertisedHost == null ? settings.host : settings.advertisedHost;
    TcpDomain domain = new TcpDomain(loop, context);
    return Listener.listen(domain, new InetSocketAddress(bindAddress, port), advertised)
        .thenApply(listener -> {
          domain.listensWith(listener);
          return domain;
        });
  }

  /** Sets what differs from the defaults. */
  public static final class Builder {

    private static final int MAX_PORT = 65_535 - (PeerAddress.MAX_NICS - 1);

    private String host = "127.0.0.1";
    private @Nullable String advertisedHost;
    private int port;
    private int nics = 2;

    private Builder() {}

    private Builder(Builder other) {
      host = other.host;
      advertisedHost = other.advertisedHost;
      port = other.port;
      nics = other.nics;
    }

    /**
     * The address, or name, of this machine to listen on, 127.0.0.1 by default. It is also what
     * others are told, unless {@link #advertisedHost} is set.
     */
    public Builder host(String host) {
      this.host = requireHost(host);
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
     * The port of the first NIC; the others have those behind it. 0, the default, takes free ones.
     */
    public Builder port(int port) {
      if (port < 0 || port > MAX_PORT) {
        throw new IllegalArgumentException(
            "expected a port of 0 to " + MAX_PORT + ", for eight NICs in a row, got " + port);
      }
      this.port = port;
      return this;
    }

    /** How many NICs an engine has that is not told how many, 1 to 8; 2 by default. */
    public Builder nics(int nics) {
      if (nics < 1 || nics > PeerAddress.MAX_NICS) {
        throw new IllegalArgumentException(
            "expected 1 to " + PeerAddress.MAX_NICS + " NICs, got " + nics);
      }
      this.nics = nics;
      return this;
    }

    /**
     * The backend. Looks the host up if it is a name, and so may block.
     *
     * @throws IllegalArgumentException if the host is unknown, or if it stands for all interfaces
     *     and no advertised host is set
     */
    public TcpBackend build() {
      return new TcpBackend(this);
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
