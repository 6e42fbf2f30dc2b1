package io.reactivetransfer.libfabric.ffi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ffm.ffi.CField;
import io.reactivetransfer.libfabric.CCompiler;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What Java knows of libfabric's structures and constants is what a C compiler says of them. */
@EnabledOnOs(OS.LINUX)
class LayoutTest {

  private static final String PROGRAM =
      """
      #include <stddef.h>
      #include <stdio.h>
      #include <sys/uio.h>
      #include <rdma/fabric.h>
      #include <rdma/fi_cm.h>
      #include <rdma/fi_domain.h>
      #include <rdma/fi_endpoint.h>
      #include <rdma/fi_eq.h>
      #include <rdma/fi_errno.h>
      #include <rdma/fi_rma.h>

      int main(void) {
      %s
        return 0;
      }
      """;

  /**
   * What Java believes.
   *
   * @param expression in C
   * @param value in Java
   */
  private record Belief(String expression, long value) {}

  @TempDir private Path directory;

  @Test
  void fieldsLieWhereTheHeadersSay() throws IOException, InterruptedException {
    assertThat(differences(offsets())).isEmpty();
  }

  @Test
  void structuresAreAsLongAsTheHeadersSay() throws IOException, InterruptedException {
    assertThat(
            differences(
                List.of(
                    new Belief("sizeof(struct fi_cq_data_entry)", FiLayout.ENTRY_BYTES),
                    new Belief("sizeof(struct fi_context2)", FiLayout.CONTEXT_BYTES),
                    new Belief("sizeof(struct iovec)", FiLayout.IOVEC_BYTES),
                    new Belief("sizeof(struct fi_rma_iov)", FiLayout.RMA_IOV_BYTES),
                    new Belief("sizeof(struct fi_msg_rma)", FiLayout.MSG_RMA_BYTES),
                    new Belief("sizeof(struct fi_av_attr)", FiLayout.AV_ATTR_BYTES),
                    new Belief("sizeof(struct fi_cq_attr)", FiLayout.CQ_ATTR_BYTES))))
        .isEmpty();
    assertThat(ask(List.of("sizeof(struct fi_cq_err_entry)")).getFirst())
        .as("bytes of a fi_cq_err_entry, which must have room")
        .isLessThanOrEqualTo(FiLayout.ERROR_BYTES);
  }

  @Test
  void constantsAreThoseOfTheHeaders() throws IOException, InterruptedException {
    List<Belief> beliefs = new ArrayList<>();
    for (Field field : Fi.class.getDeclaredFields()) {
      if (field.getType() == int.class || field.getType() == long.class) {
        String name = field.getName();
        beliefs.add(new Belief(name.equals("API_VERSION") ? "FI_VERSION(1, 17)" : name, of(field)));
      }
    }
    assertThat(beliefs).hasSizeGreaterThan(40);
    assertThat(differences(beliefs)).isEmpty();
  }

  @Test
  void everyFieldIsCompared() throws ReflectiveOperationException {
    List<Object> declared = new ArrayList<>();
    for (Field field : FiLayout.class.getDeclaredFields()) {
      if (field.getType() == CField.class) {
        field.setAccessible(true);
        declared.add(field.get(null));
      }
    }
    assertThat(declared).hasSizeGreaterThan(80).doesNotHaveDuplicates();
    assertThat(FiLayout.fields()).containsExactlyInAnyOrderElementsOf(cast(declared));
  }

  private static List<CField> cast(List<Object> fields) {
    return fields.stream().map(CField.class::cast).toList();
  }

  @Test
  void aWrongOffsetAndAWrongConstantAreFound() throws IOException, InterruptedException {
    List<Belief> beliefs = new ArrayList<>(offsets());
    int at = beliefs.indexOf(new Belief("offsetof(struct fi_cq_err_entry, err)", 56));
    assertThat(at).isNotNegative();
    beliefs.set(at, new Belief(beliefs.get(at).expression(), 48));
    beliefs.add(new Belief("FI_EAVAIL", Fi.FI_EAVAIL + 1));
    beliefs.add(new Belief("FI_EAGAIN", Fi.FI_EAGAIN));
    assertThat(differences(beliefs))
        .containsExactly(
            "offsetof(struct fi_cq_err_entry, err) is 56 in C, and 48 in Java",
            "FI_EAVAIL is 259 in C, and 260 in Java");
  }

  private static List<Belief> offsets() {
    return FiLayout.fields().stream()
        .map(field ->
            new Belief(
                "offsetof(struct " + field.struct() + ", " + field.name() + ")", field.offset()))
        .toList();
  }

  private static long of(Field constant) {
    try {
      return ((Number) constant.get(null)).longValue();
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A line for each belief that is wrong. */
  private List<String> differences(List<Belief> beliefs) throws IOException, InterruptedException {
    List<Long> values = ask(beliefs.stream().map(Belief::expression).toList());
    List<String> wrong = new ArrayList<>();
    for (int i = 0; i < beliefs.size(); i++) {
      Belief belief = beliefs.get(i);
      if (belief.value() != values.get(i)) {
        wrong.add(
            belief.expression()
                + " is "
                + values.get(i)
                + " in C, and "
                + belief.value()
                + " in Java");
      }
    }
    return wrong;
  }

  /** What a C program makes of these expressions. */
  private List<Long> ask(List<String> expressions) throws IOException, InterruptedException {
    String lines =
        expressions.stream()
            .map(expression -> "  printf(\"%lld\\n\", (long long) (" + expression + "));")
            .collect(Collectors.joining("\n"));
    Path program = CCompiler.program(directory, "layout", PROGRAM.formatted(lines));
    Process process = new ProcessBuilder(program.toString()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    List<Long> values = output.lines().map(Long::valueOf).toList();
    assertThat(values).hasSameSizeAs(expressions);
    return values;
  }
}
