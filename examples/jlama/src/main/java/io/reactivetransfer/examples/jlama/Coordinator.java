package io.reactivetransfer.examples.jlama;

import static java.util.stream.Collectors.joining;

import io.reactivetransfer.examples.jlama.NodeHandle.Listener;
import io.reactivetransfer.tools.process.OnExit;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** Starts the nodes, introduces them to each other, kills one if it is to, and listens. */
final class Coordinator {

  /** To start, and to compile what is computed: none of it is in a deadline. */
  private static final Duration GRACE = Duration.ofSeconds(60);

  private static final Duration END = Duration.ofSeconds(10);

  private record Event(int node, String word, String rest) {}

  private final Plan plan;
  private final List<NodeProgram> programs;
  private final List<NodeHandle> nodes = new ArrayList<>();
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private final Outcome outcome = new Outcome();
  private final Map<Integer, String> addresses = new HashMap<>();

  /** Decode nodes that are through with their rounds. */
  private final BitSet finished = new BitSet();

  /** Nodes that have told all. */
  private final BitSet told = new BitSet();

  private final BitSet ended = new BitSet();

  /** Of those that were killed, since when. */
  private final Map<Integer, Long> killedNanos = new HashMap<>();

  private Coordinator(Plan plan) {
    this.plan = plan;
    this.programs = programs(plan);
  }

  /** Decode nodes first. */
  private static List<NodeProgram> programs(Plan plan) {
    List<NodeProgram> programs = new ArrayList<>();
    if (plan.both()) {
      programs.add(new NodeProgram("node-1", true, 0));
      programs.add(new NodeProgram("node-2", true, 1));
      return programs;
    }
    programs.add(new NodeProgram("decode", false, 0));
    for (int i = 1; i <= plan.prefills(); i++) {
      programs.add(new NodeProgram("prefill-" + i, true, -1));
    }
    return programs;
  }

  /** Returns what they told when all have ended well. */
  static Outcome run(Plan plan, PrintWriter out) throws IOException, InterruptedException {
    Coordinator coordinator = new Coordinator(plan);
    try (OnExit _ = OnExit.run(coordinator::killAll)) {
      return coordinator.run(out);
    } finally {
      coordinator.killAll();
    }
  }

  private Outcome run(PrintWriter out) throws IOException, InterruptedException {
    for (int i = 0; i < programs.size(); i++) {
      int node = i;
      Listener listener = (word, rest) -> events.add(new Event(node, word, rest));
      nodes.add(
          plan.backend().equals("loopback")
              ? LocalNode.start(plan, programs.get(i), listener)
              : ChildNode.start(plan, programs.get(i), listener));
      if (programs.get(i).decodes()) {
        outcome.decodes.add(new Outcome.OfDecode());
      }
    }
    out.println(nodes.stream().map(Object::toString).collect(joining(", ")));
    out.flush();
    listenUntil(() -> addresses.size() == nodes.size());
    for (int i = 0; i < nodes.size(); i++) {
      if (programs.get(i).decodes()) {
        nodes.get(i).tell(Words.PEERS, addressesFor(i));
      }
    }
    listenUntil(() -> finished.cardinality() == outcome.decodes.size());
    for (int i = 0; i < nodes.size(); i++) {
      if (!killedNanos.containsKey(i)) {
        nodes.get(i).tell(Words.STOP, "now");
      }
    }
    listenUntil(() -> ended.cardinality() == nodes.size());
    return outcome;
  }

  /** Of those who serve, without itself. */
  private String addressesFor(int decode) {
    return servers().filter(i -> i != decode).mapToObj(addresses::get).collect(joining(" "));
  }

  private IntStream servers() {
    return IntStream.range(0, nodes.size()).filter(i -> programs.get(i).prefills());
  }

  private void listenUntil(BooleanSupplier enough) throws InterruptedException {
    while (!enough.getAsBoolean()) {
      Duration patience = plan.deadline().plus(GRACE);
      Event event = events.poll(patience.toNanos(), TimeUnit.NANOSECONDS);
      if (event == null) {
        throw new IllegalStateException(
            "nothing was heard of " + nodes + " for " + patience.toSeconds() + " s");
      }
      handle(event);
    }
  }

  private void handle(Event event) throws InterruptedException {
    int node = event.node();
    String rest = event.rest();
    switch (event.word()) {
      case Words.ADDRESS -> addresses.put(node, rest);
      case Words.ROUND -> {
        Done done = Done.of(rest);
        outcome.decodes.get(node).done.put(done.round(), done);
      }
      case Words.SERVED -> {
        Served served = Served.of(rest);
        outcome.decodes.get(servedBy(node)).served.put(served.round(), served);
      }
      case Words.STOPPED -> {
        long[] figures = Figures.split(rest, 2);
        outcome.decodes.get(servedBy(node)).stoppedBehind.put((int) figures[0], (int) figures[1]);
      }
      case Words.QUIET -> {
        long[] figures = Figures.split(rest, 2);
        outcome.decodes.get(node).quietNanos.put((int) figures[0], figures[1]);
      }
      case Words.KILL -> kill(server(rest));
      case Words.LOST -> lost(rest);
      case Words.FINISHED -> finished.set(node);
      case Words.BLOCKS -> {
        long[] figures = Figures.split(rest, 3);
        outcome.blocks.add(
            new Outcome.Blocks(nodes.get(node).toString(), figures[0], figures[1], figures[2]));
        told.set(node);
      }
      case Listener.END -> end(node);
      default -> throw new IllegalStateException(nodes.get(node) + " said " + event.word());
    }
  }

  /** Decode nodes come first, so a number of one is its number among them, too. */
  private int servedBy(int prefill) {
    return plan.both() ? 1 - prefill : 0;
  }

  /** A decode node knows them by their positions among the addresses that it was told. */
  private int server(String position) {
    return servers().toArray()[Integer.parseInt(position)];
  }

  private void kill(int node) {
    if (killedNanos.putIfAbsent(node, System.nanoTime()) == null) {
      nodes.get(node).kill();
    }
  }

  /** On Linux all processes have the same {@code nanoTime}. */
  private void lost(String line) {
    String[] words = line.split(" ", 5);
    int node = server(words[0]);
    Long since = killedNanos.get(node);
    if (since == null) {
      throw new IllegalStateException(nodes.get(node) + " was lost, and nobody killed it: " + line);
    }
    outcome.lost.add(
        new Outcome.Lost(
            nodes.get(node).toString(),
            Integer.parseInt(words[1]),
            Long.parseLong(words[2]) - since,
            words[3],
            words[4]));
  }

  private void end(int node) throws InterruptedException {
    ended.set(node);
    String failure = nodes.get(node).awaitEnd(END);
    if (killedNanos.containsKey(node)) {
      return;
    }
    if (failure != null || !told.get(node)) {
      throw new IllegalStateException(
          failure == null ? nodes.get(node) + " ended before its time" : failure);
    }
  }

  private void killAll() {
    nodes.forEach(NodeHandle::kill);
  }
}
