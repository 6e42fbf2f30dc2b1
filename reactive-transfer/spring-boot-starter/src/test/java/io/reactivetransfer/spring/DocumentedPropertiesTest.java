package io.reactivetransfer.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;

/** The table of the documentation is that of the metadata, which editors show. */
class DocumentedPropertiesTest {

  private static final Path DOC = Path.of("..", "..", "docs", "spring-boot.md");
  private static final String METADATA = "META-INF/spring-configuration-metadata.json";
  private static final String PREFIX = "reactive-transfer.";

  private static List<?> properties() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            ReactiveTransferProperties.class.getClassLoader().getResourceAsStream(METADATA))) {
      // Spring Boot's own parser takes no blanks before what is in a list.
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8).replaceAll("\\n *", "");
      return (List<?>) JsonParserFactory.getJsonParser().parseMap(text).get("properties");
    }
  }

  private static String row(Map<?, ?> property) {
    String type = String.valueOf(property.get("type"));
    String described = String.valueOf(property.get("description"));
    return "| `%s` | %s | %s |"
        .formatted(
            String.valueOf(property.get("name")).substring(PREFIX.length()), kind(type), described);
  }

  private static String kind(String type) {
    return switch (type) {
      case "java.lang.Integer" -> "number";
      case "java.lang.Boolean" -> "true or false";
      case "java.lang.String" -> "text";
      case "java.nio.file.Path" -> "file";
      case "java.time.Duration" -> "duration";
      case "org.springframework.util.unit.DataSize" -> "size";
      default -> type.startsWith("java.util.List") ? "list" : "by name";
    };
  }

  @Test
  void theTableIsOfThePropertiesThatThereAre() throws IOException {
    TreeSet<String> rows = new TreeSet<>();
    for (Object property : properties()) {
      rows.add(row((Map<?, ?>) property));
    }
    assertThat(rows).hasSizeGreaterThan(30).noneMatch(row -> row.contains("null"));
    assertThat(Files.readString(DOC).lines().dropWhile(line -> !line.equals("## The properties")))
        .filteredOn(line -> line.startsWith("| `"))
        .as("what must be there:%n%s%n", String.join("\n", rows))
        .containsExactlyElementsOf(rows);
  }
}
