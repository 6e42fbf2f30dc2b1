package io.reactivetransfer.tools.perf;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Starts both sides, has them measure, and waits for both to end. */
final class TwoProcesses {

  /** A process that was killed is gone this soon after the other one has noticed. */
  private static final long UNTIL_GONE_MILLIS = 300;

  private TwoProcesses() {}

  static List<Result> run(Plan plan, Progress progress)
      throws IOException, SideFailedException, InterruptedException {
    Child target = Child.start(PerfCommand.Side.TARGET, plan, done -> {});
    Child origin = Child.start(PerfCommand.Side.ORIGIN, plan, progress::operations);
    // They end by themselves when their stdin does, but not if they are stuck.
    Thread onExit =
        Thread.ofPlatform()
            .unstarted(() -> {
              origin.destroy();
              target.destroy();
            });
    Runtime.getRuntime().addShutdownHook(onExit);
    try {
      target.awaitReady();
      origin.awaitReady();
      progress.say(
          "origin is process %d, target is process %d".formatted(origin.pid(), target.pid()));
      List<Result> results = new Benchmark(plan, origin, target, progress).run();
      origin.end();
      target.end();
      return results;
    } catch (SideFailedException e) {
      throw withEndings(e, origin, target);
    } finally {
      origin.destroy();
      target.destroy();
    }
  }

  /** Says, too, what became of the processes: who is lost may have been killed. */
  private static SideFailedException withEndings(
      SideFailedException failure, Child origin, Child target) throws InterruptedException {
    Thread.sleep(UNTIL_GONE_MILLIS);
    String text = String.valueOf(failure.getMessage());
    String endings =
        Stream.of(origin, target)
            .flatMap(child -> Stream.ofNullable(child.ending()))
            .filter(ending -> !text.contains(ending))
            .map(ending -> "; " + ending)
            .collect(Collectors.joining());
    return new SideFailedException(text + endings, failure);
  }
}
