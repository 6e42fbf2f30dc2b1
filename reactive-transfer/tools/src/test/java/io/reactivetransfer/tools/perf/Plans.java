package io.reactivetransfer.tools.perf;

import io.reactivetransfer.Device;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Plans that take a moment only. */
final class Plans {

  private Plans() {}

  static Plan small(String backend, Op op, Signals signals) {
    return small(backend, backend.equals("libfabric") ? "tcp" : null, op, signals);
  }

  static Plan small(String backend, @Nullable String provider, Op op, Signals signals) {
    boolean reference =
        backend.equals("libfabric")
            || op.isOneByOne() == backend.equals("tcp")
            || op == Op.WRITE; // iperf3 takes its second
    return new Plan(
        backend,
        provider,
        Plan.Place.ONE_PROCESS,
        null,
        op,
        List.of(100L, 5000L),
        7,
        op == Op.FAN_OUT ? 3 : 1,
        op.isOneByOne() ? 1 : 5,
        0,
        2,
        Device.HOST,
        0.04,
        0.02,
        false,
        reference ? 1 : 2,
        op != Op.FAN_OUT,
        reference,
        signals,
        false);
  }

  /** Of one round, without a reference. */
  static Plan oneSize(boolean settles) {
    return oneSize(Device.HOST, Op.WRITE_IMM, settles, 1, false);
  }

  /** Of two rounds in memory of a device, beside that of the host. */
  static Plan besideHost(Device device, Op op) {
    return oneSize(device, op, false, 2, true);
  }

  /** Of so many in flight. */
  static Plan messages(int outstanding) {
    return oneSize(Device.HOST, Op.SEND, outstanding, false, 1, false);
  }

  private static Plan oneSize(
      Device device, Op op, boolean settles, int rounds, boolean reference) {
    return oneSize(device, op, 1, settles, rounds, reference);
  }

  private static Plan oneSize(
      Device device, Op op, int outstanding, boolean settles, int rounds, boolean reference) {
    return new Plan(
        "loopback",
        null,
        Plan.Place.ONE_PROCESS,
        null,
        op,
        List.of(100L),
        1,
        1,
        outstanding,
        0,
        1,
        device,
        1,
        1,
        settles,
        rounds,
        false,
        reference,
        Signals.NIC,
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
