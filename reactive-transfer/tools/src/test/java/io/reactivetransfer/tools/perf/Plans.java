package io.reactivetransfer.tools.perf;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Plans that take a moment only. */
final class Plans {

  private Plans() {}

  static Plan small(String backend, Op op, Signals signals) {
    return small(backend, backend.equals("libfabric") ? "tcp" : null, op, signals);
  }

  static Plan small(String backend, @Nullable String provider, Op op, Signals signals) {
    boolean pingPong = op == Op.PING_PONG;
    boolean reference =
        backend.equals("libfabric")
            || pingPong == backend.equals("tcp")
            || op == Op.WRITE; // iperf3 takes its second
    return new Plan(
        backend,
        provider,
        Plan.Place.ONE_PROCESS,
        null,
        op,
        List.of(100L, 5000L),
        7,
        pingPong ? 1 : 5,
        2,
        0.04,
        0.02,
        reference ? 1 : 2,
        true,
        reference,
        signals,
        false);
  }

  static Result result(long size, boolean reference) {
    Plan plan = small("tcp", Op.WRITE_IMM, Signals.NIC);
    RunFigures run =
        new RunFigures(
            2_000, 1_000_000_000, 10_000, 20_000, 30_000, new Usage(4_000_000, 16_000), 0);
    List<RunFigures> references =
        List.of(new RunFigures(4_000, 1_000_000_000, 1_000, 2_000, 3_000, Usage.NONE, 0));
    return Result.of(
        plan, Layout.of(plan, size), List.of(run), reference ? references : List.of(), List.of());
  }
}
