package io.reactivetransfer.tck;

import java.util.List;
import java.util.stream.Stream;

/** What NICs say, their connections, and how much they carry. */
class ConnectionSabotageTest extends SabotageCheck {

  static final List<Saboteur> SABOTEURS =
      Stream.of(
              ReportSaboteurs.ALL, ConnectionSaboteurs.ALL, SizeSaboteurs.ALL, ControlSaboteurs.ALL)
          .flatMap(List::stream)
          .toList();

  ConnectionSabotageTest() {
    super(SABOTEURS);
  }
}
