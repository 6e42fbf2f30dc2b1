package io.reactivetransfer.weights.safetensors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Tensor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written can be read; what could not be is refused before it is written. */
class WriterBoundsTest {

  @TempDir private Path folder;

  private void requireRead(String name, String value) throws IOException {
    Path file = folder.resolve("file");
    new SafetensorsWriter().metadata(name, value).write(file);
    try (SafetensorsFile read = SafetensorsFile.open(file)) {
      assertThat(read.metadata()).isEqualTo(Map.of(name, value));
    }
  }

  private static void requireRefused(String name, String value, String text) {
    assertThatThrownBy(() -> new SafetensorsWriter().metadata(name, value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(text);
  }

  /** Of one, two, three and four bytes, and one that is written as an escape. */
  @ParameterizedTest
  @ValueSource(strings = {"a", "\u00e9", "\u20ac", "\ud83d\ude00", "\u0001", "\""})
  void aNameOfTheMostBytes(String character) throws IOException {
    int bytes = character.getBytes(StandardCharsets.UTF_8).length;
    int most = 50_000 / bytes;
    requireRead(character.repeat(most), "value");
    requireRefused(
        character.repeat(most + 1),
        "value",
        "expected a name of at most 50000 bytes of UTF-8 in the metadata, got ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "\u20ac"})
  void aValueOfTheMostCharacters(String character) throws IOException {
    requireRead("name", character.repeat(20_000_000));
    requireRefused(
        "name",
        character.repeat(20_000_001),
        "expected a value of at most 20000000 characters in the metadata, got 20000001 as name");
  }

  @Test
  void halfOfACharacter() throws IOException {
    requireRefused("\ud83d", "value", "expected a name in the metadata that is text");
    requireRefused("name", "a\ude00", "expected a value in the metadata that is text");
    requireRead("\ud83d\ude00", "\ud83d\ude00");
  }

  @Test
  void aTensorThatHasTheNameOfTheMetadata() {
    Tensor tensor = new Tensor("__metadata__", DataType.BF16, Shape.of(2));
    MemorySegment values = Arena.ofAuto().allocate(tensor.bytes());
    assertThatThrownBy(() -> new SafetensorsWriter().tensor(tensor, values))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("expected a tensor of another name than __metadata__");
  }
}
