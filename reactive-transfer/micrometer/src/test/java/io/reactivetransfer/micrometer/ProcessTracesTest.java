package io.reactivetransfer.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.trace.data.SpanData;
import io.reactivetransfer.tck.process.JavaProcess;
import java.util.List;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is one trace within a process is one, too, where its parts are processes. */
class ProcessTracesTest {

  private static final String NONE = "0".repeat(16);

  /** As a program has printed it. */
  private record Span(String trace, String id, String parent) {
    static Span of(SpanData span) {
      return new Span(span.getTraceId(), span.getSpanId(), span.getParentSpanId());
    }
  }

  /** Waits for it; programs print their spans in the order in which they ended. */
  private static Span span(JavaProcess process, String name) throws Exception {
    Matcher line =
        process.awaitLine(
            "^span of %s: trace (\\w{32}), id (\\w{16}), parent (\\w{16})$".formatted(name));
    return new Span(line.group(1), line.group(2), line.group(3));
  }

  private static String address(JavaProcess process) throws Exception {
    return process.awaitLine("^address (.*)").group(1);
  }

  private static void requireChild(Span parent, Span child) {
    assertThat(child.trace()).isEqualTo(parent.trace());
    assertThat(child.parent()).isEqualTo(parent.id());
  }

  @Test
  void aHandOverBetweenProcessesIsOneTrace() throws Exception {
    try (JavaProcess prefill = JavaProcess.start(TracedPrefillProgram.class.getName())) {
      List<SpanData> here = TracedDecode.order(address(prefill));
      assertThat(here).extracting(SpanData::getName).containsExactly("kv order", "asking");
      Span order = Span.of(here.getFirst());
      Span asking = Span.of(here.getLast());
      assertThat(asking.parent()).isEqualTo(NONE);
      requireChild(asking, order);
      requireChild(order, span(prefill, "kv request"));
    }
  }

  // In a usual build WeightsObservationsTest has this in one process, and the test above processes.
  @Tag("nightly")
  @Test
  void anUpdateBetweenProcessesIsOneTrace() throws Exception {
    String program = TracedWeightsProgram.class.getName();
    try (JavaProcess rank = JavaProcess.start(program, "rank");
        JavaProcess trainer = JavaProcess.start(program, "trainer")) {
      try (JavaProcess controller =
          JavaProcess.start(program, "controller", address(rank), address(trainer))) {
        controller.awaitLine("^flipped true$");
        Span decision = span(controller, "weights decision");
        Span step = span(controller, "step");
        assertThat(step.parent()).isEqualTo(NONE);
        requireChild(step, decision);
        requireChild(decision, span(rank, "weights update"));
        requireChild(decision, span(trainer, "weights run"));
        assertThat(controller.exitCode()).as(controller::stderr).isZero();
      }
    }
  }
}
