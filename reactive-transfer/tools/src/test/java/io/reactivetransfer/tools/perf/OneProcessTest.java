package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Real runs, of fractions of a second; each of them compares what arrived. */
class OneProcessTest {

  @ParameterizedTest
  @CsvSource({
    "loopback,WRITE,PARALLEL",
    "loopback,WRITE_IMM,NIC",
    "loopback,PAGED,PARALLEL",
    "loopback,SCATTER,NIC",
    "loopback,SEND,PARALLEL",
    "tcp,WRITE,NIC",
    "tcp,PAGED,NIC",
    "tcp,ROWS,NIC",
    "tcp,SEND,NIC",
    "tcp,PING_PONG,NIC",
    "tcp,PING_PONG,PARALLEL",
    "tcp,FAN_OUT,NIC",
    "loopback,FAN_OUT,PARALLEL",
    "loopback,PING_PONG,PARALLEL"
  })
  void everyOperationIsMeasured(String backend, Op op, Signals signals) throws Exception {
    Plan plan = Plans.small(backend, op, signals);
    StringWriter out = new StringWriter();
    List<Result> results = OneProcess.run(plan, new Progress(new PrintWriter(out), plan));

    assertThat(results).hasSize(2);
    assertThat(results)
        .allSatisfy(result -> {
          Result.Medians ours = result.ours();
          assertThat(ours.operationsPerSecond()).isPositive();
          assertThat(ours.p50Micros()).isPositive().isLessThanOrEqualTo(ours.p99Micros());
          assertThat(ours.p99Micros()).isLessThanOrEqualTo(ours.p999Micros());
          assertThat(result.ratio() > 0).isEqualTo(plan.reference());
        });
    assertThat(out.toString()).contains("1 of 2: 100 bytes", "2 of 2: 4.9 KiB");
    assertThat(Report.of(plan, results))
        .contains(op + title(op) + " over " + backend)
        .contains(
            switch (op) {
              case PING_PONG -> "there and back, from submit to the signal of the claim";
              case FAN_OUT -> "An operation is a write to each of 3 engines, until all are done";
              default -> "from submit to completion, as seen where it is emitted";
            })
        .contains(plan.verify() ? "verified:" : "from the first submit to the last completion");
  }

  @Test
  void moreMessagesThanWaitByDefaultAreInFlight() throws Exception {
    Plan plan = Plans.messages(1_500);
    Progress progress = new Progress(new PrintWriter(new StringWriter()), plan);
    assertThat(OneProcess.run(plan, progress))
        .singleElement()
        .satisfies(result -> assertThat(result.ours().operationsPerSecond()).isPositive());
  }

  private static String title(Op op) {
    return op.hasParts() ? " of 7 parts" : op == Op.FAN_OUT ? " to 3 peers" : "";
  }

  @ParameterizedTest
  @EnumSource(names = {"WRITE_IMM", "SEND"})
  void whatArrivedOtherThanItWasWrittenIsAFailure(Op op) {
    Plan plan = Plans.small("loopback", op, Signals.NIC);
    try (Role origin = OriginRole.open(plan, done -> {});
        Role target = TargetRole.open(plan)) {
      LocalSide honest = new LocalSide("target", target);
      Side other = line -> honest.ask(Role.word(line).equals("end") ? line + "1" : line);
      Progress progress = new Progress(new PrintWriter(new StringWriter()), plan);
      Benchmark benchmark = new Benchmark(plan, new LocalSide("origin", origin), other, progress);
      assertThatThrownBy(benchmark::run)
          .isInstanceOf(SideFailedException.class)
          .hasMessageStartingWith("target: not verified");
    }
  }
}
