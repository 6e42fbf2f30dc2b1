package io.reactivetransfer.config;

import io.reactivetransfer.Device;
import io.reactivetransfer.EngineOptions;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Sets the options of an engine that are properties; the options themselves check the values. */
public final class OptionSettings {

  private final PropertySource from;
  private final PropertyCheck check;
  private final EngineOptions.Builder options = EngineOptions.builder();

  private OptionSettings(PropertySource from, PropertyCheck check) {
    this.from = from;
    this.check = check;
  }

  /**
   * The defaults, and what was set.
   *
   * @throws EngineConfigurationException for the first that is out of its bounds
   */
  public static EngineOptions.Builder read(PropertySource from, PropertyCheck check) {
    OptionSettings to = new OptionSettings(from, check);
    to.number("nics", EngineOptions.Builder::nics);
    from.lists("device-nics").forEach(to::deviceNics);
    to.number("window", EngineOptions.Builder::window);
    to.number("nic-depth", EngineOptions.Builder::nicDepth);
    to.number("peer-depth", EngineOptions.Builder::peerDepth);
    to.bytes("peer-bytes", EngineOptions.Builder::peerBytes);
    to.number("max-submissions", EngineOptions.Builder::maxSubmissions);
    to.bytes("min-piece-bytes", EngineOptions.Builder::minPieceBytes);
    to.number("max-unclaimed-imms", EngineOptions.Builder::maxUnclaimedImms);
    to.bytes("max-message-bytes", (options, bytes) -> options.maxMessageBytes(messageBytes(bytes)));
    to.number("message-credits", EngineOptions.Builder::messageCredits);
    to.number("max-waiting-messages", EngineOptions.Builder::maxWaitingMessages);
    to.duration("liveness-deadline", EngineOptions.Builder::livenessDeadline);
    to.duration("transfer-deadline", EngineOptions.Builder::transferDeadline);
    to.duration("connect-timeout", EngineOptions.Builder::connectTimeout);
    to.duration("close-timeout", EngineOptions.Builder::closeTimeout);
    to.duration("revocation-grace", EngineOptions.Builder::revocationGrace);
    to.duration("stall-threshold", EngineOptions.Builder::stallThreshold);
    to.number("cpu", EngineOptions.Builder::cpu);
    to.idle();
    return to.options;
  }

  private void deviceNics(String device, List<String> names) {
    String property = "device-nics[" + device + "]";
    if (names.stream().allMatch(String::isBlank)) {
      throw check.blank(property);
    }
    set(property, names, (to, nics) -> to.deviceNics(deviceOf(device), namesOf(nics)));
  }

  private void idle() {
    number("idle.spins", (to, spins) -> to.idle(to.build().idle().withSpins(spins)));
    duration("idle.max-spin", (to, spin) -> to.idle(to.build().idle().withMaxSpin(spin)));
    Duration longest = from.duration("idle.max-park");
    duration(
        "idle.min-park",
        (to, park) -> {
          var idle = to.build().idle();
          return to.idle(idle.withParks(park, longest == null ? idle.maxPark() : longest));
        });
    duration(
        "idle.max-park",
        (to, park) -> {
          var idle = to.build().idle();
          return to.idle(idle.withParks(idle.minPark(), park));
        });
  }

  private void number(
      String property, BiFunction<EngineOptions.Builder, Integer, EngineOptions.Builder> setter) {
    set(property, from.number(property), setter);
  }

  private void bytes(
      String property, BiFunction<EngineOptions.Builder, Long, EngineOptions.Builder> setter) {
    set(property, from.bytes(property), setter);
  }

  private void duration(
      String property, BiFunction<EngineOptions.Builder, Duration, EngineOptions.Builder> setter) {
    set(property, from.duration(property), setter);
  }

  /** What the option itself cannot be given is refused in its words, with the value that came. */
  private static int messageBytes(long bytes) {
    if (bytes != (int) bytes) {
      throw new IllegalArgumentException(
          "expected maxMessageBytes of 1 to " + (1 << 24) + ", got " + bytes);
    }
    return (int) bytes;
  }

  /** All that was set before is within its bounds, so what is refused is this. */
  private <T> void set(
      String property,
      @Nullable T value,
      BiFunction<EngineOptions.Builder, T, EngineOptions.Builder> setter) {
    check.set(
        property,
        value,
        given -> {
          EngineOptions ignored = setter.apply(options, given).build();
        });
  }

  /** One that is blank is a comma too many, or a variable that was empty. */
  private static String[] namesOf(List<String> nics) {
    if (nics.stream().anyMatch(String::isBlank)) {
      throw new IllegalArgumentException(
          "expected names of NICs with commas between them, got " + nics);
    }
    return nics.toArray(String[]::new);
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
}
