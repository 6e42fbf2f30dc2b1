package io.reactivetransfer.tcp;

import io.reactivetransfer.control.HandshakeLimits;
import java.net.InetAddress;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Which connections from outside one NIC takes; and those that it has taken. */
final class Admission {

  private final HandshakeLimits limits;
  private final AddressRates rates;
  private final Set<InboundLink> all = new HashSet<>();

  /** The oldest first. */
  private final LinkedHashSet<InboundLink> halfOpen = new LinkedHashSet<>();

  Admission(HandshakeLimits limits, LongSupplier nanoClock) {
    this.limits = limits;
    this.rates = new AddressRates(limits.perSecond(), limits.burst(), nanoClock);
  }

  /** Takes the connection, or says why not. */
  @Nullable Failure admit(InboundLink link, InetAddress from) {
    if (all.size() >= limits.connections()) {
      return ErrorCode.BUSY.because("there are " + limits.connections() + " connections already");
    }
    if (!rates.allows(from)) {
      return ErrorCode.BUSY.because(
          "its address makes more than " + limits.perSecond() + " connections a second");
    }
    all.add(link);
    halfOpen.add(link);
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
  void opened(InboundLink link) {
    halfOpen.remove(link);
  }

  void ended(InboundLink link) {
    all.remove(link);
    halfOpen.remove(link);
  }

  /** Those that it has taken, and that have not ended. */
  List<InboundLink> all() {
    return List.copyOf(all);
  }
}
