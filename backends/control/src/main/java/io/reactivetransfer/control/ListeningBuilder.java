package io.reactivetransfer.control;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.ClusterSecrets;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the builders of backends that listen have in common: who may talk with their engines.
 *
 * @param <B> the builder itself
 */
public abstract class ListeningBuilder<B extends ListeningBuilder<B>> {

  private @Nullable ClusterSecrets secrets;
  private boolean withoutSecret;
  private @Nullable Tls tls;
  private HandshakeLimits limits = HandshakeLimits.DEFAULTS;

  /** With the defaults. */
  protected ListeningBuilder() {}

  @SuppressWarnings("unchecked") // which is what B is for
  final B self() {
    return (B) this;
  }

  /**
   * What the engines of a cluster know. Each side of a new connection proves to the other that it
   * does, or there is no connection; so it must be the same everywhere. Needed where the engine
   * listens on more than a loopback address.
   */
  public final B secret(ClusterSecret secret) {
    this.secrets = ClusterSecrets.of(secret);
    return self();
  }

  /**
   * Two secrets that are both valid, while the engines of a cluster are given another one: first
   * all of them, in any order, get the new one with the old one behind it, then the new one alone.
   */
  public final B secrets(ClusterSecret current, ClusterSecret previous) {
    this.secrets = ClusterSecrets.of(current, previous);
    return self();
  }

  /**
   * Those that are valid at a time, and that whoever holds this object may renew while engines are
   * open: connections that begin from then on prove the new ones.
   */
  public final B secrets(ClusterSecrets secrets) {
    this.secrets = Objects.requireNonNull(secrets, "secrets");
    return self();
  }

  /**
   * Listens without a secret, on any address: whoever can connect may send messages, under an id of
   * its own. For a network that is trusted as a whole, or with {@link Tls#mutual} and an authority
   * of the cluster's own.
   */
  public final B withoutSecret() {
    this.withoutSecret = true;
    return self();
  }

  /**
   * Encrypts all connections of the JVM's own, and with them the keys that NICs tell each other;
   * all engines must, or none. Nothing is encrypted by default, and never what a card or a native
   * library writes.
   */
  public final B tls(Tls tls) {
    this.tls = Objects.requireNonNull(tls, "tls");
    return self();
  }

  /** What strangers may cost, {@link HandshakeLimits#DEFAULTS} by default. */
  public final B handshakeLimits(HandshakeLimits limits) {
    this.limits = Objects.requireNonNull(limits, "limits");
    return self();
  }

  /** What strangers may cost. */
  protected final HandshakeLimits handshakeLimits() {
    return limits;
  }

  /** What is valid at a moment; none ever, if there are none. */
  final Supplier<List<ClusterSecret>> validSecrets() {
    ClusterSecrets given = secrets;
    return given == null ? List::of : given::valid;
  }

  final @Nullable Tls tls() {
    return tls;
  }

  /** Has another builder let in the same ones, in the same way. */
  protected final <T extends ListeningBuilder<T>> T sameFor(T other) {
    ListeningBuilder<T> base = other;
    base.secrets = secrets;
    base.withoutSecret = withoutSecret;
    base.tls = tls;
    base.limits = limits;
    return other;
  }

  /**
   * The address of a host of this machine. Blocks if it is a name.
   *
   * @throws IllegalArgumentException if it is unknown
   */
  protected static InetAddress lookUp(String host) {
    try {
      return InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(
          "expected a host name or address of this machine, got " + host, e);
    }
  }

  /**
   * Checks that others can be told where to connect.
   *
   * @throws IllegalArgumentException if it stands for all interfaces
   */
  protected static void requireOneAddress(String host, InetAddress address) {
    if (address.isAnyLocalAddress()) {
      throw new IllegalArgumentException(
          "expected an advertised host, got none: "
              + host
              + " stands for all addresses of this machine, and others must be told one of them");
    }
  }

  /**
   * Checks that it was said who may connect.
   *
   * @param addresses those of the hosts
   * @throws IllegalArgumentException if there are a secret and {@link #withoutSecret()}, or neither
   *     where other machines can connect
   */
  protected final void requireSecret(List<String> hosts, List<InetAddress> addresses) {
    if (secrets != null && withoutSecret) {
      throw new IllegalArgumentException("expected a secret or withoutSecret(), got both");
    }
    if (secrets == null
        && !withoutSecret
        && !addresses.stream().allMatch(InetAddress::isLoopbackAddress)) {
      throw new IllegalArgumentException(
          "expected a cluster secret, got none: on "
              + String.join(", ", hosts)
              + " other machines can connect. Give secret(ClusterSecret.ofFile(...)), the same on"
              + " all of them, or say withoutSecret()");
    }
  }
}
