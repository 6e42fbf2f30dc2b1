package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.ibverbs.ffi.Gid;
import io.reactivetransfer.spi.Availability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What doctor prints of this backend, and that its table in the documentation has all of it. */
class RemarksTest {

  private static final int MTU_1024 = 3;
  private static final Path SOURCES = Path.of("src/main/java/io/reactivetransfer/ibverbs");
  private static final Path PAGE = Path.of("../../docs/backends/ibverbs.md");
  private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

  private final FakeVerbs fake = new FakeVerbs(3);
  private final IbverbsBackend backend =
      new IbverbsBackend(IbverbsBackend.builder(), () -> new VerbsLibrary("the fake", fake));

  @Test
  void sayWhichPortsAreUsedAndWhyOthersAreNot() {
    fake.addAddress(0, Gid.of("10.1.0.1"));
    fake.mtu(1, MTU_1024);
    fake.link(2, false);
    assertThat(backend.availability()).isInstanceOf(Availability.Available.class);
    assertThat(backend.nics()).hasSize(2);
    assertThat(backend.remarks())
        .containsExactly(
            "fake0: RoCE v2, address 10.0.0.1 (GID index 3), packets of 4096 bytes",
            "fake1: RoCE v2, address 10.0.0.2 (GID index 3), packets of 1024 bytes",
            "fake0 has a further address, 10.1.0.1 (GID index 5): for a NIC of its own, name"
                + " fake0@10.1.0.1 beside all other devices",
            "a peer that does not answer is lost after about 469 ms",
            "tried on Soft-RoCE only, on no card: try it before you trust it",
            "cannot keep: what opens memory is the card's key and a random address, which a member"
                + " of the cluster may guess, at the price of a connection for each guess",
            "not used: fake2 is not active: is its network device up, and its cable in?");
    assertThat(fake.open()).isEmpty();
    assertThat(fake.mistakes()).isEmpty();
  }

  @Test
  void sayWhyThereIsNoPortAtAll() {
    IntStream.range(0, 3).forEach(device -> fake.link(device, false));
    assertThat(backend.availability())
        .isInstanceOfSatisfying(
            Availability.Unavailable.class,
            no ->
                assertThat(no.reason())
                    .startsWith("no port can be used: fake0 is not active: ")
                    .contains("; fake2 is not active: "));
  }

  /** Each piece of a sentence in these classes, up to the builder, is in a row of the table. */
  @ParameterizedTest
  @ValueSource(strings = {"IbverbsBackend", "PortFinder", "PortName", "VerbsLibrary"})
  void areInTheTableOfTheDocumentation(String source) throws IOException {
    String table = table();
    List<String> missing =
        sentences(source).stream().filter(each -> !table.contains(each)).toList();
    assertThat(missing).as("texts that no row of %s has", PAGE).isEmpty();
  }

  /** What is in backquotes in the first column. */
  private static String table() throws IOException {
    List<String> lines = Files.readAllLines(PAGE);
    int begin = lines.indexOf("| it says | what it means, and what to do |");
    assertThat(begin).as("line before the table").isNotNegative();
    StringBuilder said = new StringBuilder();
    for (String line : lines.subList(begin + 2, lines.size())) {
      if (!line.startsWith("| ")) {
        break;
      }
      said.append(line.split("\\|")[1]).append('\n');
    }
    return said.toString();
  }

  private static List<String> sentences(String source) throws IOException {
    List<String> code = new ArrayList<>();
    for (String line : Files.readAllLines(SOURCES.resolve(source + ".java"))) {
      if (line.contains("class Builder")) {
        break;
      }
      if (!line.strip().startsWith("*")
          && !line.matches(".*(IllegalStateException|matches)\\(.*")) {
        code.add(line);
      }
    }
    String joined = String.join("\n", code).replaceAll("\"\\s*\\+\\s*\"", "");
    return LITERAL
        .matcher(joined)
        .results()
        .map(result -> result.group(1).strip())
        .filter(text -> text.contains(" "))
        .toList();
  }
}
