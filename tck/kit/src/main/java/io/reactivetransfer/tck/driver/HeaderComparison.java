package io.reactivetransfer.tck.driver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * What Java knows of a library's structures and constants is what a C compiler says of them, by the
 * headers that are installed. A subclass says in its constructor what is to be compared.
 */
@EnabledOnOs(OS.LINUX)
public abstract class HeaderComparison {

  private final String includes;
  private final SequencedMap<String, Long> expected = new LinkedHashMap<>();

  @TempDir private Path directory;

  /**
   * Compares nothing yet.
   *
   * @param headers such as {@code infiniband/verbs.h}
   */
  protected HeaderComparison(String... headers) {
    includes =
        Stream.of(headers)
            .map(header -> "#include <" + header + ">")
            .collect(Collectors.joining("\n"));
  }

  /**
   * Has a constant expression of C compared.
   *
   * @param value in Java
   */
  protected final void expect(String expression, long value) {
    assertThat(expected.put(expression, value)).as("earlier value of %s", expression).isNull();
  }

  /**
   * Has all constants of a class compared that are an int or a long.
   *
   * @param inC those that have another name, or none, in C
   */
  protected final void expectConstants(Class<?> type, Map<String, String> inC) {
    int before = expected.size();
    for (Field field : type.getDeclaredFields()) {
      if (field.getType() == int.class || field.getType() == long.class) {
        expect(inC.getOrDefault(field.getName(), field.getName()), valueOf(field));
      }
    }
    assertThat(expected).as("with constants of %s", type).hasSizeGreaterThan(before);
  }

  private static long valueOf(Field constant) {
    try {
      constant.setAccessible(true);
      return ((Number) constant.get(null)).longValue();
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void allIsAsTheHeadersSay() throws IOException, InterruptedException {
    assertThat(differences(expected)).isEmpty();
  }

  @Test
  void whateverIsWrongIsFound() throws IOException, InterruptedException {
    SequencedMap<String, Long> wrong = new LinkedHashMap<>(expected);
    wrong.replaceAll((expression, value) -> value + 1);
    assertThat(differences(wrong))
        .containsExactlyElementsOf(
            expected.entrySet().stream()
                .map(it -> difference(it.getKey(), it.getValue(), it.getValue() + 1))
                .toList());
  }

  private List<String> differences(SequencedMap<String, Long> values)
      throws IOException, InterruptedException {
    List<Long> inC = valuesOf(values.keySet());
    List<String> differences = new ArrayList<>();
    values.forEach((expression, value) -> {
      long there = inC.get(differences.size());
      differences.add(there == value ? "" : difference(expression, there, value));
    });
    differences.removeIf(String::isEmpty);
    return differences;
  }

  private static String difference(String expression, long inC, long inJava) {
    return expression + " is " + inC + " in C, and " + inJava + " in Java";
  }

  /** What a C program makes of these expressions. */
  protected final List<Long> valuesOf(Collection<String> expressions)
      throws IOException, InterruptedException {
    String lines =
        expressions.stream()
            .map(expression -> "  printf(\"%lld\\n\", (long long) (" + expression + "));")
            .collect(Collectors.joining("\n"));
    String source =
        """
        #include <stddef.h>
        #include <stdio.h>
        %s

        int main(void) {
        %s
          return 0;
        }
        """
            .formatted(includes, lines);
    Path program = CCompiler.program(directory, "layout", source);
    Process process = new ProcessBuilder(program.toString()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    List<Long> values = output.lines().map(Long::valueOf).toList();
    assertThat(values).hasSameSizeAs(expressions);
    return values;
  }
}
