package io.reactivetransfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.entry;

import io.reactivetransfer.EngineOptions.Builder;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.scheduler.Schedulers;

class EngineOptionsTest {

  /** Every number, with its documented bounds. */
  enum Bound {
    NICS(0, 8, (b, n) -> b.nics(n.intValue())),
    WINDOW(1, 65_536, (b, n) -> b.window(n.intValue())),
    NIC_DEPTH(1, 65_536, (b, n) -> b.nicDepth(n.intValue())),
    PEER_DEPTH(1, 1_048_576, (b, n) -> b.peerDepth(n.intValue())),
    PEER_BYTES(1, Long.MAX_VALUE, Builder::peerBytes),
    MAX_SUBMISSIONS(1, 1_048_576, (b, n) -> b.maxSubmissions(n.intValue())),
    MIN_PIECE_BYTES(1, Long.MAX_VALUE, Builder::minPieceBytes),
    MAX_UNCLAIMED_IMMS(1, 16_777_216, (b, n) -> b.maxUnclaimedImms(n.intValue())),
    MAX_MESSAGE_BYTES(1, 16_777_216, (b, n) -> b.maxMessageBytes(n.intValue())),
    MESSAGE_CREDITS(1, 65_536, (b, n) -> b.messageCredits(n.intValue())),
    MAX_WAITING_MESSAGES(1, 1_048_576, (b, n) -> b.maxWaitingMessages(n.intValue())),
    CPU(0, 65_536, (b, n) -> b.cpu(n.intValue()));

    final long min;
    final long max;
    final BiFunction<Builder, Long, Builder> setter;

    Bound(long min, long max, BiFunction<Builder, Long, Builder> setter) {
      this.min = min;
      this.max = max;
      this.setter = setter;
    }

    Builder set(long value) {
      return setter.apply(EngineOptions.builder(), value);
    }
  }

  @ParameterizedTest
  @EnumSource
  void acceptsItsBoundsAndNothingBeyond(Bound bound) {
    bound.set(bound.min).build();
    bound.set(bound.max).build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> bound.set(bound.min - 1).build())
        .withMessageContaining(String.valueOf(bound.min - 1));
    if (bound.max < Integer.MAX_VALUE) {
      assertThatIllegalArgumentException().isThrownBy(() -> bound.set(bound.max + 1).build());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE})
  void timesArePositive(long nanos) {
    Duration time = Duration.ofNanos(nanos);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EngineOptions.builder().closeTimeout(time).build())
        .withMessageContaining("closeTimeout");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EngineOptions.builder().connectTimeout(time).build())
        .withMessageContaining("connectTimeout");
  }

  /** The engine counts in nanoseconds; what does not fit must not surprise it when it closes. */
  @Test
  void timesAreBounded() {
    Duration endless = Duration.ofSeconds(Long.MAX_VALUE);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EngineOptions.builder().closeTimeout(endless).build());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EngineOptions.builder().connectTimeout(endless).build());
    Duration long1 = Duration.ofDays(1);
    EngineOptions.builder().closeTimeout(long1).connectTimeout(long1).build();
  }

  @Test
  void nicsOfADeviceAreSome() {
    Device device = Device.of("abacus", 1);
    String[] tooMany = IntStream.range(0, 9).mapToObj(nic -> "n" + nic).toArray(String[]::new);
    EngineOptions.builder().deviceNics(device, Arrays.copyOf(tooMany, 8)).build();
    for (String[] wrong : List.of(new String[0], tooMany, new String[] {"n0", "n0"})) {
      Builder builder = EngineOptions.builder().deviceNics(device, wrong);
      assertThatIllegalArgumentException()
          .isThrownBy(builder::build)
          .withMessageStartingWith("expected deviceNics of abacus:1 with the names of 1 to 8 NICs");
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EngineOptions.builder().deviceNics(Device.HOST, "n0").build())
        .withMessageContaining("of the host");
  }

  /** Who builds again with others does not change what was built. */
  @Test
  void nicsOfADeviceStayWhatTheyWere() {
    Builder builder = EngineOptions.builder().deviceNics(Device.of("abacus", 1), "n0");
    EngineOptions first = builder.build();
    builder.deviceNics(Device.of("abacus", 1), "n1");
    assertThat(first.deviceNics().values()).containsExactly(List.of("n0"));
    assertThat(builder.build().deviceNics().values()).containsExactly(List.of("n1"));
  }

  @Test
  void hasTheDefaultsThatItDocuments() {
    EngineOptions options = EngineOptions.defaults();
    assertThat(options.nics()).isZero();
    assertThat(options.deviceNics()).isEmpty();
    assertThat(options.window()).isEqualTo(256);
    assertThat(options.nicDepth()).isEqualTo(1_024);
    assertThat(options.peerDepth()).isEqualTo(4_096);
    assertThat(options.peerBytes()).isEqualTo(64 * 1024 * 1024);
    assertThat(options.maxSubmissions()).isEqualTo(65_536);
    assertThat(options.minPieceBytes()).isEqualTo(65_536);
    assertThat(options.maxUnclaimedImms()).isEqualTo(65_536);
    assertThat(options.maxMessageBytes()).isEqualTo(1024 * 1024);
    assertThat(options.messageCredits()).isEqualTo(16);
    assertThat(options.maxWaitingMessages()).isEqualTo(1_024);
    assertThat(options.connectTimeout()).isEqualTo(Duration.ofSeconds(10));
    assertThat(options.closeTimeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(options.idle()).isEqualTo(IdleStrategy.backOff());
    assertThat(options.cpu()).isEmpty();
    assertThat(options.signalScheduler()).isNull();
    assertThat(EngineOptions.builder().build()).isEqualTo(options);
  }

  @Test
  void keepsWhatWasSet() {
    EngineOptions options =
        EngineOptions.builder()
            .nics(2)
            .deviceNics(Device.of("abacus", 1), "n0", "n1")
            .window(3)
            .nicDepth(4)
            .peerDepth(5)
            .peerBytes(16)
            .maxSubmissions(6)
            .minPieceBytes(7)
            .maxUnclaimedImms(8)
            .maxMessageBytes(9)
            .messageCredits(10)
            .maxWaitingMessages(17)
            .livenessDeadline(Duration.ofMillis(14))
            .transferDeadline(Duration.ofMillis(15))
            .connectTimeout(Duration.ofMillis(11))
            .closeTimeout(Duration.ofMillis(12))
            .revocationGrace(Duration.ofMillis(18))
            .stallThreshold(Duration.ofMillis(19))
            .idle(IdleStrategy.spin())
            .cpu(13)
            .signalScheduler(Schedulers.immediate())
            .build();
    assertThat(options.nics()).isEqualTo(2);
    assertThat(options.deviceNics())
        .containsExactly(entry(Device.of("abacus", 1), List.of("n0", "n1")));
    assertThat(options.window()).isEqualTo(3);
    assertThat(options.nicDepth()).isEqualTo(4);
    assertThat(options.peerDepth()).isEqualTo(5);
    assertThat(options.peerBytes()).isEqualTo(16);
    assertThat(options.maxSubmissions()).isEqualTo(6);
    assertThat(options.minPieceBytes()).isEqualTo(7);
    assertThat(options.maxUnclaimedImms()).isEqualTo(8);
    assertThat(options.maxMessageBytes()).isEqualTo(9);
    assertThat(options.messageCredits()).isEqualTo(10);
    assertThat(options.maxWaitingMessages()).isEqualTo(17);
    assertThat(options.livenessDeadline()).isEqualTo(Duration.ofMillis(14));
    assertThat(options.transferDeadline()).isEqualTo(Duration.ofMillis(15));
    assertThat(options.connectTimeout()).isEqualTo(Duration.ofMillis(11));
    assertThat(options.closeTimeout()).isEqualTo(Duration.ofMillis(12));
    assertThat(options.revocationGrace()).isEqualTo(Duration.ofMillis(18));
    assertThat(options.stallThreshold()).isEqualTo(Duration.ofMillis(19));
    assertThat(options.idle()).isEqualTo(IdleStrategy.spin());
    assertThat(options.cpu()).isEqualTo(OptionalInt.of(13));
    assertThat(options.signalScheduler()).isEqualTo(Schedulers.immediate());
    assertThat(options.toBuilder().build()).isEqualTo(options);
    assertThat(options.toBuilder().window(4).build()).isNotEqualTo(options);
  }

  @Test
  void needsAnIdleStrategy() {
    assertThatNullPointerException().isThrownBy(() -> EngineOptions.builder().idle(null).build());
  }

  // ---- the idle strategy ----

  private static IdleStrategy idle(int spins, Duration first, Duration longest) {
    return IdleStrategy.backOff().withSpins(spins).withParks(first, longest);
  }

  @Test
  void parksForeverLongerWithinItsBounds() {
    Duration one = Duration.ofNanos(1);
    Duration two = Duration.ofNanos(2);
    assertThat(idle(0, one, two).spins()).isZero();
    idle(0, two, two);
    assertThatIllegalArgumentException().isThrownBy(() -> idle(-1, one, two));
    assertThatIllegalArgumentException().isThrownBy(() -> idle(0, two, one));
    assertThatIllegalArgumentException().isThrownBy(() -> idle(0, Duration.ZERO, two));
    assertThatIllegalArgumentException().isThrownBy(() -> idle(0, one.negated(), two));
  }

  @Test
  void spinsForATimeOfMoreThanNothing() {
    IdleStrategy idle = IdleStrategy.backOff().withMaxSpin(Duration.ofNanos(1));
    assertThat(idle.maxSpin()).isEqualTo(Duration.ofNanos(1));
    assertThat(idle.withSpins(3).withParks(Duration.ofNanos(2), Duration.ofNanos(2)).maxSpin())
        .isEqualTo(Duration.ofNanos(1));
    assertThat(idle).isNotEqualTo(IdleStrategy.backOff());
    assertThatIllegalArgumentException().isThrownBy(() -> idle.withMaxSpin(Duration.ZERO));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> idle.withMaxSpin(Duration.ofNanos(1).negated()));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> idle.withMaxSpin(Duration.ofSeconds(Long.MAX_VALUE)));
  }

  @Test
  void doesNotParkForLongerThanNanosecondsCanSay() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> idle(0, Duration.ofNanos(1), Duration.ofSeconds(Long.MAX_VALUE)));
    idle(0, Duration.ofHours(1), Duration.ofDays(1));
  }

  @Test
  void spinsOrBacksOff() {
    assertThat(IdleStrategy.spin().spins()).isEqualTo(Integer.MAX_VALUE);
    assertThat(IdleStrategy.backOff().maxPark()).isEqualTo(Duration.ofMillis(1));
  }
}
