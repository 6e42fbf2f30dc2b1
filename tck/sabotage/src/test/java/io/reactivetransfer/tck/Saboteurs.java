package io.reactivetransfer.tck;

import java.util.List;
import java.util.stream.Stream;

/** All saboteurs: those that a test tries, and so no other. */
final class Saboteurs {

  static final List<Saboteur> ALL =
      Stream.of(
              NicSabotageTest.SABOTEURS,
              ConnectionSabotageTest.SABOTEURS,
              MemorySabotageTest.SABOTEURS,
              EngineSabotageTest.SABOTEURS)
          .flatMap(List::stream)
          .toList();

  private Saboteurs() {}
}
