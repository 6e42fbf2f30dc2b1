package io.reactivetransfer.examples.weights;

import io.reactivetransfer.Message;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.examples.worker.Events;
import io.reactivetransfer.examples.worker.Worker;
import io.reactivetransfer.weights.remote.RemoteTrainers;
import io.reactivetransfer.weights.remote.TrainerProgress;
import io.reactivetransfer.weights.version.RankMember;
import io.reactivetransfer.weights.version.UpdateResult;
import io.reactivetransfer.weights.version.WeightsController;
import io.reactivetransfer.weights.version.WeightsTrainer;
import io.reactivetransfer.weights.version.WeightsUpdate;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The controller: has trainers write, and inference ranks take what they wrote, or none of them.
 */
final class ControllerWorker implements Worker {

  private static final int PING_BYTES = 64;
  private static final Duration UNTIL_LOST = Duration.ofSeconds(10);

  private final Plan plan;
  private final Node node;
  private final WeightsController controller;
  private final RemoteTrainers remote;

  /** Whoever adds to it is a thread that may not wait for a lock. */
  private final BlockingQueue<Message> pongs = new LinkedTransferQueue<>();

  private List<Peer> trainers = List.of();
  private Map<String, RankMember> members = Map.of();
  private Map<String, Long> arrivals = Map.of();

  private ControllerWorker(Plan plan, Events events) {
    this.plan = plan;
    this.node = Node.open(plan);
    this.controller = WeightsController.open(node.engine);
    this.remote = RemoteTrainers.open(node.engine);
    remote.progress().subscribe(progress -> say(events, progress));
    node.engine.messages(RankWorker.PING).subscribe(pongs::add);
  }

  static ControllerWorker open(Plan plan, Events events) {
    return new ControllerWorker(plan, events);
  }

  private static void say(Events events, TrainerProgress progress) {
    events.happened("progress", TrainerFigures.of(progress.sum()).toLine());
  }

  @Override
  public String answer(String line) throws InterruptedException {
    int blank = line.indexOf(' ');
    String word = blank < 0 ? line : line.substring(0, blank);
    String rest = line.substring(blank + 1);
    return switch (word) {
      case "trainers" -> {
        trainers = Arrays.stream(rest.split(" ", -1)).map(this::peer).toList();
        yield "";
      }
      case "ranks" -> ranks(rest);
      case "update" -> update(rest.split(" ", -1));
      case "recover" -> recover(rest.split(" ", -1));
      case "ping" -> ping();
      case "round" -> String.valueOf(round(members.values()));
      case "compiled" ->
          String.valueOf(ManagementFactory.getCompilationMXBean().getTotalCompilationTime());
      default -> throw new IllegalArgumentException("not known to a controller: " + line);
    };
  }

  private Peer peer(String address) {
    return node.engine.peer(PeerAddress.fromText(address));
  }

  /** For each a name, how many writes fill it, and its address. */
  private String ranks(String rest) {
    Map<String, RankMember> known = new LinkedHashMap<>();
    Map<String, Long> counts = new LinkedHashMap<>();
    String[] parts = rest.split(" ", -1);
    for (int i = 0; i < parts.length; i += 3) {
      known.put(parts[i], new RankMember(parts[i], peer(parts[i + 2])));
      counts.put(parts[i], Long.parseLong(parts[i + 1]));
    }
    members = known;
    arrivals = counts;
    return "";
  }

  private List<RankMember> members(String names) {
    return Arrays.stream(names.split(","))
        .map(name -> Objects.requireNonNull(members.get(name)))
        .toList();
  }

  /** Version, milliseconds until the deadline, names of ranks. */
  private String update(String[] parts) {
    List<RankMember> ranks = members(parts[2]);
    Map<String, Long> counts = new LinkedHashMap<>();
    ranks.forEach(rank -> counts.put(rank.name(), arrivals.getOrDefault(rank.name(), 1L)));
    AtomicLong told = new AtomicLong();
    AtomicLong written = new AtomicLong();
    List<WeightsTrainer> writers = new ArrayList<>();
    for (Peer trainer : trainers) {
      WeightsTrainer writer = remote.trainer(trainer, plan.checksums().scope());
      writers.add(order -> {
        told.compareAndSet(0, Moment.nanosNow());
        return Flux.from(writer.write(order)).doOnComplete(() -> written.set(Moment.nanosNow()));
      });
    }
    WeightsUpdate update =
        new WeightsUpdate(
            Long.parseLong(parts[0]),
            plan.mode().mode,
            counts,
            Duration.ofMillis(Long.parseLong(parts[1])));
    long began = Moment.nanosNow();
    UpdateResult result = result(controller.update(update, ranks, writers));
    return UpdateEnd.of(result, began, told.get(), written.get()).toLine();
  }

  /** Milliseconds until the deadline, names of all ranks that may live. */
  private String recover(String[] parts) {
    long began = Moment.nanosNow();
    Duration deadline = Duration.ofMillis(Long.parseLong(parts[0]));
    UpdateResult result = result(controller.recover(members(parts[1]), deadline));
    return UpdateEnd.of(result, began, 0, 0).toLine();
  }

  private static UpdateResult result(Mono<UpdateResult> running) {
    return Objects.requireNonNull(running.block());
  }

  /** A message to each rank and back, one after the other; says how long each took. */
  private String ping() throws InterruptedException {
    List<String> nanos = new ArrayList<>();
    for (RankMember rank : members.values()) {
      nanos.add(String.valueOf(round(List.of(rank))));
    }
    return String.join(" ", nanos);
  }

  /** From a message to each of them until the last answer is here. */
  private long round(Collection<RankMember> ranks) throws InterruptedException {
    long sent = System.nanoTime();
    for (RankMember rank : ranks) {
      node.engine.send(rank.peer(), RankWorker.PING, ByteBuffer.allocate(PING_BYTES)).subscribe();
    }
    for (int i = 0; i < ranks.size(); i++) {
      if (pongs.poll(UNTIL_LOST.toMillis(), TimeUnit.MILLISECONDS) == null) {
        throw new IllegalStateException("no answer of a rank to a message");
      }
    }
    return System.nanoTime() - sent;
  }

  @Override
  public void close() {
    remote.close();
    controller.close();
    try {
      Mono.when(remote.closed(), controller.closed()).block(Node.SETUP);
    } finally {
      node.close();
    }
  }
}
