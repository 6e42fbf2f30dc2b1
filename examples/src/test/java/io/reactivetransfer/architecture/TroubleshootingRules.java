package io.reactivetransfer.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever meets an exception finds it in docs/troubleshooting.md, and finds nothing else there. */
abstract class TroubleshootingRules {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path DOCS = ROOT.resolve("docs");
  private static final Path DOC = DOCS.resolve("troubleshooting.md");

  /** A heading of one word, and the class in full at the beginning of what stands below it. */
  private static final Pattern ENTRY =
      Pattern.compile("^### (\\w+)\\n\\n(?:`([\\w.]+)`)?", Pattern.MULTILINE);

  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]*)(?:#([^)\\s]*))?\\)");
  private static final Pattern CODE = Pattern.compile("```.*?```", Pattern.DOTALL);
  private static final Pattern HEADING = Pattern.compile("^#{1,6} (.+)$", Pattern.MULTILINE);

  /** What an entry says, by its heading. */
  private record Entry(String heading, String className) {}

  private static List<Entry> entries() throws IOException {
    List<Entry> entries = new ArrayList<>();
    Matcher entry = ENTRY.matcher(Files.readString(DOC));
    while (entry.find()) {
      entries.add(new Entry(entry.group(1), String.valueOf(entry.group(2))));
    }
    return entries;
  }

  /** As they are written in code: an inner class behind a dot. */
  private static Set<String> publicExceptions() {
    return Production.CLASSES.stream()
        .filter(each -> !each.getPackageName().startsWith("io.reactivetransfer.examples"))
        .filter(TroubleshootingRules::isThrowable)
        .filter(each -> each.getModifiers().contains(JavaModifier.PUBLIC))
        .map(JavaClass::getName)
        .map(name -> name.replace('$', '.'))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The classes of others, of which the JDK's matter here, are not among those that were read. */
  private static boolean isThrowable(JavaClass type) {
    JavaClass above = type;
    while (above.getPackageName().startsWith("io.reactivetransfer")) {
      Optional<JavaClass> next = above.getRawSuperclass();
      if (next.isEmpty()) {
        return false;
      }
      above = next.get();
    }
    return above.getName().startsWith("java.") && Throwable.class.isAssignableFrom(above.reflect());
  }

  @Test
  void eachPublicExceptionHasAnEntryAndEachEntryIsOfOne() throws IOException {
    Set<String> exceptions = publicExceptions();
    assertThat(exceptions)
        .contains(
            "io.reactivetransfer.TransferException",
            "io.reactivetransfer.spi.BackendException",
            "io.reactivetransfer.kvcache.HandOverException",
            "io.reactivetransfer.tck.process.EngineProcess.Refused");
    assertThat(entries().stream().map(Entry::className))
        .containsExactlyInAnyOrderElementsOf(exceptions);
  }

  /** So that the anchor of each is its simple name, in small letters. */
  @Test
  void eachEntryIsCalledAsItsClass() throws IOException {
    assertThat(entries())
        .allSatisfy(entry -> assertThat(entry.className()).endsWith("." + entry.heading()));
    assertThat(entries().stream().map(Entry::heading)).doesNotHaveDuplicates();
  }

  /** As the last sentence of what its Javadoc says. */
  @ParameterizedTest
  @MethodSource("publicExceptions")
  void eachPublicExceptionNamesItsEntry(String className) throws IOException {
    String simpleName = className.substring(className.lastIndexOf('.') + 1);
    Pattern javadoc =
        Pattern.compile(
            "\\n *\\* <p>What to do about it: docs/troubleshooting\\.md, section (\\w+)\\.\\n *\\*/"
                + "(?:\\s*@[^\\n]*)*\\s*public [a-z ]*class "
                + simpleName
                + "\\b");
    Matcher found = javadoc.matcher(Files.readString(source(className)));
    assertThat(found.find())
        .as("Javadoc of %s ends with 'What to do about it: ...'", className)
        .isTrue();
    assertThat(found.group(1)).isEqualTo(simpleName);
  }

  /** That of the class, or of the one that it is within. */
  private static Path source(String className) throws IOException {
    String outermost = className.replaceAll("(\\.[A-Z]\\w*).*", "$1");
    String file = "src/main/java/" + outermost.replace('.', '/') + ".java";
    List<Path> found = new ArrayList<>();
    for (String folder : List.of("reactive-transfer", "backends", "tck")) {
      try (Stream<Path> modules = Files.list(ROOT.resolve(folder))) {
        modules.map(module -> module.resolve(file)).filter(Files::exists).forEach(found::add);
      }
    }
    assertThat(found).as(file).hasSize(1);
    return found.getFirst();
  }

  @ParameterizedTest
  @ValueSource(strings = {"troubleshooting.md", "compatibility.md"})
  void itsLinksLeadSomewhere(String name) throws IOException {
    Path doc = DOCS.resolve(name);
    Matcher link = LINK.matcher(CODE.matcher(Files.readString(doc)).replaceAll(""));
    int links = 0;
    while (link.find()) {
      Path to = link.group(1).isEmpty() ? doc : doc.resolveSibling(link.group(1)).normalize();
      assertThat(to).exists();
      String anchor = link.group(2);
      if (anchor != null) {
        assertThat(anchors(to)).as("anchors of %s", to.getFileName()).contains(anchor);
      }
      links++;
    }
    assertThat(links).isPositive();
  }

  /** As GitHub makes them of headings: of several that are alike, the later ones are numbered. */
  private static Set<String> anchors(Path doc) throws IOException {
    Set<String> anchors = new TreeSet<>();
    Map<String, Integer> alike = new HashMap<>();
    Matcher heading = HEADING.matcher(CODE.matcher(Files.readString(doc)).replaceAll(""));
    while (heading.find()) {
      String anchor =
          heading
              .group(1)
              .toLowerCase(Locale.ROOT)
              .replaceAll("[^\\p{L}\\p{N} _-]", "")
              .replace(' ', '-');
      int before = alike.merge(anchor, 1, Integer::sum) - 1;
      anchors.add(before == 0 ? anchor : anchor + "-" + before);
    }
    return anchors;
  }
}
