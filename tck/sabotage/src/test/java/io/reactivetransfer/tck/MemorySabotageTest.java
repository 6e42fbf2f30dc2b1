package io.reactivetransfer.tck;

import java.util.List;
import java.util.stream.Stream;

/** Memory, and what an engine does with it. */
class MemorySabotageTest extends SabotageCheck {

  static final List<Saboteur> SABOTEURS =
      Stream.of(
              HalfWaySaboteurs.ALL,
              MemorySaboteurs.ALL,
              UseSaboteurs.ALL,
              RegionSaboteurs.ALL,
              RevocationSaboteurs.ALL)
          .flatMap(List::stream)
          .toList();

  MemorySabotageTest() {
    super(SABOTEURS);
  }
}
