package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** All Java that the documents and the comments of classes show is compiled in this build. */
class SnippetsTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path DOCS = ROOT.resolve("docs");

  /** What was decided once stays as it was written. */
  private static final Path DECISIONS = DOCS.resolve("decisions");

  /** How many there are at least. */
  private static final int PAGES_WITH_JAVA = 16;

  private static final int CLASSES_WITH_JAVA = 16;

  private static final Pattern PRE = Pattern.compile("<pre>|@snippet");

  private static final Pattern MODULE = Pattern.compile("<module>(.*?)</module>");

  /** All files of Java, of all modules. */
  private static final List<Path> COMPILED = new ArrayList<>();

  @BeforeAll
  static void findWhatIsCompiled() throws IOException {
    List<String> modules =
        MODULE
            .matcher(Files.readString(ROOT.resolve("pom.xml")))
            .results()
            .map(module -> module.group(1))
            .toList();
    for (String module : modules) {
      for (String kind : List.of("main", "test")) {
        Path sources = ROOT.resolve(module, "src", kind, "java");
        if (Files.isDirectory(sources)) {
          COMPILED.addAll(files(sources, ".java"));
        }
      }
    }
  }

  private static List<Path> files(Path folder, String end) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(end)).sorted().toList();
    }
  }

  static List<JavaBlock> blocks() throws IOException {
    List<Path> pages = new ArrayList<>(files(DOCS, ".md"));
    pages.removeIf(page -> page.startsWith(DECISIONS));
    pages.addFirst(ROOT.resolve("README.md"));
    List<JavaBlock> blocks = new ArrayList<>();
    for (Path page : pages) {
      blocks.addAll(JavaBlock.of(ROOT.relativize(page), Files.readAllLines(page)));
    }
    for (Path file : COMPILED) {
      blocks.addAll(JavaBlock.ofComments(ROOT.relativize(file), Files.readAllLines(file)));
    }
    return blocks;
  }

  @ParameterizedTest
  @MethodSource("blocks")
  void isCompiled(JavaBlock block) throws IOException {
    assertThat(complaint(block)).isEmpty();
  }

  @Test
  void pagesAndClassesAreFound() throws IOException {
    Map<Boolean, Set<Path>> found =
        blocks().stream()
            .collect(
                Collectors.partitioningBy(
                    JavaBlock::isOfComment,
                    Collectors.mapping(JavaBlock::page, Collectors.toSet())));
    assertThat(found.get(false)).hasSizeGreaterThanOrEqualTo(PAGES_WITH_JAVA);
    assertThat(found.get(true)).hasSizeGreaterThanOrEqualTo(CLASSES_WITH_JAVA);
  }

  /** Or a block that is laid out in another way would be looked at by nobody. */
  @Test
  void codeInCommentsIsFoundWhereverItStands() throws IOException {
    int tags = 0;
    for (Path file : COMPILED) {
      if (!file.endsWith("JavaBlock.java") && !file.endsWith("SnippetsTest.java")) {
        tags += PRE.split(Files.readString(file), -1).length - 1;
      }
    }
    assertThat(blocks().stream().filter(JavaBlock::isOfComment)).hasSize(tags);
  }

  /** What is wrong with a block and what to do about it, if anything is. */
  private static Optional<String> complaint(JavaBlock block) throws IOException {
    String begins = "%s begins with%n%n%s%n%n".formatted(block, block.beginning());
    if (block.isFile()) {
      return isFileThatIsCompiled(block)
          ? Optional.empty()
          : Optional.of(
              begins
                  + "and is no file of a module, to the letter: change the file that it is to be,"
                  + " in src/main/java or src/test/java, and copy all of it");
    }
    return isPartOf(block)
        ? Optional.empty()
        : Optional.of(
            begins
                + "and is not compiled: write these lines into "
                + name(block.page())
                + "Snippets.java, in examples/src/test/java/io/reactivetransfer/examples/snippets"
                + " or in the src/test/java of the module that has the classes");
  }

  private static boolean isFileThatIsCompiled(JavaBlock block) throws IOException {
    for (Path file : COMPILED) {
      if (file.getParent().endsWith(block.folder())
          && Files.readString(file).equals(block.code())) {
        return true;
      }
    }
    return false;
  }

  /** Whether each part of it is in one of the files that it may be in. */
  private static boolean isPartOf(JavaBlock block) throws IOException {
    List<JavaTokens> compiled = new ArrayList<>();
    for (Path file : COMPILED) {
      if (mayHave(file.getFileName().toString(), block)) {
        compiled.add(JavaTokens.of(Files.readString(file)));
      }
    }
    return block.parts().stream()
        .allMatch(part -> compiled.stream().anyMatch(file -> file.contains(part)));
  }

  /** What a comment shows may stand in a page, too. */
  private static boolean mayHave(String file, JavaBlock block) {
    return block.isOfComment()
        ? file.endsWith("Snippets.java") || file.equals(block.className() + ".java")
        : Set.of(name(block.page()) + "Snippets.java", name(block.page()) + "DocTest.java")
            .contains(file);
  }

  /** That of kv-cache.md is KvCache; comments have one for all. */
  private static String name(Path page) {
    if (page.toString().endsWith(".java")) {
      return "Javadoc";
    }
    String name = page.getFileName().toString().replace(".md", "").toLowerCase(Locale.ROOT);
    return Arrays.stream(name.split("-"))
        .map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
        .collect(Collectors.joining());
  }

  @Test
  void filesOfSnippetsBelongToPages() throws IOException {
    Set<String> names =
        blocks().stream()
            .map(block -> name(block.page()) + "Snippets.java")
            .collect(Collectors.toSet());
    assertThat(COMPILED.stream().map(file -> file.getFileName().toString()))
        .filteredOn(file -> file.endsWith("Snippets.java"))
        .isSubsetOf(names);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          docs/security.md | ClusterSecret.of(Path.of("/etc/transfer/secret"))
          docs/security.md | secret(ClusterSecret.ofFile(Path.of("/etc/transfer/other")))
          docs/moe.md      | secret(ClusterSecret.ofFile(Path.of("/etc/transfer/secret")))
          docs/nobody.md   | secret(ClusterSecret.ofFile(Path.of("/etc/transfer/secret")))
          docs/security.md | TcpBackend backend%n  ...%nTcpBackend another
          docs/security.md | // nothing
          README.md        | package io.reactivetransfer.examples.first;
          """)
  void whatNobodyCompilesIsComplainedOf(Path page, String code) throws IOException {
    assertThat(complaint(new JavaBlock(page, 1, code.formatted()))).isPresent();
  }

  @Test
  void layoutAndCommentsAreNoCode() throws IOException {
    String code =
        "Tls . mutual( // of both\n Path.of(\"node.pem\"), /* its\n key */ Path\n...\n.host";
    assertThat(complaint(new JavaBlock(Path.of("docs/security.md"), 1, code))).isEmpty();
  }

  @Test
  void blocksAreFoundWhereverTheyStand() {
    List<String> lines =
        """
        ```text
        ~~~java
        ```
        - ~~~ Java
          int one;
          ~~~
        ```javascript
        ```
        ```java
        int two;
        """
            .lines()
            .toList();
    assertThat(JavaBlock.of(Path.of("docs/page.md"), lines))
        .extracting(block -> block + " " + block.code().strip())
        .containsExactly("docs/page.md:4 int one;", "docs/page.md:9 int two;");
  }
}
