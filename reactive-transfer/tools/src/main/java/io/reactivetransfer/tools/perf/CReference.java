package io.reactivetransfer.tools.perf;

import io.reactivetransfer.tools.process.OnExit;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The reference of libfabric: two processes of a program in C, which is compiled for the run. They
 * take questions as the sides of ours do; {@code main.c} has the list.
 */
final class CReference implements ReferenceRuns {

  private final Plan plan;
  private final ChildSide origin;
  private final ChildSide target;
  private final OnExit onExit;
  private Layout layout;

  private CReference(Plan plan, ChildSide origin, ChildSide target) {
    this.plan = plan;
    this.origin = origin;
    this.target = target;
    this.layout = Layout.of(plan, 1);
    // They end by themselves when their stdin does, but not if they are stuck.
    this.onExit = OnExit.run(this::destroy);
  }

  /** Compiles it, starts both sides, and introduces them to each other. */
  static CReference start(Plan plan, Progress progress)
      throws IOException, SideFailedException, InterruptedException {
    Path folder = Files.createTempDirectory("reactive-transfer-reference");
    try {
      return start(CCompiler.find(FabricLibrary.chosen()).compile(folder), plan, progress);
    } finally {
      delete(folder); // a program that runs does not need its file any more
    }
  }

  /** The same with a program that is compiled. */
  static CReference start(Path program, Plan plan, Progress progress)
      throws IOException, SideFailedException, InterruptedException {
    CReference reference = startProcesses(program, plan);
    try {
      progress.say(Reference.C + ": " + reference.introduce());
      return reference;
    } catch (SideFailedException | InterruptedException | RuntimeException e) {
      reference.close();
      throw e;
    }
  }

  private static CReference startProcesses(Path program, Plan plan) throws IOException {
    ChildSide target = startSide(program, PerfCommand.Side.TARGET, plan);
    try {
      return new CReference(plan, startSide(program, PerfCommand.Side.ORIGIN, plan), target);
    } catch (Throwable failure) {
      target.destroy();
      throw failure;
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }

  private static ChildSide startSide(Path program, PerfCommand.Side side, Plan plan)
      throws IOException {
    List<String> command = new ArrayList<>(List.of(program.toString(), side.toString()));
    command.addAll(List.of("--provider", Objects.requireNonNull(plan.provider())));
    command.addAll(List.of("--memory", String.valueOf(Layout.mostBytes(plan))));
    if (!"shm".equals(plan.provider())) { // as ours: shm does not keep it
      command.add("--delivery-complete");
    }
    command.addAll(List.of("--post", plan.op() == Op.WRITE ? "write" : "writedata"));
    Process process = new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
    return ChildSide.of("reference's " + side, process, plan, done -> {});
  }

  /** Returns what the origin says of its library and provider. */
  private String introduce() throws SideFailedException, InterruptedException {
    target.awaitReady();
    String about = origin.awaitReady();
    origin.ask("target " + target.ask("address"));
    target.ask("origin " + origin.ask("address"));
    return about;
  }

  @Override
  public void prepare(Layout layout) {
    this.layout = layout;
  }

  @Override
  public RunFigures run(long nanos) throws SideFailedException, InterruptedException {
    boolean pingPong = plan.op() == Op.PING_PONG;
    target.ask(pingPong ? "return " + layout.size() : "count");
    String question =
        pingPong
            ? "ping-pong " + layout.size()
            : "run " + layout.size() + " " + layout.parts() + " " + layout.outstanding();
    RunFigures figures = RunFigures.withoutUsage(origin.ask(question + " " + nanos));
    long each = pingPong ? 1 : plan.op().arrivals(layout.parts());
    target.ask("counted " + figures.operations() * each);
    return figures;
  }

  @Override
  public void close() {
    try {
      origin.end();
      target.end();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      destroy();
      onExit.close();
    }
  }

  private void destroy() {
    origin.destroy();
    target.destroy();
  }
}
