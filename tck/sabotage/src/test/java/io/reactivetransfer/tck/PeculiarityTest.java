package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedClass;
import static org.junit.platform.launcher.TagFilter.excludeTags;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.DiscoverySelector;

/**
 * The kit accuses no backend that does what it may. A usual build runs the chapters that give NICs
 * much to do on one that does all of it; {@code -DsabotageAll=true}, as the nightly build has it,
 * the whole kit on that one, and on one for each peculiarity, too.
 */
// A usual build has the kit on NICs without such peculiarities.
@Tag("merge")
@Timeout(600)
class PeculiarityTest {

  private static final List<Class<?>> CHAPTERS =
      List.of(
          TransferConformance.Visibility.class,
          TransferConformance.Quiet.class,
          TransferConformance.LostPeer.class,
          TransferConformance.Revocation.class,
          TransferConformance.Counting.class,
          TransferConformance.DriverLimit.class,
          TransferConformance.DriverWait.class,
          TransferConformance.DriverReport.class);

  private static List<? extends DiscoverySelector> chapters() {
    return SabotageCheck.ALL
        ? List.of(selectClass(Sabotaged.class))
        : CHAPTERS.stream()
            .map(chapter -> selectNestedClass(List.of(Sabotaged.class), chapter))
            .toList();
  }

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
                chapters(),
                excludeTags(ReactiveStreamsRules.TAG)))
        .isEmpty();
  }
}
