package io.reactivetransfer.tck;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;

/** What NICs say, their connections, and how much they carry. */
// A usual build runs the kit; that it finds what is wrong is for whoever changes it, and for a
// merge.
@Tag("merge")
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
