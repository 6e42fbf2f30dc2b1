package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JsonFileTest {

  @TempDir private Path folder;

  /** The objects of the array, with the text of each field. */
  static List<Map<String, String>> read(Path file) throws Exception {
    List<Map<String, String>> objects = new ArrayList<>();
    try (JsonParser json = new JsonFactory().createParser(file.toFile())) {
      assertThat(json.nextToken()).isEqualTo(JsonToken.START_ARRAY);
      while (json.nextToken() == JsonToken.START_OBJECT) {
        Map<String, String> fields = new LinkedHashMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
          String name = json.currentName();
          json.nextToken();
          fields.put(name, json.getText());
        }
        objects.add(fields);
      }
    }
    return objects;
  }

  @Test
  void holdsEveryFieldOfEverySize() throws Exception {
    Path file = folder.resolve("figures.json");
    JsonFile.write(file, List.of(Plans.result(500, true), Plans.result(1_000, false)));

    List<Map<String, String>> results = read(file);
    assertThat(results).hasSize(2);
    assertThat(results.get(0))
        .containsEntry("backend", "tcp")
        .containsEntry("provider", "null")
        .containsEntry("op", "write-imm")
        .containsEntry("size", "500")
        .containsEntry("pages", "1")
        .containsEntry("outstanding", "5")
        .containsEntry("memoryBytes", "2500")
        .containsEntry("nics", "2")
        .containsEntry("device", "host")
        .containsEntry("deviceIs", "null")
        .containsEntry("opsPerSecond", "2000.0")
        .containsEntry("bytesPerSecond", "1000000.0")
        .containsEntry("p50Micros", "10.0")
        .containsEntry("p99Micros", "20.0")
        .containsEntry("p999Micros", "30.0")
        .hasEntrySatisfying(
            "cpuSecondsPerGB", it -> assertThat(Double.parseDouble(it)).isCloseTo(4, within(1e-9)))
        .containsEntry("allocatedBytesPerOp", "8.0")
        .containsEntry("reference", "nio")
        .containsEntry("referenceOpsPerSecond", "4000.0")
        .containsEntry("referenceBytesPerSecond", "2000000.0")
        .containsEntry("ratio", "0.5")
        .hasSize(21);
    assertThat(results.get(1))
        .containsEntry("size", "1000")
        .containsEntry("reference", "null")
        .containsEntry("ratio", "null")
        .hasSize(21);
  }
}
