package io.reactivetransfer.tck;

import java.util.List;
import java.util.stream.Stream;

/** All saboteurs. */
final class Saboteurs {

  static final List<Saboteur> ALL =
      Stream.of(
              NicSaboteurs.ALL,
              DriverSaboteurs.ALL,
              WaitSaboteurs.ALL,
              ReportSaboteurs.ALL,
              ConnectionSaboteurs.ALL,
              SizeSaboteurs.ALL,
              HalfWaySaboteurs.ALL,
              MemorySaboteurs.ALL,
              UseSaboteurs.ALL,
              CounterSaboteurs.ALL,
              RegionSaboteurs.ALL,
              RevocationSaboteurs.ALL,
              ControlSaboteurs.ALL,
              StreamSaboteurs.ALL,
              EngineSaboteurs.ALL,
              EndingSaboteurs.ALL)
          .flatMap(List::stream)
          .toList();

  private Saboteurs() {}
}
