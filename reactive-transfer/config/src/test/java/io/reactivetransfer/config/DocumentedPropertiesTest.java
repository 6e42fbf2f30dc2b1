package io.reactivetransfer.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The table of docs/configuration.md has all properties, as that of the Spring Boot starter has.
 */
class DocumentedPropertiesTest {

  private static final Pattern ROW = Pattern.compile("(?m)^\\| `([^`]+)` \\| (.*) \\|$");

  private static Map<String, String> rows(String page) throws IOException {
    String text = Files.readString(Path.of("../../docs", page));
    Map<String, String> rows = new TreeMap<>();
    ROW.matcher(text.substring(text.indexOf("## The properties")))
        .results()
        .forEach(row -> rows.put(row.group(1), row.group(2)));
    return rows;
  }

  @Test
  void theTableHasAll() throws IOException {
    assertThat(rows("configuration.md").keySet()).isEqualTo(KnownNames.all());
  }

  @Test
  void whatTheStarterHasTooIsTheSame() throws IOException {
    Map<String, String> starter = rows("spring-boot.md");
    Map<String, String> here = rows("configuration.md");
    here.remove("close-timeout"); // which Spring bounds
    here.keySet().retainAll(starter.keySet());
    starter.keySet().retainAll(here.keySet());
    assertThat(here).isEqualTo(starter).hasSizeGreaterThan(25);
  }
}
