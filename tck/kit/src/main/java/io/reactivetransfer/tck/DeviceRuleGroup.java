package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.DeviceMemory;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Some rules of chapter 28. As in {@link RuleGroup}, nothing of it can be overridden: the class
 * that JUnit finds is a final one within {@link DeviceConformance}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayNameGeneration(RuleNames.class)
@ExtendWith(RuleGroup.FailureTeller.class)
abstract class DeviceRuleGroup {

  /** None, one, odd ones, and around pages, parts and buffers that an access may copy by. */
  static final int[] LENGTHS = {
    0,
    1,
    3,
    7,
    8,
    65,
    4_095,
    4_096,
    4_097,
    65_535,
    65_536,
    65_537,
    (256 << 10) - 1,
    256 << 10,
    (256 << 10) + 1,
    512 << 10,
    1_100_003
  };

  private final DeviceConformance kit;
  private @Nullable DeviceGround ground;

  DeviceRuleGroup(DeviceConformance kit) {
    this.kit = kit;
  }

  @BeforeEach
  final void openGround() {
    ground = new DeviceGround(kit, RuleGroup.SEED);
  }

  @AfterEach
  final void closeGround() {
    ground().close();
  }

  /** The present test's. */
  final DeviceGround ground() {
    DeviceGround present = ground;
    if (present == null) {
      throw new IllegalStateException("expected to be within a test");
    }
    return present;
  }

  /** All bytes of the device's memory are these. */
  final void assertHolds(DeviceMemory memory, byte[] expected, String what, Object... of) {
    assertSame(ground().read(memory), expected, what, of);
  }

  /** All bytes are the same; says the first one that is not. */
  static void assertSame(byte[] actual, byte[] expected, String what, Object... of) {
    assertThat(Arrays.mismatch(actual, expected))
        .as("the first wrong byte of " + what, of)
        .isEqualTo(-1);
  }
}
