package io.reactivetransfer.ibverbs.ffi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ffm.ffi.CField;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What Java knows of libibverbs's structures and constants is what a C compiler says of them. */
@EnabledOnOs(OS.LINUX)
class LayoutTest {

  private static final String PROGRAM =
      """
      #include <stddef.h>
      #include <stdio.h>
      #include <infiniband/verbs.h>

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
                    new Belief("sizeof(struct ibv_send_wr)", IbLayout.SEND_WR_BYTES),
                    new Belief("sizeof(struct ibv_recv_wr)", IbLayout.RECV_WR_BYTES),
                    new Belief("sizeof(struct ibv_sge)", IbLayout.SGE_BYTES),
                    new Belief("sizeof(struct ibv_wc)", IbLayout.WC_BYTES),
                    new Belief("sizeof(struct ibv_gid_entry)", IbLayout.GID_ENTRY_BYTES),
                    new Belief("sizeof(struct ibv_qp_attr)", IbLayout.QP_ATTR_BYTES),
                    new Belief("sizeof(struct ibv_qp_init_attr)", IbLayout.QP_INIT_ATTR_BYTES),
                    new Belief("sizeof(struct ibv_srq_init_attr)", IbLayout.SRQ_INIT_ATTR_BYTES),
                    new Belief("sizeof(struct ibv_device_attr)", IbLayout.DEVICE_ATTR_BYTES),
                    new Belief("sizeof(struct ibv_port_attr)", IbLayout.PORT_ATTR_BYTES),
                    new Belief("sizeof(struct ibv_async_event)", IbLayout.EVENT_BYTES),
                    new Belief("sizeof(union ibv_gid)", Gid.BYTES))))
        .isEmpty();
  }

  @Test
  void constantsAreThoseOfTheHeaders() throws IOException, InterruptedException {
    List<Belief> beliefs = new ArrayList<>();
    for (Field field : Ib.class.getDeclaredFields()) {
      if (field.getType() == int.class || field.getType() == long.class) {
        String name = field.getName();
        beliefs.add(new Belief(name, of(field)));
      }
    }
    assertThat(beliefs).hasSizeGreaterThan(40);
    assertThat(differences(beliefs)).isEmpty();
  }

  @Test
  void everyFieldIsCompared() throws ReflectiveOperationException {
    List<Object> declared = new ArrayList<>();
    for (Field field : IbLayout.class.getDeclaredFields()) {
      if (field.getType() == CField.class) {
        field.setAccessible(true);
        declared.add(field.get(null));
      }
    }
    assertThat(declared).hasSizeGreaterThan(70).doesNotHaveDuplicates();
    assertThat(IbLayout.fields()).containsExactlyInAnyOrderElementsOf(cast(declared));
  }

  private static List<CField> cast(List<Object> fields) {
    return fields.stream().map(CField.class::cast).toList();
  }

  @Test
  void aWrongOffsetAndAWrongConstantAreFound() throws IOException, InterruptedException {
    List<Belief> beliefs = new ArrayList<>(offsets());
    int at = beliefs.indexOf(new Belief("offsetof(struct ibv_wc, imm_data)", 24));
    assertThat(at).isNotNegative();
    beliefs.set(at, new Belief(beliefs.get(at).expression(), 48));
    beliefs.add(new Belief("IBV_QPT_RC", Ib.IBV_QPT_RC + 1));
    beliefs.add(new Belief("IBV_QPS_RTS", Ib.IBV_QPS_RTS));
    assertThat(differences(beliefs))
        .containsExactly(
            "offsetof(struct ibv_wc, imm_data) is 24 in C, and 48 in Java",
            "IBV_QPT_RC is 2 in C, and 3 in Java");
  }

  private static List<Belief> offsets() {
    return IbLayout.fields().stream()
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
    Path program = compile(PROGRAM.formatted(lines));
    Process process = new ProcessBuilder(program.toString()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    List<Long> values = output.lines().map(Long::valueOf).toList();
    assertThat(values).hasSameSizeAs(expressions);
    return values;
  }

  private Path compile(String source) throws IOException, InterruptedException {
    Path file = Files.writeString(directory.resolve("layout.c"), source);
    Path made = directory.resolve("layout");
    Process gcc;
    try {
      gcc =
          new ProcessBuilder("gcc", "-o", made.toString(), file.toString())
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      return missing("there is no gcc: " + e.getMessage());
    }
    String output = new String(gcc.getInputStream().readAllBytes(), UTF_8);
    if (gcc.waitFor() != 0 && output.contains("infiniband/verbs.h: No such file")) {
      return missing("there are no headers of libibverbs: install libibverbs-dev");
    }
    Assertions.assertEquals(0, gcc.exitValue(), output);
    return made;
  }

  private static Path missing(String reason) {
    if (Boolean.getBoolean("reactivetransfer.requireAll")) {
      Assertions.fail(reason);
    }
    return Assumptions.abort(reason);
  }
}
