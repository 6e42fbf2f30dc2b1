package io.reactivetransfer.tools.perf;

import io.reactivetransfer.tools.process.OnExit;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Starts both sides, has them measure, and waits for both to end. */
final class TwoProcesses {

  /** A process that was killed is gone this soon after the other one has noticed, or was not. */
  private static final long UNTIL_GONE_NANOS = 6_000_000_000L;

  private static final long LOOK_MILLIS = 20;

  private TwoProcesses() {}

  static List<Result> run(Plan plan, Progress progress)
      throws IOException, SideFailedException, InterruptedException {
    ChildSide target = ChildSide.start(PerfCommand.Side.TARGET, plan, done -> {});
    try {
      return measure(plan, target, progress);
    } catch (Throwable failure) {
      target.destroy();
      throw failure;
    }
  }

  private static List<Result> measure(Plan plan, ChildSide target, Progress progress)
      throws IOException, SideFailedException, InterruptedException {
    ChildSide origin = ChildSide.start(PerfCommand.Side.ORIGIN, plan, progress::operations);
    try {
      target.awaitReady();
    } catch (Throwable failure) {
      origin.destroy();
      throw failure;
    }
    return measure(plan, origin, target, progress);
  }

  /** Has a target that is ready and an origin that was started measure, and ends both. */
  static List<Result> measure(Plan plan, AskedSide origin, AskedSide target, Progress progress)
      throws IOException, SideFailedException, InterruptedException {
    // They end by themselves when this process does, but not if they are stuck.
    Runnable end =
        () -> {
          origin.destroy();
          target.destroy();
        };
    try (OnExit _ = OnExit.run(end)) {
      origin.awaitReady();
      progress.say("origin is %s, target is %s".formatted(origin.place(), target.place()));
      List<Result> results = new Benchmark(plan, origin, target, progress).run();
      origin.end();
      target.end();
      return results;
    } catch (SideFailedException e) {
      throw withEndings(e, origin, target);
    } finally {
      end.run();
    }
  }

  /** Says, too, what became of the processes: who is lost may have been killed. */
  private static SideFailedException withEndings(
      SideFailedException failure, AskedSide origin, AskedSide target) throws InterruptedException {
    long begin = System.nanoTime();
    while (origin.ending() == null
        && target.ending() == null
        && System.nanoTime() - begin < UNTIL_GONE_NANOS) {
      Thread.sleep(LOOK_MILLIS);
    }
    String text = String.valueOf(failure.getMessage());
    String endings =
        Stream.of(origin, target)
            .flatMap(side -> Stream.ofNullable(side.ending()))
            .filter(ending -> !text.contains(ending))
            .map(ending -> "; " + ending)
            .collect(Collectors.joining());
    return new SideFailedException(text + endings, failure);
  }
}
