package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.reactivetransfer.tck.ProcessConformance;
import io.reactivetransfer.tck.TransferConformance;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a build can say of the tests that run in the guest only. */
class GuestTest {

  private static final Path CHECK = Path.of("src/it/check");

  @Test
  void testsOverRealVerbsAreNotOfTheBuild() {
    abort(
        "not run by this build: backends/ibverbs/src/it/check runs the tests over real verbs, in a"
            + " guest that needs QEMU");
  }

  /** A chapter that is not there would be left out without a word. */
  @Test
  void theCheckNamesChaptersAndRulesThatThereAre() throws IOException {
    List<String> chapters =
        Stream.of(TransferConformance.class.getDeclaredClasses())
            .map(Class::getSimpleName)
            .toList();
    Set<String> rules = new HashSet<>(methods(ProcessConformance.class));
    for (Class<?> chapter : TransferConformance.class.getDeclaredClasses()) {
      methods(chapter).forEach(rule -> rules.add(chapter.getSimpleName() + "#" + rule));
    }
    for (String named : named("^chapters=\\(([^)]*)\\)$").getFirst().split("\\s+")) {
      assertThat(named.contains("#") ? rules : chapters).contains(named);
    }
    assertThat(named("\\$process#(r\\d\\w+)")).isNotEmpty().isSubsetOf(rules);
  }

  private static List<String> named(String pattern) throws IOException {
    return Pattern.compile(pattern, Pattern.MULTILINE)
        .matcher(Files.readString(CHECK))
        .results()
        .map(result -> result.group(1))
        .toList();
  }

  private static List<String> methods(Class<?> type) {
    List<String> names = new ArrayList<>();
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      Stream.of(each.getDeclaredMethods()).map(Method::getName).forEach(names::add);
    }
    return names;
  }
}
