package io.reactivetransfer.tck;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;

/** NICs, and how they are waited for. */
// A usual build runs the kit; that it finds what is wrong is for whoever changes it, and for a
// merge.
@Tag("merge")
class NicSabotageTest extends SabotageCheck {

  static final List<Saboteur> SABOTEURS =
      Stream.of(
              NicSaboteurs.ALL,
              DriverSaboteurs.ALL,
              GatherSaboteurs.ALL,
              RunSaboteurs.ALL,
              WaitSaboteurs.ALL,
              WaitSaboteurs.BLOCKING)
          .flatMap(List::stream)
          .toList();

  NicSabotageTest() {
    super(SABOTEURS);
  }
}
