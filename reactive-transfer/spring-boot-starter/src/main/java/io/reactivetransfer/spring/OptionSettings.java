package io.reactivetransfer.spring;

import io.reactivetransfer.Device;
import io.reactivetransfer.EngineOptions;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Sets options of an engine by properties, each checked by the engine's own bounds. */
final class OptionSettings {

  private final PropertyCheck check;
  private final EngineOptions.Builder options = EngineOptions.builder();

  private OptionSettings(PropertyCheck check) {
    this.check = check;
  }

  /**
   * The defaults, and what was set.
   *
   * @throws EngineConfigurationException for the first that is out of its bounds
   */
  static EngineOptions.Builder of(OptionProperties from, PropertyCheck check) {
    OptionSettings to = new OptionSettings(check);
    to.set("nics", from.getNics(), EngineOptions.Builder::nics);
    from.getDeviceNics().forEach(to::setDeviceNics);
    to.set("window", from.getWindow(), EngineOptions.Builder::window);
    to.set("nic-depth", from.getNicDepth(), EngineOptions.Builder::nicDepth);
    to.set("peer-depth", from.getPeerDepth(), EngineOptions.Builder::peerDepth);
    to.set("peer-bytes", bytes(from.getPeerBytes()), EngineOptions.Builder::peerBytes);
    to.set("max-submissions", from.getMaxSubmissions(), EngineOptions.Builder::maxSubmissions);
    to.set("min-piece-bytes", bytes(from.getMinPieceBytes()), EngineOptions.Builder::minPieceBytes);
    to.set(
        "max-unclaimed-imms", from.getMaxUnclaimedImms(), EngineOptions.Builder::maxUnclaimedImms);
    to.set(
        "max-message-bytes",
        bytes(from.getMaxMessageBytes()),
        (options, bytes) -> options.maxMessageBytes(Math.clamp(bytes, 0, Integer.MAX_VALUE)));
    to.set("message-credits", from.getMessageCredits(), EngineOptions.Builder::messageCredits);
    to.set(
        "max-waiting-messages",
        from.getMaxWaitingMessages(),
        EngineOptions.Builder::maxWaitingMessages);
    to.set(
        "liveness-deadline", from.getLivenessDeadline(), EngineOptions.Builder::livenessDeadline);
    to.set(
        "transfer-deadline", from.getTransferDeadline(), EngineOptions.Builder::transferDeadline);
    to.set("connect-timeout", from.getConnectTimeout(), EngineOptions.Builder::connectTimeout);
    to.set("close-timeout", from.getCloseTimeout(), EngineOptions.Builder::closeTimeout);
    to.set("revocation-grace", from.getRevocationGrace(), EngineOptions.Builder::revocationGrace);
    to.set("cpu", from.getCpu(), EngineOptions.Builder::cpu);
    to.setIdle(from.getIdle());
    return to.options;
  }

  /** All that was set before is within its bounds, so what is refused is this. */
  private <T> void set(
      String property,
      @Nullable T value,
      BiFunction<EngineOptions.Builder, T, EngineOptions.Builder> setter) {
    check.set(
        property,
        value,
        set -> {
          EngineOptions ignored = setter.apply(options, set).build();
        });
  }

  private void setDeviceNics(String device, List<String> names) {
    set(
        "device-nics[" + device + "]",
        names,
        (options, nics) -> options.deviceNics(deviceOf(device), nics.toArray(String[]::new)));
  }

  private static Device deviceOf(String text) {
    int colon = text.lastIndexOf(':');
    String ordinal = text.substring(colon + 1);
    if (colon < 0 || !ordinal.matches("[0-9]{1,9}")) {
      throw new IllegalArgumentException(
          "expected a device as kind:ordinal in brackets, such as [cuda:0], got '" + text + "'");
    }
    return Device.of(text.substring(0, colon), Integer.parseInt(ordinal));
  }

  private void setIdle(IdleProperties from) {
    set(
        "idle.spins",
        from.getSpins(),
        (options, spins) -> options.idle(options.build().idle().withSpins(spins)));
    set(
        "idle.min-park",
        from.getMinPark(),
        (options, park) -> {
          var idle = options.build().idle();
          var longest = from.getMaxPark();
          return options.idle(idle.withParks(park, longest == null ? idle.maxPark() : longest));
        });
    set(
        "idle.max-park",
        from.getMaxPark(),
        (options, park) -> {
          var idle = options.build().idle();
          return options.idle(idle.withParks(idle.minPark(), park));
        });
  }

  private static @Nullable Long bytes(@Nullable DataSize size) {
    return size == null ? null : size.toBytes();
  }
}
