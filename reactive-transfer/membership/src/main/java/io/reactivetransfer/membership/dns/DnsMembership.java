package io.reactivetransfer.membership.dns;

import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DnsRecordType;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.membership.Membership;
import io.reactivetransfer.membership.Node;
import io.reactivetransfer.membership.NodeChange;
import io.reactivetransfer.membership.NodeChanges;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Nodes that DNS names, all with one role.
 *
 * <pre>{@code
 * Membership addresses =
 *     DnsMembership.addresses("prefill", "prefill.llm.svc.cluster.local", 7400).build();
 * Membership services =
 *     DnsMembership.services("prefill", "_engine._tcp.prefill.llm.svc.cluster.local").build();
 * }</pre>
 *
 * <p>The name of a node is its address and port, so a node that comes back at another address is
 * another node.
 *
 * <p><b>When it asks.</b> On subscription, and again when the shortest time to live of an answer is
 * over, within {@link Builder#interval}; the shorter one of these also where no answer has a
 * record, and after a failure. What an answer does not hold has left; so has everything, if there
 * is no such name or it has no records. A failure, which is a server that does not answer in time
 * or says anything but that (SERVFAIL, REFUSED, a referral, an alias alone), changes nothing: what
 * the last answer held stays, for each type of record by itself. It is logged once for each row of
 * failures. Each question goes to the name servers in turn, until one answers.
 *
 * <p><b>What it takes.</b> Each subscription has a thread of its own and asks by itself. Both end
 * with it, so there is nothing to be closed.
 */
public final class DnsMembership implements Membership {

  private final DnsQuery query;
  private final int maxNodes;
  private final Scheduler signals;

  private DnsMembership(Builder builder) {
    query =
        new DnsQuery(
            builder.host,
            builder.role,
            builder.types,
            List.copyOf(builder.servers),
            builder.shortest,
            builder.longest,
            builder.timeout);
    maxNodes = builder.maxNodes;
    signals = builder.signals;
  }

  /**
   * A node for each address of a host, IPv4 and IPv6, all with one port.
   *
   * @param role the role of all of them
   * @param host its whole name: no search domains are tried
   * @param port of the control channels of their engines
   */
  public static Builder addresses(String role, String host, int port) {
    new HostPort(host, port);
    return new Builder(role, host, List.of(RecordType.ipv4(port), RecordType.ipv6(port)));
  }

  /**
   * A node for each SRV record of a service. The hosts in them are looked up when an engine dials
   * them; priorities and weights are passed over.
   *
   * @param role the role of all of them
   * @param service its whole name, such as {@code _engine._tcp.prefill.llm.svc.cluster.local}
   */
  public static Builder services(String role, String service) {
    return new Builder(role, service, List.of(RecordType.service()));
  }

  @Override
  public Flux<NodeChange> nodes() {
    return NodeChanges.of(sink -> DnsPolling.start(query, sink), maxNodes, signals);
  }

  /**
   * Sets what differs from the defaults: the name servers of this machine, 1 s to 30 s between two
   * questions, answers within 2 s, at most 10,000 nodes, signals on {@code Schedulers.parallel()}.
   */
  public static final class Builder {
    private static final int DNS_PORT = 53;

    private final String role;
    private final String host;
    private final List<RecordType> types;
    private List<InetSocketAddress> servers = List.of();
    private Duration shortest = Duration.ofSeconds(1);
    private Duration longest = Duration.ofSeconds(30);
    private Duration timeout = Duration.ofSeconds(2);
    private int maxNodes = 10_000;
    private Scheduler signals = Schedulers.parallel();

    private Builder(String role, String host, List<RecordType> types) {
      HostPort checked = new HostPort(host, DNS_PORT);
      Node.of("any", role, checked);
      try {
        new DefaultDnsQuestion(host, DnsRecordType.A);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("expected a name of DNS, got '" + host + "'", e);
      }
      this.role = role;
      this.host = host;
      this.types = types;
    }

    /** The name servers to ask, in this order, with their ports; each has an address. */
    public Builder nameServers(List<InetSocketAddress> servers) {
      for (InetSocketAddress server : servers) {
        if (server.isUnresolved()) {
          throw new IllegalArgumentException(
              "expected the address of a name server, got " + server + ", which has none");
        }
      }
      this.servers = servers;
      return this;
    }

    /**
     * The shortest and the longest time between two questions, 10 ms to 1 day, whatever the time to
     * live of the records.
     */
    public Builder interval(Duration shortest, Duration longest) {
      check("the shortest time", shortest, Duration.ofMillis(10), Duration.ofDays(1));
      check("the longest time", longest, shortest, Duration.ofDays(1));
      this.shortest = shortest;
      this.longest = longest;
      return this;
    }

    /** How long one name server may take before the next one is asked: 10 ms to 1 min. */
    public Builder queryTimeout(Duration timeout) {
      check("an answer", timeout, Duration.ofMillis(10), Duration.ofMinutes(1));
      this.timeout = timeout;
      return this;
    }

    /**
     * How many nodes there may be, 1 to 100,000. Where there are more, {@link
     * DnsMembership#nodes()} ends with a {@code MembershipException}.
     */
    public Builder maxNodes(int maxNodes) {
      if (maxNodes < 1 || maxNodes > 100_000) {
        throw new IllegalArgumentException("expected 1 to 100,000 nodes, got " + maxNodes);
      }
      this.maxNodes = maxNodes;
      return this;
    }

    /** Where subscribers are signalled; it stays the caller's. */
    public Builder signalScheduler(Scheduler signals) {
      this.signals = Objects.requireNonNull(signals, "signals");
      return this;
    }

    private static void check(String what, Duration time, Duration min, Duration max) {
      if (time.compareTo(min) < 0 || time.compareTo(max) > 0) {
        throw new IllegalArgumentException(
            "expected %s of %s to %s, got %s".formatted(what, min, max, time));
      }
    }

    /** Asks nothing yet. */
    public DnsMembership build() {
      return new DnsMembership(this);
    }
  }
}
