package io.reactivetransfer.examples.moe;

import io.reactivetransfer.examples.report.Round;
import io.reactivetransfer.examples.worker.Asked;
import io.reactivetransfer.examples.worker.AskedWorker;
import io.reactivetransfer.examples.worker.ThreadWorker;
import io.reactivetransfer.tools.process.OnExit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/** All ranks, each in a process of its own if it can be. */
final class Cluster implements AutoCloseable {

  /** What a rank needs besides its group: buffers of the sockets, and their like. */
  private static final long EXTRA_BYTES = 512L << 20;

  /** Milliseconds in which compilers work for a second of steps when there is little left to do. */
  private static final long SETTLED_MILLIS = 60;

  /** In so many rounds, one behind the other: the next method may be about to be compiled. */
  private static final int SETTLED_ROUNDS = 3;

  final Plan plan;
  final Round round;
  private final List<Asked> ranks = new CopyOnWriteArrayList<>();
  private final OnExit onExit = OnExit.run(this::destroy);

  /** The most steps that are asked for at once, so that it is about a round. */
  private int most = 1;

  private int groups;

  private Cluster(Plan plan, Round round) {
    this.plan = plan;
    this.round = round;
  }

  /** Starts all, and has them join a group. */
  static Cluster start(Plan plan, Round round) throws IOException, InterruptedException {
    Cluster cluster = new Cluster(plan, round);
    try {
      for (int rank = 0; rank < plan.ranks(); rank++) {
        cluster.ranks.add(cluster.start(rank));
      }
      for (Asked rank : cluster.ranks) {
        rank.awaitAnswer();
      }
      cluster.join();
      return cluster;
    } catch (Throwable failure) {
      Asked.closeAfter(failure, cluster);
      throw failure;
    }
  }

  private Asked start(int rank) throws IOException {
    String name = "rank-" + rank;
    if (plan.inProcess()) {
      return new ThreadWorker(name, RankWorker.open(plan, rank));
    }
    List<String> arguments = new ArrayList<>(plan.toArguments());
    arguments.add(1, "--rank=" + rank);
    return AskedWorker.start(
        name,
        RankWorker.bytes(plan, rank) + EXTRA_BYTES,
        arguments,
        AskedWorker.PATIENCE.plus(plan.deadline().multipliedBy(2)), // or a step that ends late
        null);
  }

  /** All that there are join a new group. */
  void join() throws IOException, InterruptedException {
    groups++;
    answers("join layers/" + groups + " " + String.join(" ", answers("address")));
  }

  /** How many there are. */
  int count() {
    return ranks.size();
  }

  /** Asks all; their answers, by rank. */
  List<String> answers(String question) throws IOException, InterruptedException {
    ask(question);
    return awaitAnswers();
  }

  void ask(String question) {
    ranks.forEach(rank -> rank.ask(question));
  }

  List<String> awaitAnswers() throws IOException, InterruptedException {
    List<String> answers = new ArrayList<>();
    for (Asked rank : ranks) {
      answers.add(rank.awaitAnswer());
    }
    return answers;
  }

  /** One that can be killed. */
  AskedWorker process(int rank) {
    if (ranks.get(rank) instanceof AskedWorker process) {
      return process;
    }
    throw new IllegalStateException("expected a process, got a part of this one");
  }

  /** Goes on with those that are left. */
  void remove(int rank) {
    ranks.remove(rank).close();
  }

  /**
   * Does a step whose experts compute, and compares what each rank gets with the reference.
   *
   * @return how many tokens there were
   */
  long verify(int step) throws IOException, InterruptedException {
    ask("verify " + step);
    long tokens = 0;
    List<Sums> expected = new ArrayList<>();
    for (int rank = 0; rank < count(); rank++) {
      expected.add(Reference.sums(plan, step, rank, count()));
      tokens += Routing.of(plan, step, rank, count()).tokens();
    }
    List<String> answers = awaitAnswers();
    for (int rank = 0; rank < answers.size(); rank++) {
      String[] lanes = answers.get(rank).split("\\|", -1);
      for (int lane = 0; lane < lanes.length; lane++) {
        String difference = expected.get(rank).difference(Sums.of(lanes[lane]));
        if (!difference.isEmpty()) {
          throw new IOException(
              "rank %d has %s on lane %d than the reference, in step %d"
                  .formatted(rank, difference, lane, step));
        }
      }
    }
    return tokens * plan.lanes();
  }

  /** Steps one after the other; how long they took, by rank. */
  List<Times> steps(int count) throws IOException, InterruptedException {
    List<List<Times>> times = new ArrayList<>();
    ranks.forEach(rank -> times.add(new ArrayList<>()));
    for (int left = count; left > 0; left -= most) {
      List<String> answers = answers("steps " + Math.min(most, left));
      for (int rank = 0; rank < answers.size(); rank++) {
        times.get(rank).add(Times.of(answers.get(rank)));
      }
    }
    return times.stream().map(Times::of).toList();
  }

  /**
   * Steps in another group, of engines whose NICs note what they take. The group before it, whose
   * steps are timed, is over then.
   */
  HostTimes notedSteps() throws IOException, InterruptedException {
    answers("note");
    join();
    noted(); // what notes is new to the compilers
    return noted();
  }

  private HostTimes noted() throws IOException, InterruptedException {
    return HostTimes.of(answers("noted " + most).stream().map(HostTimes::of).toList());
  }

  /** The CPU time of all ranks so far. */
  Work work() throws IOException, InterruptedException {
    return Work.sum(answers("work").stream().map(Work::of).toList(), plan.inProcess());
  }

  /** Steps of all ranks when so many are timed: each time that they are asked, one more. */
  long stepsDone(int count) {
    return (count + Math.ceilDiv(count, most)) * (long) count();
  }

  /** How many steps take about a round; known after {@link #warmUp}. */
  int some() {
    return most;
  }

  /** Something that ranks are asked to do, again and again. */
  interface Asking {
    void run() throws IOException, InterruptedException;
  }

  /** Does steps until compilers have hardly anything to do, or for so many rounds. */
  void warmUp(int rounds) throws IOException, InterruptedException {
    untilCompiled(
        rounds,
        () -> {
          long began = System.nanoTime();
          do {
            double millis = Times.of(steps(most)).percentiles(Half.STEP).p50Millis();
            most = (int) Math.clamp(round.nanos() / 1e6 / millis, 1, 200);
          } while (System.nanoTime() - began < round.nanos());
        });
  }

  /** Does this until compilers have hardly anything to do meanwhile, or for so many rounds. */
  void untilCompiled(int rounds, Asking asking) throws IOException, InterruptedException {
    long end = System.nanoTime() + rounds * round.nanos();
    long compiled = compiledMillis();
    int settled = 0;
    do {
      asking.run();
      long now = compiledMillis();
      settled = now - compiled <= SETTLED_MILLIS ? settled + 1 : 0;
      compiled = now;
    } while (settled < SETTLED_ROUNDS && System.nanoTime() < end);
  }

  private long compiledMillis() throws IOException, InterruptedException {
    return answers("compiled").stream()
        .limit(plan.inProcess() ? 1 : count())
        .mapToLong(Long::parseLong)
        .sum();
  }

  /** Process ids, if there are processes. */
  String processes() {
    return "ranks are processes "
        + ranks.stream()
            .map(one -> one instanceof AskedWorker child ? String.valueOf(child.pid()) : "this one")
            .distinct()
            .collect(Collectors.joining(" "));
  }

  private void destroy() {
    ranks.forEach(Asked::close);
  }

  /** Has all leave and end by themselves, and ends those that do not. */
  @Override
  public void close() throws IOException {
    try (onExit) {
      Asked.endAll(ranks);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      destroy();
    }
  }
}
