package io.reactivetransfer.control.socket;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How often each address does something: so many times a second in the long run, and so many at
 * once after a pause. For each address it keeps the time until which its past use is paid for (the
 * generic cell rate algorithm, ITU-T I.371), and forgets those first that it has not seen for the
 * longest time.
 */
final class AddressRates {

  private static final int MAX_ADDRESSES = 4_096;
  private static final int IPV6_NETWORK_BYTES = 8;

  private final long interval;
  private final long slack;
  private final LongSupplier nanoClock;
  private final Map<ByteBuffer, Long> paidUntil =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Long> eldest) {
          return size() > MAX_ADDRESSES;
        }
      };

  AddressRates(int perSecond, int burst, LongSupplier nanoClock) {
    this.interval = TimeUnit.SECONDS.toNanos(1) / perSecond;
    this.slack = interval * (burst - 1L);
    this.nanoClock = nanoClock;
  }

  /** Counts one more of this address, unless that were too many. */
  boolean allows(InetAddress address) {
    long now = nanoClock.getAsLong();
    ByteBuffer who = network(address);
    long before = paidUntil.getOrDefault(who, now);
    long due = before - now < 0 ? now : before;
    if (due - now > slack) {
      return false;
    }
    paidUntil.put(who, due + interval);
    return true;
  }

  /** One host may have all addresses of an IPv6 network. */
  private static ByteBuffer network(InetAddress address) {
    ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
    return address instanceof Inet6Address ? bytes.limit(IPV6_NETWORK_BYTES) : bytes;
  }
}
