package io.reactivetransfer.tck;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;

/** Memory, and what an engine does with it. */
// A usual build runs the kit; that it finds what is wrong is for whoever changes it, and for a
// merge.
@Tag("merge")
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
