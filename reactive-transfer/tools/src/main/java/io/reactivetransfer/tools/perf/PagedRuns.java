package io.reactivetransfer.tools.perf;

import io.reactivetransfer.Device;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Plain transfers, {@code --op paged} or {@code --op write-imm}, for a program that measures
 * something of its own in turn with them: both sides stay open, and run when they are asked to.
 */
public final class PagedRuns implements AutoCloseable {

  private final Layout layout;
  private final Side origin;
  private final Side target;
  private final boolean inProcess;
  private final Runnable end;
  private long seed;
  private double cpuNanosPerByte;

  private PagedRuns(Plan plan, Side origin, Side target, Runnable end) {
    this.layout = Layout.of(plan, plan.largest());
    this.origin = origin;
    this.target = target;
    this.inProcess = plan.inProcess();
    this.end = end;
  }

  /**
   * Opens both sides for writes that the target counts, each for itself.
   *
   * @param provider which of the backend's providers, or null for its choice
   * @param bytes of a write
   * @param outstanding writes in flight
   * @param memory as for pages
   */
  public static PagedRuns openWrites(
      String backend, @Nullable String provider, int nics, long bytes, int outstanding, long memory)
      throws IOException, SideFailedException, InterruptedException {
    return open(backend, provider, nics, Op.WRITE_IMM, bytes, 1, outstanding, memory);
  }

  /**
   * Opens both sides for pages: in this process over loopback, else each in one of its own.
   *
   * @param provider which of the backend's providers, or null for its choice
   * @param pages of one operation
   * @param outstanding operations in flight
   * @param memory bytes on each side that operations go over one after the other, such as what the
   *     program itself goes over; 0 for what those in flight need; 4 GiB at most
   */
  public static PagedRuns open(
      String backend,
      @Nullable String provider,
      int nics,
      long pageBytes,
      int pages,
      int outstanding,
      long memory)
      throws IOException, SideFailedException, InterruptedException {
    return open(backend, provider, nics, Op.PAGED, pageBytes, pages, outstanding, memory);
  }

  private static PagedRuns open(
      String backend,
      @Nullable String provider,
      int nics,
      Op op,
      long pageBytes,
      int pages,
      int outstanding,
      long memory)
      throws IOException, SideFailedException, InterruptedException {
    Plan plan =
        new Plan(
            backend,
            provider,
            backend.equals("loopback") ? Plan.Place.ONE_PROCESS : Plan.Place.TWO_PROCESSES,
            null,
            op,
            List.of(pageBytes),
            pages,
            1,
            outstanding,
            Math.clamp(memory, 0, Layout.MAX_MEMORY),
            nics,
            Device.HOST,
            1,
            1,
            false,
            1,
            false,
            false,
            Signals.NIC,
            false);
    PagedRuns runs = plan.inProcess() ? inProcess(plan) : twoProcesses(plan);
    try {
      runs.prepare();
      return runs;
    } catch (Throwable failure) {
      runs.close();
      throw failure;
    }
  }

  @SuppressWarnings("MustBeClosed") // the end closes them
  private static PagedRuns inProcess(Plan plan) {
    Role target = TargetRole.open(plan);
    Role origin;
    try {
      origin = OriginRole.open(plan, done -> {});
    } catch (Throwable failure) {
      target.close();
      throw failure;
    }
    return new PagedRuns(
        plan,
        new LocalSide("origin", origin),
        new LocalSide("target", target),
        () -> {
          origin.close();
          target.close();
        });
  }

  private static PagedRuns twoProcesses(Plan plan)
      throws IOException, SideFailedException, InterruptedException {
    ChildSide target = ChildSide.start(PerfCommand.Side.TARGET, plan, done -> {});
    ChildSide origin;
    try {
      origin = ChildSide.start(PerfCommand.Side.ORIGIN, plan, done -> {});
    } catch (Throwable failure) {
      target.destroy();
      throw failure;
    }
    Runnable end =
        () -> {
          origin.destroy();
          target.destroy();
        };
    try {
      target.awaitReady();
      origin.awaitReady();
    } catch (Throwable failure) {
      end.run();
      throw failure;
    }
    return new PagedRuns(plan, origin, target, end);
  }

  private void prepare() throws SideFailedException, InterruptedException {
    long size = layout.size();
    origin.ask("target " + target.ask("address"));
    String prepare = "prepare " + size + " " + Device.HOST;
    origin.ask(prepare + " " + target.ask(prepare));
  }

  /** Runs for so long; returns bytes in a second. */
  public double bytesPerSecond(Duration time) throws SideFailedException, InterruptedException {
    target.ask("begin");
    RunFigures run = RunFigures.of(origin.ask("run " + time.toNanos() + " " + ++seed));
    Usage there = Usage.of(target.ask("end " + run.operations() + " " + run.checksum()));
    Usage usage = inProcess ? run.usage() : run.usage().plus(there); // each is of its process
    cpuNanosPerByte =
        (double) usage.cpuNanos() / Math.max(1, run.operations() * layout.operationBytes());
    return run.operationsPerSecond() * layout.operationBytes();
  }

  /** Of the last run: nanoseconds of a CPU that both sides took for a byte. */
  public double cpuNanosPerByte() {
    return cpuNanosPerByte;
  }

  /** Milliseconds that the compilers of both sides have worked so far. */
  public long compiledMillis() throws SideFailedException, InterruptedException {
    long there = Long.parseLong(target.ask("compiled"));
    return inProcess ? there : there + Long.parseLong(origin.ask("compiled"));
  }

  @Override
  public void close() {
    end.run();
  }
}
