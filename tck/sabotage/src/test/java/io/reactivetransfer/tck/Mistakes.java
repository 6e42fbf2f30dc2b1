package io.reactivetransfer.tck;

import io.reactivetransfer.fuzz.CapturedLog;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What no saboteur means to throw. A rule that fails of it has not met the defect, which is to be
 * found, but a mistake in the saboteur.
 */
final class Mistakes {

  private static final List<Class<? extends Exception>> ALL =
      List.of(
          NullPointerException.class,
          ClassCastException.class,
          NoSuchElementException.class,
          ConcurrentModificationException.class);

  /** What an engine says that ends because its NIC has thrown; below it, what that was. */
  private static final Pattern BROKE_DOWN =
      Pattern.compile("the worker of engine \\w+ failed; the engine closes\\R([\\w.$]+)");

  /** Two may be the cause of each other. */
  private static final int MOST_CAUSES = 50;

  private Mistakes() {}

  /** Requires that none is what a rule has failed of. */
  static void requireNone(Throwable failure) {
    Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
        .limit(MOST_CAUSES)
        .filter(cause -> isMistake(cause.getClass().getName()))
        .forEach(cause -> {
          throw new AssertionError("expected a defect, got a mistake in the saboteur", failure);
        });
  }

  /**
   * Requires that no engine has ended of one; the rule may have seen no more than that it ended.
   */
  static void requireNone(CapturedLog log) {
    Matcher engines = BROKE_DOWN.matcher(log.text());
    while (engines.find()) {
      if (isMistake(engines.group(1))) {
        throw new AssertionError(
            "expected a defect, got a mistake in the saboteur (its stack is in the log): "
                + engines.group(1));
      }
    }
  }

  private static boolean isMistake(String type) {
    return ALL.stream().map(Class::getName).anyMatch(type::equals);
  }
}
