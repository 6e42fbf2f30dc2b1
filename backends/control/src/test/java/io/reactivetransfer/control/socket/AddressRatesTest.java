package io.reactivetransfer.control.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressRatesTest {

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final AtomicLong now = new AtomicLong();
  private final AddressRates rates = new AddressRates(10, 5, now::get);

  private int allowedOf(int attempts, String address) {
    int allowed = 0;
    for (int i = 0; i < attempts; i++) {
      allowed += rates.allows(address(address)) ? 1 : 0;
    }
    return allowed;
  }

  private static InetAddress address(String literal) {
    try {
      return InetAddress.getByAddress(NetUtil.createByteArrayFromIpAddressString(literal));
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -5_000_000_000L, Long.MAX_VALUE - 500_000_000})
  void aBurstThenSoManyASecond(long start) {
    now.set(start);
    assertThat(allowedOf(100, "10.0.0.1")).isEqualTo(5);
    for (int second = 0; second < 3; second++) {
      int allowed = 0;
      for (int tenth = 0; tenth < 10; tenth++) {
        now.addAndGet(SECOND / 10);
        allowed += allowedOf(3, "10.0.0.1");
      }
      assertThat(allowed).isEqualTo(10);
    }
  }

  @Test
  void afterAPauseTheBurstIsBackAndNoMore() {
    allowedOf(5, "10.0.0.1");
    now.addAndGet(100 * SECOND);
    assertThat(allowedOf(100, "10.0.0.1")).isEqualTo(5);
  }

  @Test
  void addressesDoNotShare() {
    assertThat(allowedOf(100, "10.0.0.1")).isEqualTo(5);
    assertThat(allowedOf(100, "10.0.0.2")).isEqualTo(5);
  }

  @Test
  void anIpv6NetworkIsOne() {
    assertThat(allowedOf(5, "2001:db8::1")).isEqualTo(5);
    assertThat(allowedOf(5, "2001:db8::ffff:2")).isZero();
    assertThat(allowedOf(5, "2001:db8:0:1::1")).isEqualTo(5);
  }
}
