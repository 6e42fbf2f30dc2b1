package io.reactivetransfer.examples.weights;

import io.reactivetransfer.examples.worker.Asked;
import io.reactivetransfer.examples.worker.AskedWorker;
import io.reactivetransfer.examples.worker.Events;
import io.reactivetransfer.examples.worker.LocalWorker;
import io.reactivetransfer.tools.process.OnExit;
import io.reactivetransfer.weights.RegionSpec;
import io.reactivetransfer.weights.codec.WeightsCodec;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Step;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Trainers, inference ranks and a controller, each in a process of its own if it can be; and the
 * table and the reference, which this process computes.
 */
final class Cluster implements AutoCloseable {

  /** Bytes of a table on one line; a line may have 64 KiB. */
  private static final int TABLE_PART = 40_000;

  /** What a worker needs besides weights: buffers of the sockets, and their like. */
  private static final long EXTRA_BYTES = 512L << 20;

  /** A worker makes so much of the weights, or compares it, however busy the machine is. */
  private static final long LEAST_BYTES_PER_SECOND = 5_000_000;

  final Plan plan;
  final Weights weights;
  final RoutingTable table;
  final long planNanos;
  private final Reference reference;
  private final Events events;
  private final List<Asked> trainers = new CopyOnWriteArrayList<>();
  private final List<Asked> ranks = new CopyOnWriteArrayList<>();

  /** One at a time, but for a while when one is replaced. */
  private final List<Asked> controllers = new CopyOnWriteArrayList<>();

  private final OnExit onExit = OnExit.run(this::destroy);

  private Cluster(Plan plan, Weights weights, Events events) {
    this.plan = plan;
    this.weights = weights;
    this.events = events;
    Descriptions descriptions = new Descriptions(weights, plan.from(), plan.to());
    long began = System.nanoTime();
    this.table = descriptions.table();
    this.planNanos = System.nanoTime() - began;
    this.reference = new Reference(weights, descriptions, plan.ranks());
  }

  /**
   * Starts all, and introduces them to each other.
   *
   * @param events is told what the controller says of its progress
   */
  static Cluster start(Plan plan, Events events) throws IOException, InterruptedException {
    Cluster cluster = new Cluster(plan, plan.open(), events);
    try {
      for (int i = 0; i < plan.trainers(); i++) {
        cluster.trainers.add(cluster.start(Role.TRAINER, i));
      }
      for (int i = 0; i < plan.ranks(); i++) {
        cluster.ranks.add(cluster.start(Role.RANK, i));
      }
      cluster.controllers.add(cluster.start(Role.CONTROLLER, 0));
      for (Asked worker : cluster.all()) {
        worker.awaitAnswer();
      }
      for (int i = 0; i < plan.trainers(); i++) {
        cluster.tellTable(i);
      }
      cluster.introduceTrainers();
      cluster.introduceRanks();
      return cluster;
    } catch (Throwable failure) {
      Asked.closeAfter(failure, cluster);
      throw failure;
    }
  }

  private Asked start(Role role, int index) throws IOException {
    if (plan.inProcess()) {
      return new LocalWorker(role.open(plan, index, events));
    }
    List<String> arguments = new ArrayList<>(plan.toArguments());
    arguments.add(1, "--role=" + role);
    arguments.add(2, "--index=" + index);
    long bytes = bytes(role, index);
    return AskedWorker.start(
        role.name(index), bytes + EXTRA_BYTES, arguments, patience(plan.deadline(), bytes), events);
  }

  /** Until what is asked is done: an update, which may end late, or making or reading weights. */
  static Duration patience(Duration deadline, long bytes) {
    return AskedWorker.PATIENCE
        .plus(deadline.multipliedBy(2))
        .plusSeconds(bytes / LEAST_BYTES_PER_SECOND);
  }

  private long bytes(Role role, int index) {
    return switch (role) {
      case TRAINER -> bytes(table.sources().get(index).regions()) + 2 * plan.watermark();
      case RANK -> bytes(table.targets().get(index).regions()) * plan.mode().buffers;
      case CONTROLLER -> 0;
    };
  }

  private static long bytes(List<RegionSpec> regions) {
    return regions.stream().mapToLong(RegionSpec::bytes).sum();
  }

  private List<Asked> all() {
    List<Asked> all = new ArrayList<>(trainers);
    all.addAll(ranks);
    all.addAll(controllers);
    return all;
  }

  /** Who decides now. */
  Asked controller() {
    return controllers.getLast();
  }

  private List<Asked> of(Role role) {
    return switch (role) {
      case TRAINER -> trainers;
      case RANK -> ranks;
      case CONTROLLER -> controllers;
    };
  }

  /** How many processes of a kind there are. */
  int count(Role role) {
    return of(role).size();
  }

  /** One that can be killed. */
  AskedWorker process(Role role, int index) {
    if (of(role).get(index) instanceof AskedWorker process) {
      return process;
    }
    throw new IllegalStateException("expected a process, got a part of this one");
  }

  Asked rank(int index) {
    return ranks.get(index);
  }

  private static List<String> answers(List<Asked> of, String question)
      throws IOException, InterruptedException {
    of.forEach(one -> one.ask(question));
    List<String> answers = new ArrayList<>();
    for (Asked one : of) {
      answers.add(one.awaitAnswer());
    }
    return answers;
  }

  List<String> ofTrainers(String question) throws IOException, InterruptedException {
    return answers(trainers, question);
  }

  List<String> ofRanks(String question) throws IOException, InterruptedException {
    return answers(ranks, question);
  }

  /** Whether trainers prepare anything: cast, quantise, or load. */
  boolean hasPrepares() {
    return IntStream.range(0, plan.trainers())
        .anyMatch(i -> table.steps(i).stream().anyMatch(step -> step instanceof Step.Prepare));
  }

  /** Milliseconds that the compilers of all have worked so far. */
  long compiledMillis() throws IOException, InterruptedException {
    return answers(all(), "compiled").stream().mapToLong(Long::parseLong).sum();
  }

  /** A trainer is sent its part of the table. */
  private void tellTable(int index) throws IOException, InterruptedException {
    ByteBuffer encoded = WeightsCodec.encode(table.only(index));
    while (encoded.hasRemaining()) {
      byte[] part = new byte[Math.min(TABLE_PART, encoded.remaining())];
      encoded.get(part);
      trainers.get(index).answer("table " + Base64.getEncoder().encodeToString(part));
    }
  }

  /** Trainers are told of each other, and the controller of them. */
  private void introduceTrainers() throws IOException, InterruptedException {
    String addresses = String.join(" ", ofTrainers("address"));
    ofTrainers("open " + addresses);
    controller().answer("trainers " + addresses);
  }

  private void introduceRanks() throws IOException, InterruptedException {
    List<String> addresses = ofRanks("address");
    long[] arrivals = table.arrivals();
    controller()
        .answer(
            "ranks "
                + IntStream.range(0, ranks.size())
                    .mapToObj(i -> Role.RANK.name(i) + " " + arrivals[i] + " " + addresses.get(i))
                    .collect(Collectors.joining(" ")));
  }

  /** All ranks of this run. */
  String allRanks() {
    return IntStream.range(0, ranks.size())
        .mapToObj(Role.RANK::name)
        .collect(Collectors.joining(","));
  }

  /** The trainers compute a version; the ranks are told what the reference has of it. */
  void fill(long version) throws IOException, InterruptedException {
    trainers.forEach(trainer -> trainer.ask("fill " + version));
    List<List<Integer>> sums = reference.sums(version);
    for (int i = 0; i < ranks.size(); i++) {
      expect(ranks.get(i), version, sums.get(i));
    }
    for (Asked trainer : trainers) {
      trainer.awaitAnswer();
    }
  }

  private static void expect(Asked rank, long version, List<Integer> sums)
      throws IOException, InterruptedException {
    for (String line : TensorSums.toLines(sums)) {
      rank.answer("sums " + line);
    }
    rank.answer("expect " + version);
  }

  /** What has happened at one of them since it was asked last. */
  List<Moment> moments(Role role, int index) throws IOException, InterruptedException {
    List<Moment> moments = new ArrayList<>();
    List<Moment> more;
    do {
      more = Moment.of(of(role).get(index).answer("moments"));
      moments.addAll(more);
    } while (!more.isEmpty());
    return moments;
  }

  /** Has the controller begin with an update of these ranks. */
  void beginUpdate(long version, String names) {
    controller().ask("update " + version + " " + plan.deadline().toMillis() + " " + names);
  }

  /** An update of all ranks. */
  UpdateEnd update(long version) throws IOException, InterruptedException {
    beginUpdate(version, allRanks());
    return UpdateEnd.of(controller().awaitAnswer());
  }

  /** Compares every byte of every rank with the reference; says how many there are. */
  long verify(long version) throws IOException, InterruptedException {
    long bytes = 0;
    List<String> answers = ofRanks("verify " + version);
    for (int i = 0; i < answers.size(); i++) {
      if (answers.get(i).startsWith("- ")) {
        throw new IOException(Role.RANK.name(i) + ": " + answers.get(i).substring(2));
      }
      bytes += Long.parseLong(answers.get(i));
    }
    return bytes;
  }

  /** What trainers say of the update that has ended. */
  List<TrainerFigures> figures() throws IOException, InterruptedException {
    return TrainerFigures.ofAll(ofTrainers("figures"));
  }

  /** Of the update that has ended: how long the run of the slowest trainer took. */
  long slowestNanos() throws IOException, InterruptedException {
    return figures().stream().mapToLong(TrainerFigures::elapsedNanos).max().orElse(0);
  }

  /** Starts another trainer in place of one that is gone; all others are told of it. */
  void replaceTrainer(int index) throws IOException, InterruptedException {
    trainers.get(index).close();
    Asked started = start(Role.TRAINER, index);
    trainers.set(index, started);
    started.awaitAnswer();
    tellTable(index);
    introduceTrainers();
  }

  /** Starts another rank in place of one that is gone, which is told what versions are. */
  void replaceRank(int index, long... versions) throws IOException, InterruptedException {
    ranks.get(index).close();
    Asked started = start(Role.RANK, index);
    ranks.set(index, started);
    started.awaitAnswer();
    for (long version : versions) {
      expect(started, version, reference.sums(version).get(index));
    }
    introduceRanks();
  }

  /** Starts another controller beside the one that there is, which may live. */
  void addController() throws IOException, InterruptedException {
    Asked started = start(Role.CONTROLLER, controllers.size());
    controllers.add(started);
    started.awaitAnswer();
    controller().answer("trainers " + String.join(" ", ofTrainers("address")));
    introduceRanks();
  }

  /** Ends the controllers before the last one. */
  void endOldControllers() {
    while (controllers.size() > 1) {
      controllers.removeFirst().close();
    }
  }

  /** A recovery by the controller that there is now; all ranks but those that are gone live. */
  UpdateEnd recover() throws IOException, InterruptedException {
    return UpdateEnd.of(
        controller().answer("recover " + plan.deadline().toMillis() + " " + allRanks()));
  }

  /** Process ids, if there are processes. */
  String processes() {
    return Arrays.stream(Role.values()).map(this::processes).collect(Collectors.joining(", "));
  }

  private String processes(Role role) {
    List<Asked> of = of(role);
    return role
        + (of.size() == 1 ? " is process " : "s are processes ")
        + of.stream()
            .map(one -> one instanceof AskedWorker child ? String.valueOf(child.pid()) : "this one")
            .distinct()
            .collect(Collectors.joining(" "));
  }

  private void destroy() {
    all().forEach(Asked::close);
  }

  /** Has all end by themselves, and ends those that do not. */
  @Override
  public void close() throws IOException {
    try (onExit;
        weights) {
      List<Asked> inOrder = new ArrayList<>(controllers);
      inOrder.addAll(trainers);
      inOrder.addAll(ranks);
      Asked.endInTurn(inOrder);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      destroy();
    }
  }
}
