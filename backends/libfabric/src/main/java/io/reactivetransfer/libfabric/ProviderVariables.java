package io.reactivetransfer.libfabric;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Variables of the process's environment that let a provider do what cannot be ended from here:
 * where they are on, the provider is not used.
 */
final class ProviderVariables {

  private static final String IO_URING = "FI_TCP_IO_URING";
  private static final String ZERO_COPY = "FI_TCP_ZEROCOPY_SIZE";
  private static final String EFA_SHM = "FI_EFA_ENABLE_SHM_TRANSFER";
  private static final String MR_CACHE = "FI_MR_CACHE_MAX_COUNT";

  /** What they are set to, unless they are set: the defaults of a provider may change. */
  static final Map<String, String> OFF = Map.of(IO_URING, "0", EFA_SHM, "0", MR_CACHE, "0");

  private static final Set<String> NO = Set.of("0", "false", "no", "off");

  private ProviderVariables() {}

  /**
   * Why a provider is not used.
   *
   * @param environment what native code finds under a name
   */
  static Optional<String> refusal(String provider, Function<String, Optional<String>> environment) {
    return switch (provider) {
      case Provider.TCP, Provider.RXM_OVER_TCP ->
          on(IO_URING, environment)
              .map(value ->
                  text(
                      IO_URING + "=" + value,
                      "the kernel goes on reading and writing memory after its endpoint was closed",
                      "0"))
              .or(() ->
                  environment
                      .apply(ZERO_COPY)
                      .filter(value -> !value.strip().startsWith("-"))
                      .map(value ->
                          text(
                              ZERO_COPY + "=" + value,
                              "the kernel goes on reading memory after its endpoint was closed",
                              "-1")));
      case Provider.EFA ->
          on(EFA_SHM, environment)
              .map(value ->
                  text(
                      EFA_SHM + "=" + value,
                      "processes of one machine then write by shm, which looks at no registration",
                      "0"));
      case Provider.VERBS, "verbs" ->
          environment
              .apply(MR_CACHE)
              .filter(value -> !value.strip().equals("0"))
              .map(value ->
                  text(
                      MR_CACHE + "=" + value,
                      "what was registered stays open to others when its registration has ended",
                      "0"));
      default -> Optional.empty();
    };
  }

  private static Optional<String> on(String name, Function<String, Optional<String>> environment) {
    return environment.apply(name).filter(value -> !NO.contains(value.toLowerCase(Locale.ROOT)));
  }

  private static String text(String setting, String consequence, String off) {
    return "the process has "
        + setting
        + ": "
        + consequence
        + "; set it to "
        + off
        + ", or unset it, before this JVM starts";
  }
}
