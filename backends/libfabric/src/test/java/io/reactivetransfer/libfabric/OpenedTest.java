package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.libfabric.ffi.TapLibFabric;
import io.reactivetransfer.spi.BackendException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What was opened, closed at a provider that may refuse. */
class OpenedTest {

  private static final int FI_EIO = 5;
  private static final long STEP_NANOS = 100_000_000;

  private final TapLibFabric tap = new TapLibFabric();
  private final List<String> told = new ArrayList<>();
  private long now;

  /** Each look at the clock takes a while. */
  private final Opened opened = new Opened(tap.lib(), "tap", () -> now += 1_000);

  @Test
  void whatIsBusyIsTriedAgainUntilItHasClosed() {
    opened.addLeaf(1);
    tap.closes(_ -> -Fi.FI_EBUSY);
    opened.close(1, () -> told.add("1"));
    assertThat(opened.closeAgain()).isZero();
    assertThat(opened.isClosing()).isTrue();
    tap.closes(_ -> 0);
    assertThat(opened.closeAgain()).isEqualTo(1);
    assertThat(told).containsExactly("1");
    assertThat(opened.isClosing()).isFalse();
    assertThatNoException().isThrownBy(opened::closeAll);
  }

  @Test
  void whatIsBusyForTooLongIsAFailure() {
    opened.addLeaf(1);
    tap.closes(_ -> -Fi.FI_EBUSY);
    opened.close(1, () -> told.add("1"));
    for (long begin = now; now - begin < Opened.PATIENCE_NANOS - STEP_NANOS; now += STEP_NANOS) {
      assertThat(opened.closeAgain()).isZero();
    }
    now += STEP_NANOS;
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(opened::closeAgain)
        .withMessageContaining("provider tap", "error 16");
    assertThat(told).isEmpty();
  }

  /** As when the process was stopped, or a collection took long: nobody has asked meanwhile. */
  @Test
  void whatIsBusyIsAskedAgainAfterAStandstillHoweverLong() {
    opened.addLeaf(1);
    tap.closes(_ -> -Fi.FI_EBUSY);
    opened.close(1, () -> told.add("1"));
    now += 10 * Opened.PATIENCE_NANOS;
    assertThat(opened.closeAgain()).isZero();
    tap.closes(_ -> 0);
    assertThat(opened.closeAgain()).isEqualTo(1);
    assertThat(told).containsExactly("1");
  }

  @Test
  void whatIsRefusedForGoodIsSaidAndNotTouchedAgain() {
    opened.addLeaf(1);
    int[] calls = {0};
    tap.closes(_ -> {
      calls[0]++;
      return -FI_EIO;
    });
    opened.close(1, () -> told.add("1"));
    for (int i = 0; i < 2; i++) {
      assertThatExceptionOfType(BackendException.class)
          .isThrownBy(opened::closeAgain)
          .withMessageContaining("error 5 (5)")
          .withMessageContaining("may go on reading and writing memory");
    }
    assertThatExceptionOfType(BackendException.class).isThrownBy(opened::closeAll);
    assertThat(calls).containsExactly(1);
    assertThat(told).isEmpty();
  }

  @Test
  void anotherThingWithTheSameFidIsLeftAlone() {
    opened.addLeaf(1);
    tap.closes(_ -> -Fi.FI_EBUSY);
    opened.close(1, () -> told.add("1"));
    tap.closes(_ -> 0);
    opened.closeNow(1);
    assertThat(told).containsExactly("1");
    tap.closed().clear();
    opened.addLeaf(1);
    assertThat(opened.closeAgain()).isZero();
    assertThat(tap.closed()).isEmpty();
  }

  @Test
  void basesWaitForWhatIsMadeOnThemAndLeavesForNothing() {
    opened.addBase(1);
    opened.addLeaf(2);
    opened.addLeaf(3);
    opened.addBase(4);
    tap.closes(fid -> fid == 3 ? -FI_EIO : 0);
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(opened::closeAll)
        .withMessageContaining("error 5");
    assertThat(tap.closed()).containsExactly(2L);
  }
}
