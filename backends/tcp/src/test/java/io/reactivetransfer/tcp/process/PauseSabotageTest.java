package io.reactivetransfer.tcp.process;

import java.lang.reflect.Method;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** As {@link ProcessSabotageTest}, for what stops this process too: nothing runs beside it. */
// A usual build runs the rules about processes; that they find what is wrong is shown before a
// merge.
@Tag("merge")
class PauseSabotageTest {

  static Stream<Method> rules() {
    return ProcessSabotageTest.rules().filter(ProcessSabotageTest::stopsThisProcess);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rules")
  void aRuleFindsItsSaboteur(Method rule) {
    ProcessSabotageTest.assertFound(rule);
  }
}
