package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Links of the documents lead somewhere, and to every page there is one. */
class LinksTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path DOCS = ROOT.resolve("docs");
  private static final String INDEX = "README.md";

  private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```");
  private static final Pattern CODE = Pattern.compile("`[^`\\n]*`");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.*?)\\s*$");

  static Stream<Path> documents() throws IOException {
    try (Stream<Path> pages = Files.walk(DOCS)) {
      List<Path> all = new ArrayList<>(pages.filter(LinksTest::isPage).sorted().toList());
      Stream.of(INDEX, "CONTRIBUTING.md", "CHANGELOG.md", ".github/SECURITY.md")
          .map(ROOT::resolve)
          .forEach(all::add);
      return all.stream();
    }
  }

  private static boolean isPage(Path file) {
    return file.toString().endsWith(".md");
  }

  /** What its links within this repository name. */
  private static List<String> links(Path document) throws IOException {
    String prose = FENCED.matcher(Files.readString(document)).replaceAll("");
    return LINK.matcher(CODE.matcher(prose).replaceAll(""))
        .results()
        .map(link -> link.group(1))
        .filter(link -> !ELSEWHERE.matcher(link).matches())
        .toList();
  }

  /** The file that a link leads to. */
  private static Path file(Path document, String link) {
    String path = link.replaceAll("#.*", "");
    return path.isEmpty() ? document : document.resolveSibling(path).normalize();
  }

  /** Those that GitHub gives to the headings: of several that are alike, all but one a number. */
  private static Set<String> anchors(Path document) throws IOException {
    String text = FENCED.matcher(Files.readString(document)).replaceAll("");
    Set<String> anchors = new TreeSet<>();
    Map<String, Integer> before = new HashMap<>();
    HEADING
        .matcher(text)
        .results()
        .map(heading -> anchor(heading.group(1)))
        .forEach(anchor -> {
          int count = before.merge(anchor, 1, Integer::sum) - 1;
          anchors.add(count == 0 ? anchor : anchor + "-" + count);
        });
    return anchors;
  }

  private static String anchor(String heading) {
    return heading
        .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N}_\\- ]", "")
        .replace(' ', '-');
  }

  @ParameterizedTest
  @CsvSource({
    "What `submit` costs,what-submit-costs",
    "8. A failure tells the target,8-a-failure-tells-the-target",
    "[libfabric](x.md) - a_b,libfabric---a_b"
  })
  void headingsHaveTheAnchorsOfGitHub(String heading, String anchor) {
    assertThat(anchor(heading)).isEqualTo(anchor);
  }

  @ParameterizedTest
  @MethodSource("documents")
  void itsLinksLeadSomewhere(Path document) throws IOException {
    for (String link : links(document)) {
      Path file = file(document, link);
      assertThat(file).as(link).exists().startsWith(ROOT);
      int hash = link.indexOf('#');
      if (hash >= 0 && isPage(file)) {
        assertThat(anchors(file)).as(link).contains(link.substring(hash + 1));
      }
    }
  }

  /** From the index, or from that of its folder, to which there is a link in the index. */
  @Test
  void everyPageIsInTheIndex() throws IOException {
    Path index = DOCS.resolve(INDEX);
    Set<Path> linked = new TreeSet<>(Set.of(index));
    for (String link : links(index)) {
      linked.add(file(index, link));
    }
    for (Path page : List.copyOf(linked)) {
      if (page.startsWith(DOCS) && page.endsWith(INDEX)) {
        for (String link : links(page)) {
          linked.add(file(page, link));
        }
      }
    }
    try (Stream<Path> pages = Files.walk(DOCS)) {
      assertThat(linked).containsAll(pages.filter(LinksTest::isPage).toList());
    }
  }
}
