package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Compiles it once for all, which takes longer than what it does, and has it write over tcp. */
class CReferenceTest {

  private static final long NANOS = 100_000_000;

  private static Path program;

  private final StringWriter out = new StringWriter();

  @BeforeAll
  static void compile(@TempDir Path folder) throws Exception {
    try {
      program = CCompiler.find(FabricLibrary.chosen()).compile(folder);
    } catch (CCompiler.UnavailableException e) {
      if (Boolean.getBoolean("reactivetransfer.requireAll")) {
        fail(e.getMessage());
      }
      abort(e.getMessage());
    }
  }

  private CReference start(Plan plan) throws Exception {
    return CReference.start(program, plan, new Progress(new PrintWriter(out), plan));
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"SEND", "MESSAGE_PING_PONG", "FAN_OUT"})
  void everyOperationIsMeasured(Op op) throws Exception {
    Plan plan = Plans.small("libfabric", op, Signals.NIC);
    try (CReference reference = start(plan)) {
      for (long size : plan.sizes()) {
        reference.prepare(Layout.of(plan, size));
        // both runs are counted, one after the other
        reference.run(NANOS / 10);
        RunFigures run = reference.run(NANOS);
        assertThat(run.operations()).isPositive();
        assertThat(run.nanos()).isGreaterThanOrEqualTo(NANOS);
        assertThat(run.p50Nanos()).isPositive().isLessThanOrEqualTo(run.p99Nanos());
        assertThat(run.p99Nanos()).isLessThanOrEqualTo(run.p999Nanos());
        // the last of so few is the slowest; a bucket ends less than one percent above its values
        assertThat(run.p999Nanos()).isLessThanOrEqualTo(run.nanos() + run.nanos() / 100);
      }
    }
    assertThat(out.toString()).contains("c: libfabric ", "provider tcp");
  }

  /** With sides that stand for engines. What is said of it depends on the operation alone. */
  @Test
  void itIsCompiledForARunMeasuredInTurnWithOursAndExplained() throws Exception {
    Plan plan = Plans.small("libfabric", Op.WRITE_IMM, Signals.NIC);
    Side ours =
        line ->
            switch (Role.word(line)) {
              case "run" -> "100 1000000 1 2 3 4 5 0";
              case "end" -> "6 7";
              case "compiled" -> "0";
              default -> "";
            };
    Progress progress = new Progress(new PrintWriter(out), plan);
    List<Result> results = new Benchmark(plan, ours, ours, progress).run();

    assertThat(results).hasSize(2).allSatisfy(it -> assertThat(it.ratio()).isPositive());
    for (Op op : List.of(Op.WRITE, Op.WRITE_IMM, Op.PING_PONG)) {
      assertThat(Report.of(Plans.small("libfabric", op, Signals.NIC), results))
          .contains(op + " over libfabric (tcp), ", "c op/s", "c GB/s", "c p50", "ratio")
          .contains(
              "c: a program in C on the same libfabric, one thread on each side, which spins;")
          .contains(
              switch (op) {
                case PING_PONG -> "there and back, from post to the arrival";
                case WRITE -> "plain writes, outstanding as many as ours";
                default -> "writes with an immediate, outstanding as many as ours";
              });
    }
  }

  @Test
  void aProviderThatIsNotThereIsNamed() {
    Plan plan = Plans.small("libfabric", "carrier-pigeon", Op.WRITE_IMM, Signals.NIC);
    assertThatThrownBy(() -> start(plan))
        .isInstanceOf(SideFailedException.class)
        .hasMessageStartingWith("reference's target: expected a provider that fi_info -p")
        .hasMessageContaining("carrier-pigeon");
  }

  @Test
  void aSideThatIsAskedTooMuchSaysWhatItExpected() throws Exception {
    Plan plan = Plans.small("libfabric", Op.WRITE_IMM, Signals.NIC);
    try (CReference reference = start(plan)) {
      reference.prepare(Layout.of(plan, 1 << 20));
      assertThatThrownBy(() -> reference.run(NANOS))
          .isInstanceOf(SideFailedException.class)
          .hasMessageContaining("which is --memory");
    }
  }
}
