package io.reactivetransfer;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;

/** What an {@link EngineOptions.Builder} was told, checked. */
record EngineOptionValues(
    int nics,
    Map<Device, List<String>> deviceNics,
    int window,
    int nicDepth,
    int peerDepth,
    long peerBytes,
    int maxSubmissions,
    long minPieceBytes,
    int maxUnclaimedImms,
    int maxMessageBytes,
    int messageCredits,
    int maxWaitingMessages,
    Duration livenessDeadline,
    Duration transferDeadline,
    Duration connectTimeout,
    Duration closeTimeout,
    Duration revocationGrace,
    Duration stallThreshold,
    IdleStrategy idle,
    OptionalInt cpu,
    @Nullable Scheduler signalScheduler,
    EngineRecorder recorder)
    implements EngineOptions {

  /** Far above any sensible setting, far below what nanoseconds in 64 bits can say. */
  private static final Duration MAX_TIME = Duration.ofDays(365);

  /** Checks every bound. */
  EngineOptionValues {
    requireWithin("nics", nics, 0, Nic.MAX_PER_ENGINE);
    deviceNics = Map.copyOf(deviceNics);
    deviceNics.forEach(EngineOptionValues::requireNics);
    requireWithin("window", window, 1, 1 << 16);
    requireWithin("nicDepth", nicDepth, 1, 1 << 16);
    requireWithin("peerDepth", peerDepth, 1, 1 << 20);
    requireWithin("peerBytes", peerBytes, 1, Long.MAX_VALUE);
    requireWithin("maxSubmissions", maxSubmissions, 1, 1 << 20);
    requireWithin("minPieceBytes", minPieceBytes, 1, Long.MAX_VALUE);
    requireWithin("maxUnclaimedImms", maxUnclaimedImms, 1, 1 << 24);
    requireWithin("maxMessageBytes", maxMessageBytes, 1, 1 << 24);
    requireWithin("messageCredits", messageCredits, 1, 1 << 16);
    requireWithin("maxWaitingMessages", maxWaitingMessages, 1, 1 << 20);
    requireTime("livenessDeadline", livenessDeadline);
    requireTime("transferDeadline", transferDeadline);
    requireTime("connectTimeout", connectTimeout);
    requireTime("closeTimeout", closeTimeout);
    if (!Objects.requireNonNull(revocationGrace, "revocationGrace").isZero()) {
      requireTime("revocationGrace", revocationGrace);
    }
    requireTime("stallThreshold", stallThreshold);
    Objects.requireNonNull(idle, "idle");
    Objects.requireNonNull(cpu, "cpu");
    if (cpu.isPresent()) {
      requireWithin("cpu", cpu.getAsInt(), 0, 1 << 16);
    }
  }

  @Override
  public Builder toBuilder() {
    Builder builder =
        new Builder()
            .nics(nics)
            .window(window)
            .nicDepth(nicDepth)
            .peerDepth(peerDepth)
            .peerBytes(peerBytes)
            .maxSubmissions(maxSubmissions)
            .minPieceBytes(minPieceBytes)
            .maxUnclaimedImms(maxUnclaimedImms)
            .maxMessageBytes(maxMessageBytes)
            .messageCredits(messageCredits)
            .maxWaitingMessages(maxWaitingMessages)
            .livenessDeadline(livenessDeadline)
            .transferDeadline(transferDeadline)
            .connectTimeout(connectTimeout)
            .closeTimeout(closeTimeout)
            .revocationGrace(revocationGrace)
            .stallThreshold(stallThreshold)
            .idle(idle)
            .signalScheduler(signalScheduler)
            .recorder(recorder);
    deviceNics.forEach((device, names) -> builder.deviceNics(device, names.toArray(String[]::new)));
    return cpu.isPresent() ? builder.cpu(cpu.getAsInt()) : builder;
  }

  private static void requireNics(Device device, List<String> names) {
    if (device.equals(Device.HOST)) {
      throw new IllegalArgumentException(
          "expected deviceNics of an accelerator, got some of the host, whose memory goes over"
              + " all");
    }
    if (names.isEmpty()
        || names.size() > Nic.MAX_PER_ENGINE
        || Set.copyOf(names).size() != names.size()) {
      throw new IllegalArgumentException(
          "expected deviceNics of "
              + device
              + " with the names of 1 to "
              + Nic.MAX_PER_ENGINE
              + " NICs, no two alike, got "
              + names);
    }
  }

  private static void requireWithin(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          "expected " + name + " of " + min + " to " + max + ", got " + value);
    }
  }

  private static void requireTime(String name, Duration value) {
    Objects.requireNonNull(value, name);
    if (value.isNegative() || value.isZero() || value.compareTo(MAX_TIME) > 0) {
      throw new IllegalArgumentException(
          "expected a " + name + " above 0 and up to " + MAX_TIME + ", got " + value);
    }
  }
}
