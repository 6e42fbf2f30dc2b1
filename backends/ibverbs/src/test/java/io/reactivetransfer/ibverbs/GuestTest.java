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

  /** What is not there would be left out without a word. */
  @Test
  void theCheckNamesTestsThatThereAre() throws IOException {
    Set<String> known = new HashSet<>();
    for (Class<?> chapter : TransferConformance.class.getDeclaredClasses()) {
      addTo(known, chapter.getSimpleName(), chapter);
    }
    addTo(known, "IbverbsProcessConformanceIT", ProcessConformance.class);
    addTo(known, "IbverbsLinkIT", IbverbsLinkIT.class);
    addTo(known, "IbverbsLossIT", IbverbsLossIT.class);
    List<String> named =
        Pattern.compile("^select_tests (.*)$", Pattern.MULTILINE)
            .matcher(Files.readString(CHECK).replace("\\\n", ""))
            .results()
            .flatMap(result -> Stream.of(result.group(1).strip().split("\\s+")))
            .toList();
    assertThat(named)
        .contains("Driver", "IbverbsLossIT")
        .anyMatch(each -> each.startsWith("IbverbsProcessConformanceIT#r"))
        .isSubsetOf(known);
  }

  private static void addTo(Set<String> known, String name, Class<?> type) {
    known.add(name);
    methods(type).forEach(method -> known.add(name + "#" + method));
  }

  private static List<String> methods(Class<?> type) {
    List<String> names = new ArrayList<>();
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      Stream.of(each.getDeclaredMethods()).map(Method::getName).forEach(names::add);
    }
    return names;
  }
}
