package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectUniqueId;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.UniqueId;

/**
 * Proves that the verification of Reactive Streams reaches every publisher: one that begins without
 * {@code onSubscribe} is found. Runs that one test of each, since all of them take long.
 */
// A usual build runs the kit; that it finds what is wrong is for whoever changes it, and for a
// merge.
@Tag("merge")
class ReactiveStreamsSabotageTest {

  private static final String TEST = "required_spec109_mustIssueOnSubscribeForNonNullSubscriber";
  private static final Duration SHORT = Duration.ofMillis(700);

  /** For who begins as it should. */
  private static final Duration LONG = SabotageCheck.INNOCENT;

  static Stream<Method> publishers() {
    return Arrays.stream(ReactiveStreamsRules.class.getDeclaredMethods())
        .filter(method -> method.isAnnotationPresent(TestFactory.class));
  }

  @ParameterizedTest
  @MethodSource("publishers")
  void aSilentStartIsFound(Method publisher) {
    String[] name = publisher.getName().split("_");
    String rule = name[0].substring(1) + "." + name[1];
    Saboteur silent =
        Saboteur.engine(rule, "no onSubscribe", engine -> new SilentStart(engine, name[2]));
    assertThat(broken(silent, SHORT, publisher)).containsExactly(rule);
    assertThat(broken(Saboteur.NONE, LONG, publisher)).isEmpty();
  }

  private static List<String> broken(Saboteur saboteur, Duration signal, Method publisher) {
    int index = ReactiveStreamsRules.testNames().indexOf(TEST) + 1;
    UniqueId test =
        UniqueId.forEngine("junit-jupiter")
            .append("class", Sabotaged.class.getName())
            .append("nested-class", TransferConformance.ReactiveStreams.class.getSimpleName())
            .append("test-factory", publisher.getName() + "()")
            .append("dynamic-test", "#" + index);
    return List.copyOf(
        SabotagedRun.brokenRules(saboteur, signal, List.of(selectUniqueId(test))).keySet());
  }
}
