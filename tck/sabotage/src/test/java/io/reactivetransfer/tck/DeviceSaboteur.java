package io.reactivetransfer.tck;

import io.reactivetransfer.Device;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.StagingBuffer;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Access to {@link FakeCards} with exactly one defect.
 *
 * @param rule the one rule that the defect breaks, such as {@code 28.5}
 * @param defect what is wrong
 * @param access puts it in front of what has none
 * @param entailed rules that such a defect may break as well, because they ask for more of the same
 */
record DeviceSaboteur(
    String rule, String defect, UnaryOperator<DeviceAccess> access, Set<String> entailed) {

  DeviceSaboteur(String rule, String defect, UnaryOperator<DeviceAccess> access) {
    this(rule, defect, access, Set.of());
  }

  /** One whose staging buffers have the defect. */
  static DeviceSaboteur buffer(String rule, String defect, UnaryOperator<StagingBuffer> buffer) {
    return new DeviceSaboteur(
        rule,
        defect,
        inner ->
            new ForwardingAccess(inner) {
              @Override
              public StagingBuffer stagingBuffer(Device device, long bytes) {
                return buffer.apply(super.stagingBuffer(device, bytes));
              }
            });
  }

  /** The same, which may break these rules, too. */
  DeviceSaboteur entailing(String... rules) {
    return new DeviceSaboteur(rule, defect, access, Set.of(rules));
  }

  @Override
  public String toString() {
    return rule + ": " + defect;
  }
}
