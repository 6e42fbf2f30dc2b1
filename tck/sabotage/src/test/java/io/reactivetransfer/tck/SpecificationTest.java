package io.reactivetransfer.tck;

import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * The specification, the kit and the saboteurs name the same rules, and the guide shows a real
 * test.
 */
class SpecificationTest {

  private static final Path ROOT = Path.of("../..");
  private static final Pattern RULE = Pattern.compile("\\*\\*(\\d+\\.\\d+)\\*\\*");
  private static final Pattern TEST = Pattern.compile("r(\\d+)_(\\d+)_\\w+");

  /** What the specification says under each rule. */
  private static Map<String, String> rules() throws IOException {
    String text = Files.readString(ROOT.resolve("docs/specification.md"));
    Map<String, String> rules = new LinkedHashMap<>();
    Matcher rule = RULE.matcher(text);
    String name = null;
    int begin = 0;
    while (rule.find()) {
      if (name != null) {
        rules.put(name, text.substring(begin, rule.start()));
      }
      name = rule.group(1);
      begin = rule.end();
    }
    rules.put(String.valueOf(name), text.substring(begin));
    return rules;
  }

  /** The classes that JUnit finds, each with the rules of its superclass. */
  private static Stream<Class<?>> groups() {
    return Stream.of(TransferConformance.class, DeviceConformance.class)
        .flatMap(kit -> Arrays.stream(kit.getDeclaredClasses()))
        .filter(group -> group.isAnnotationPresent(Nested.class));
  }

  private static Stream<Method> ruleMethods() {
    return Stream.concat(
            groups().map(Class::getSuperclass),
            Stream.of(ProcessConformance.class, AddressRules.class))
        .flatMap(group -> Arrays.stream(group.getDeclaredMethods()))
        .filter(method -> TEST.matcher(method.getName()).matches());
  }

  private static String ruleOf(Method method) {
    Matcher test = TEST.matcher(method.getName());
    assertThat(test.matches()).isTrue();
    return test.group(1) + "." + test.group(2);
  }

  @Test
  void everyRuleHasATestAndEveryTestARule() throws IOException {
    Set<String> tested = ruleMethods().map(SpecificationTest::ruleOf).collect(toSet());
    assertThat(tested).hasSizeGreaterThan(80).isEqualTo(rules().keySet());
  }

  @Test
  void everyRuleHasASaboteurOrSaysWhyNot() throws IOException {
    Set<String> expected =
        rules().entrySet().stream()
            .filter(rule -> !rule.getValue().contains("*No saboteur:*"))
            .map(Map.Entry::getKey)
            .filter(rule -> !rule.startsWith("18.")) // see ReactiveStreamsSabotageTest
            .filter(rule -> !rule.startsWith("25.")) // see ProcessSabotageTest of the backend tcp
            .collect(toCollection(TreeSet::new));
    assertThat(
            Stream.concat(
                    Saboteurs.ALL.stream().map(Saboteur::rule),
                    DeviceSabotageTest.SABOTEURS.stream().map(DeviceSaboteur::rule))
                .collect(toSet()))
        .isEqualTo(expected);
  }

  @Test
  void noRuleCanBeOverridden() {
    assertThat(groups()).hasSize(35 + 8).allMatch(group -> Modifier.isFinal(group.getModifiers()));
    assertThat(ruleMethods()).allMatch(method -> Modifier.isFinal(method.getModifiers()));
  }
}
