package io.reactivetransfer.control;

import java.net.InetAddress;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Which connections from outside one engine takes; and those that it has taken. */
final class Admission {

  private final HandshakeLimits limits;
  private final AddressRates rates;
  private final Set<Accepted> all = new HashSet<>();

  /** The oldest first. */
  private final LinkedHashSet<Accepted> halfOpen = new LinkedHashSet<>();

  Admission(HandshakeLimits limits, LongSupplier nanoClock) {
    this.limits = limits;
    this.rates = new AddressRates(limits.perSecond(), limits.burst(), nanoClock);
  }

  /** Takes the connection, or says why not. */
  @Nullable Failure admit(Accepted connection, InetAddress from) {
    if (all.size() >= limits.connections()) {
      return ErrorCode.BUSY.because("there are " + limits.connections() + " connections already");
    }
    if (!rates.allows(from)) {
      return ErrorCode.BUSY.because(
          "its address makes more than " + limits.perSecond() + " connections a second");
    }
    all.add(connection);
    halfOpen.add(connection);
    if (halfOpen.size() > limits.halfOpen()) {
      halfOpen
          .getFirst()
          .end(
              ErrorCode.BUSY.because(
                  "more than " + limits.halfOpen() + " handshakes at a time; this was the oldest"));
    }
    return null;
  }

  /** Its handshake is done. */
  void opened(Accepted connection) {
    halfOpen.remove(connection);
  }

  void ended(Accepted connection) {
    all.remove(connection);
    halfOpen.remove(connection);
  }

  /** Those that it has taken, and that have not ended. */
  List<Accepted> all() {
    return List.copyOf(all);
  }
}
