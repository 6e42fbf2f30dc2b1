package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.launcher.TagFilter.excludeTags;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The kit accuses no backend that does what it may. A usual build runs it on one that does all of
 * it; {@code -DsabotageAll=true}, as the nightly build has it, on one for each peculiarity, too.
 */
@Timeout(600)
class PeculiarityTest {

  static List<Peculiarity> peculiarities() {
    return SabotageCheck.ALL
        ? Stream.concat(Stream.of(Peculiarity.TOGETHER), Peculiarity.ALONE.stream()).toList()
        : List.of(Peculiarity.TOGETHER);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("peculiarities")
  void breaksNoRule(Peculiarity peculiarity) {
    Saboteur innocent = Saboteur.backend("none", peculiarity.what(), peculiarity::on);
    assertThat(
            SabotagedRun.brokenRules(
                innocent,
                SabotageCheck.INNOCENT,
                selectClass(Sabotaged.class),
                excludeTags(ReactiveStreamsRules.TAG)))
        .isEmpty();
  }
}
