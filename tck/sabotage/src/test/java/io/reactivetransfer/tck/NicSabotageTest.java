package io.reactivetransfer.tck;

import java.util.List;
import java.util.stream.Stream;

/** NICs, and how they are waited for. */
class NicSabotageTest extends SabotageCheck {

  static final List<Saboteur> SABOTEURS =
      Stream.of(
              NicSaboteurs.ALL,
              DriverSaboteurs.ALL,
              RunSaboteurs.ALL,
              WaitSaboteurs.ALL,
              WaitSaboteurs.BLOCKING)
          .flatMap(List::stream)
          .toList();

  NicSabotageTest() {
    super(SABOTEURS);
  }
}
