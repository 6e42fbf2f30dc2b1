package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivetransfer.control.HandshakeLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Strangers cannot keep others out, however slow or many they are. */
class AdmissionTest {

  private static TestNic nic(HandshakeLimits limits) {
    return new TestNic(
        TcpBackend.builder().handshakeLimits(limits).build(), 8, Duration.ofSeconds(30));
  }

  private static boolean isServed(TestNic target) {
    try (RawConnection raw = RawConnection.to(target)) {
      raw.send(out -> Handshake.putHello(out, RawConnection.helloTo(target)));
      return !raw.isAtEnd();
    }
  }

  @Test
  void theOldestHalfOpenConnectionGivesWay() {
    List<RawConnection> silent = new ArrayList<>();
    try (TestNic target = nic(new HandshakeLimits(100, 3, 1_000, 1_000))) {
      for (int i = 0; i < 3; i++) {
        silent.add(RawConnection.to(target));
      }
      assertThat(isServed(target)).isTrue();
      assertThat(silent.getFirst().isAtEnd()).isTrue();
      silent.get(2).send(out -> Handshake.putHello(out, RawConnection.helloTo(target)));
      assertThat(silent.get(2).reply()).isInstanceOf(Handshake.Welcome.class);
    } finally {
      silent.forEach(RawConnection::close);
    }
  }

  @Test
  void noMoreConnectionsThanAllowed() {
    try (TestNic target = nic(new HandshakeLimits(2, 2, 1_000, 1_000));
        RawConnection one = RawConnection.welcomedBy(target);
        RawConnection two = RawConnection.to(target)) {
      try (RawConnection three = RawConnection.to(target)) {
        assertThat(three.isAtEnd()).isTrue();
      }
      two.reset();
      target.awaitUntil(() -> isServed(target));
      assertThat(one.socket.isClosed()).isFalse();
    }
  }

  @Test
  void oneAddressConnectsOnlySoOften() {
    try (TestNic target = nic(new HandshakeLimits(100, 100, 1, 2))) {
      long begin = System.nanoTime();
      int served = 0;
      while (served < 50 && isServed(target)) {
        served++;
      }
      assertThat(served)
          .isBetween(2, 3 + (int) Duration.ofNanos(System.nanoTime() - begin).toSeconds());
    }
  }

  @Test
  void limitsAreOneOrMore() {
    assertThatIllegalArgumentException().isThrownBy(() -> new HandshakeLimits(0, 1, 1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> new HandshakeLimits(1, 0, 1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> new HandshakeLimits(1, 1, 0, 1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new HandshakeLimits(1, 1, 1, -1))
        .withMessageContaining("burst");
  }
}
