package io.reactivetransfer.control.socket;

import java.net.InetAddress;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which connections from outside one listening socket takes; and those that it has taken. For one
 * thread.
 *
 * @param <C> what such a connection is
 */
public final class Admission<C extends SocketConnection> {

  private final int connections;
  private final int halfOpenAtMost;
  private final int perSecond;
  private final AddressRates rates;
  private final Set<C> all = new HashSet<>();

  /** The oldest first. */
  private final LinkedHashSet<C> halfOpen = new LinkedHashSet<>();

  /** Within limits that are the caller's; {@code perSecond} and {@code burst} of one address. */
  public Admission(
      int connections, int halfOpen, int perSecond, int burst, LongSupplier nanoClock) {
    this.connections = connections;
    this.halfOpenAtMost = halfOpen;
    this.perSecond = perSecond;
    this.rates = new AddressRates(perSecond, burst, nanoClock);
  }

  /** Takes the connection, or says why not. */
  public @Nullable Failure admit(C connection, InetAddress from) {
    if (all.size() >= connections) {
      return ErrorCode.BUSY.because("there are " + connections + " connections already");
    }
    if (!rates.allows(from)) {
      return ErrorCode.BUSY.because(
          "its address makes more than " + perSecond + " connections a second");
    }
    all.add(connection);
    halfOpen.add(connection);
    if (halfOpen.size() > halfOpenAtMost) {
      halfOpen
          .getFirst()
          .end(
              ErrorCode.BUSY.because(
                  "more than " + halfOpenAtMost + " handshakes at a time; this was the oldest"));
    }
    return null;
  }

  /** Its handshake is done. */
  public void opened(C connection) {
    halfOpen.remove(connection);
  }

  /** It is no more. */
  public void ended(C connection) {
    all.remove(connection);
    halfOpen.remove(connection);
  }

  /** Those that it has taken, and that have not ended. */
  public List<C> all() {
    return List.copyOf(all);
  }
}
