package io.reactivetransfer.tck;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;

/** What users see of an engine. */
// A usual build runs the kit; that it finds what is wrong is for whoever changes it, and for a
// merge.
@Tag("merge")
class EngineSabotageTest extends SabotageCheck {

  static final List<Saboteur> SABOTEURS =
      Stream.of(
              CounterSaboteurs.ALL,
              StreamSaboteurs.ALL,
              EngineSaboteurs.ALL,
              EndingSaboteurs.ALL,
              FigureSaboteurs.ALL,
              TalkSaboteurs.ALL)
          .flatMap(List::stream)
          .toList();

  EngineSabotageTest() {
    super(SABOTEURS);
  }
}
