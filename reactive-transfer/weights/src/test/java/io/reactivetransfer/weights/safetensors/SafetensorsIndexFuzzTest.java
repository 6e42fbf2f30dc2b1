package io.reactivetransfer.weights.safetensors;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;
import io.reactivetransfer.fuzz.Target;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An index of any bytes opens a model of the files beside it that it names, or is refused. */
@Timeout(7_200)
class SafetensorsIndexFuzzTest {

  private static final Map<String, List<String>> FILES =
      Map.of("a-1", List.of("v", "w"), "b-2", List.of("x"));

  private static final List<byte[]> ORIGINALS =
      List.of(
          bytes(
              "{\"metadata\":{\"total_size\":3},\"weight_map\":"
                  + "{\"v\":\"a-1\",\"w\":\"a-1\",\"x\":\"b-2\"}}"),
          bytes("{\"weight_map\":{\"x\":\"b-2\"},\"more\":[{\"a\":[1e3,null,true]}]}"),
          bytes("{\"weight_map\":{\"x\":\"\\u0062-2\"}}\n"),
          bytes("{\"weight_map\":{}}"));

  /** Names that lead elsewhere, or that no file has. */
  private static final List<String> NAMES =
      List.of(
          "..", "../a-1", "/etc/passwd", "\\ud800", "\\u0000", "\\u0085", "\\u00e4", "a-1/", "");

  private static final String NAME = "m.json";

  @TempDir Path directory;

  /** What opens an index wrongly in one way. */
  enum Mistake {
    NONE,
    /** What is wrong is taken for another index. */
    FORGIVES,
    /** It stumbles over what it should refuse. */
    STUMBLES;

    SafetensorsModel open(Path index) throws IOException {
      try {
        return SafetensorsModel.open(index);
      } catch (SafetensorsFormatException e) {
        if (this == NONE) {
          throw e;
        }
        if (this == STUMBLES) {
          throw new IllegalStateException(e);
        }
        Files.write(index, ORIGINALS.getFirst());
        return SafetensorsModel.open(index);
      }
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @BeforeEach
  void writeFiles() throws IOException {
    for (Map.Entry<String, List<String>> file : FILES.entrySet()) {
      StringBuilder header = new StringBuilder();
      int at = 0;
      for (String tensor : file.getValue()) {
        header
            .append(header.isEmpty() ? "{" : ",")
            .append(
                "\"%s\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[%d,%d]}"
                    .formatted(tensor, at, ++at));
      }
      Files.write(
          directory.resolve(file.getKey()),
          SafetensorsFileTest.file(header.append("}").toString(), at));
    }
  }

  @Test
  void indexes() {
    Fuzz.run(Target.SAFETENSORS_INDEXES, in -> index(in, Mistake.NONE));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void findsAMistake(Mistake mistake) {
    assertThat(Fuzz.firstFailure(Target.SAFETENSORS_INDEXES, 1, 0, 200, in -> index(in, mistake)))
        .isPresent();
  }

  private void index(Input in, Mistake mistake) throws IOException {
    byte[] original = in.oneOf(ORIGINALS);
    byte[] bytes =
        in.chance(20)
            ? bytes(
                new String(original, StandardCharsets.UTF_8)
                    .replace(in.chance(50) ? "b-2" : "a-1", in.oneOf(NAMES)))
            : Mutation.some(in, original);
    in.note(() -> new String(bytes, StandardCharsets.UTF_8));
    Path index = Files.write(directory.resolve(NAME), bytes);
    try (SafetensorsModel model = mistake.open(index)) {
      for (String tensor : model.tensors()) {
        String file = FILES.get("a-1").contains(tensor) ? "a-1" : "b-2";
        assertThat(model.file(tensor).entry(tensor)).as(tensor).isNotNull();
        assertThat(model.tensors()).containsAll(FILES.get(file));
        assertThat(new String(bytes, StandardCharsets.UTF_8)).contains("\"" + tensor + "\":");
      }
    } catch (SafetensorsFormatException e) {
      assertThat(Arrays.equals(bytes, original)).as("refuses what is right: %s", e).isFalse();
      assertThat(e.getMessage()).contains(": expected ").doesNotContainPattern("\\p{Cc}");
    } catch (FileSystemException e) { // it names a file that is not there
      assertThat(Path.of(e.getFile()).getParent()).isEqualTo(directory);
    }
  }
}
