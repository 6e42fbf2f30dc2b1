package io.reactivetransfer.tck;

import java.util.List;
import java.util.stream.Stream;

/** What users see of an engine. */
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
