package io.reactivetransfer.examples.observe;

import java.util.Map;
import java.util.TreeMap;

/** All scenarios, by the chapters of docs/observability.md that they belong to. */
final class Scenarios {

  /** Opens one. */
  @FunctionalInterface
  private interface Opening {
    Scenario open(Names names) throws Exception;
  }

  private static final Map<String, Opening> ALL =
      new TreeMap<>(
          Map.of(
              "slow", SlowScenario::open,
              "stuck", StuckScenario::open,
              "lost", LostScenario::open));

  private Scenarios() {}

  /**
   * Checks the name of one.
   *
   * @throws IllegalArgumentException if there is none of this name
   */
  static void require(String name) {
    opening(name);
  }

  /** One whose engines run. */
  static Scenario open(String name, Names names) throws Exception {
    return opening(name).open(names);
  }

  private static Opening opening(String name) {
    Opening opening = ALL.get(name);
    if (opening == null) {
      throw new IllegalArgumentException(
          "expected one of " + String.join(", ", ALL.keySet()) + ", got " + name);
    }
    return opening;
  }
}
