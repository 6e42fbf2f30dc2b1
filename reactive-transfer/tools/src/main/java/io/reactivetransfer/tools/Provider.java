package io.reactivetransfer.tools;

import org.jspecify.annotations.Nullable;

/** Which provider of libfabric carries it; other backends have none. */
public final class Provider {

  /** What the backend is told it by. */
  public static final String PROPERTY = "reactivetransfer.libfabric.provider";

  private static final String BACKEND = "libfabric";

  private Provider() {}

  /**
   * What {@code --provider} says, or null if it is not there.
   *
   * @throws IllegalArgumentException if the backend has none, or it is no name
   */
  public static @Nullable String of(String backend, @Nullable String provider) {
    if (provider == null) {
      return null;
    }
    if (!backend.equals(BACKEND)) {
      throw new IllegalArgumentException(
          "expected --provider with --backend " + BACKEND + " only, got --backend " + backend);
    }
    if (provider.isBlank()) {
      throw new IllegalArgumentException(
          "expected --provider with a name that fi_info lists, such as tcp, got a blank");
    }
    return provider;
  }

  /** Both for people. */
  public static String carrier(String backend, @Nullable String provider) {
    return provider == null ? backend : backend + " (" + provider + ")";
  }

  /** Has the engines of this process use it; null leaves the choice to the backend. */
  public static void use(@Nullable String provider) {
    if (provider != null) {
      System.setProperty(PROPERTY, provider);
    }
  }
}
