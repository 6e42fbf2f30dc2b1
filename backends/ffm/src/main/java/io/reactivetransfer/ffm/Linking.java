package io.reactivetransfer.ffm;

import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import java.util.NoSuchElementException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Native calls that are linked when they are first asked for, on Linux, or the reason why there are
 * none. Safe from any thread.
 */
final class Linking<T> {

  /** What linking led to: the calls, or why there are none. */
  private record Linked<T>(@Nullable T calls, Availability availability) {}

  private final String operatingSystem;
  private final Supplier<T> linking;
  private final String onLinuxOnly;
  private final String needed;
  private final String otherwise;
  private volatile @Nullable Linked<T> linked;

  /**
   * Links nothing yet.
   *
   * @param operatingSystem as the system property {@code os.name} has it
   * @param onLinuxOnly what is done by these calls, as in "threads are tied to CPUs"
   * @param needed a call that is needed, as in "sched_setaffinity"
   * @param otherwise what to do without, as in "leave the option cpu unset"
   */
  Linking(
      String operatingSystem,
      Supplier<T> linking,
      String onLinuxOnly,
      String needed,
      String otherwise) {
    this.operatingSystem = operatingSystem;
    this.linking = linking;
    this.onLinuxOnly = onLinuxOnly;
    this.needed = needed;
    this.otherwise = otherwise;
  }

  /** The same, on this operating system. */
  static <T> Linking<T> here(
      Supplier<T> linking, String onLinuxOnly, String needed, String otherwise) {
    return new Linking<>(
        System.getProperty("os.name", "unknown"), linking, onLinuxOnly, needed, otherwise);
  }

  Availability availability() {
    return linked().availability();
  }

  /**
   * The calls.
   *
   * @param attempt what they are wanted for, as in "cannot pin to CPU 3"; the beginning of the
   *     error
   * @throws BackendException if there are none
   */
  T calls(String attempt) {
    Linked<T> now = linked();
    T calls = now.calls();
    if (calls == null) {
      throw new BackendException(0, attempt + ": " + why(now.availability()));
    }
    return calls;
  }

  private static String why(Availability availability) {
    return switch (availability) {
      case Availability.Unavailable no -> no.reason() + "; " + no.remedy();
      case Availability.Available yes -> throw new IllegalStateException("available: " + yes);
    };
  }

  /** Linked once; twice does no harm if two threads are the first. */
  private Linked<T> linked() {
    Linked<T> now = linked;
    if (now == null) {
      now = link();
      linked = now;
    }
    return now;
  }

  private Linked<T> link() {
    if (!operatingSystem.equals("Linux")) {
      return none(onLinuxOnly + " on Linux only, and this is " + operatingSystem, otherwise);
    }
    try {
      return new Linked<>(linking.get(), Availability.available());
    } catch (IllegalCallerException e) {
      return none(
          "this JVM denies native access",
          "start it with --enable-native-access=ALL-UNNAMED, or " + otherwise);
    } catch (NoSuchElementException | UnsupportedOperationException e) {
      return none(
          "the C library has no " + needed + ": " + e.getMessage(),
          "use a JDK and a C library that have it, or " + otherwise);
    }
  }

  private static <T> Linked<T> none(String reason, String remedy) {
    return new Linked<>(null, Availability.unavailable(reason, remedy));
  }
}
