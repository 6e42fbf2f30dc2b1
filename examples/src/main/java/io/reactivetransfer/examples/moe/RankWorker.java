package io.reactivetransfer.examples.moe;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.examples.worker.SharedClock;
import io.reactivetransfer.examples.worker.Worker;
import io.reactivetransfer.examples.worker.WorkerMemory;
import io.reactivetransfer.moe.GroupFailedException;
import io.reactivetransfer.moe.MoeGroup;
import io.reactivetransfer.moe.MoeMemory;
import io.reactivetransfer.moe.MoeNode;
import io.reactivetransfer.moe.MoeOptions;
import io.reactivetransfer.moe.MoeShape;
import io.reactivetransfer.moe.MoeStep;
import io.reactivetransfer.tools.moe.Barrier;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** One rank: joins groups, and does the steps that it is asked for. */
final class RankWorker implements Worker {

  /** Timed steps have these numbers in turn, so that not all are alike. */
  static final List<Integer> TIMED = List.of(101, 102, 103, 104);

  private static final Duration SLACK = Duration.ofSeconds(30);

  private final Plan plan;
  private final Node node;
  private final MemorySegment memory;
  private final WorkerMemory tokens;
  private final WorkerMemory sums;

  /** Where experts have tokens and results; null if that is in the host. */
  private final @Nullable DeviceMemory ofExperts;

  private final WorkScheduler work;
  private MoeNode groups;
  private TokenMemory sent;
  private @Nullable MoeGroup group;
  private @Nullable StepLoop loop;
  private @Nullable Layers layers;
  private @Nullable PlainExchange plain;
  private @Nullable Barrier barrier;
  private @Nullable Posts posts;
  private @Nullable NotedSteps noted;

  private RankWorker(Plan plan, int rank) {
    this.plan = plan;
    this.node = Node.open(plan);
    this.groups = MoeNode.open(node.engine);
    this.work = new WorkScheduler(plan.signals().scheduler());
    this.memory = node.allocate(bytes(plan, rank));
    this.tokens = node.allocateOnDevice((long) plan.tokens() * plan.tokenBytes());
    this.ofExperts =
        plan.device().equals(Device.HOST)
            ? null
            : (DeviceMemory)
                node.allocateOnDevice(most(plan, rank, MoeMemory::expertBytes)).memory();
    this.sent = TokenMemory.of(node.engine, tokens.memory());
    this.sums =
        node.allocateOnDevice(
            (long) plan.lanes() * plan.tokens() * plan.shape(plan.ranks()).sumBytes());
  }

  static RankWorker open(Plan plan, int rank) {
    return new RankWorker(plan, rank);
  }

  /** How much it needs for its group, and for that of those that are left when one is lost. */
  static long bytes(Plan plan, int rank) {
    return most(plan, rank, MoeMemory::bytes);
  }

  private static long most(Plan plan, int rank, ToLongFunction<MoeMemory> of) {
    long bytes = of.applyAsLong(plan.shape(plan.ranks()).memory(rank));
    MoeShape fewer = plan.ranks() > 1 ? plan.shape(plan.ranks() - 1) : plan.shape(1);
    return Math.max(
        bytes, of.applyAsLong(fewer.memory(Math.max(0, Math.min(rank, plan.ranks() - 2)))));
  }

  @Override
  public String answer(String line) throws Exception {
    int blank = line.indexOf(' ');
    String word = blank < 0 ? line : line.substring(0, blank);
    String rest = line.substring(blank + 1);
    return switch (word) {
      case "address" -> node.engine.address().toText();
      case "join" -> join(Arrays.asList(rest.split(" ")));
      case "verify" -> verify(Integer.parseInt(rest));
      case "steps" -> steps(Integer.parseInt(rest)).toLine();
      case "layers" -> layers(Arrays.asList(rest.split(" ")));
      case "spans" -> Span.toLine(required(layers).spans());
      case "work" -> work.work().toLine();
      case "lose" -> lose();
      case "leave" -> leave();
      case "note" -> note();
      case "noted" -> required(required(noted).run(Integer.parseInt(rest)).block()).toLine();
      case "plain" -> {
        PlainExchange opened =
            new PlainExchange(plan, node, group().shape(), group().rank(), memory);
        plain = opened;
        yield opened.toLine();
      }
      case "plain-open" -> {
        plain().open(Arrays.asList(rest.split(" ")), TIMED);
        yield "";
      }
      case "plain-run" -> Times.toLine(required(plain().run(Integer.parseInt(rest)).block()));
      case "plain-close" -> {
        plain().close();
        yield "";
      }
      case "barrier" -> {
        Barrier opened = Node.await(Barrier.open(node.engine, group().shape().ranks()));
        barrier = opened;
        yield opened.toLine();
      }
      case "barrier-join" -> {
        required(barrier).join(Arrays.asList(rest.split(" ")), group().rank());
        yield "";
      }
      case "steps-by" -> stepsBy(Arrays.asList(rest.split(" "))).toLine();
      case "barrier-close" -> {
        required(barrier).close();
        yield "";
      }
      case "compiled" ->
          String.valueOf(ManagementFactory.getCompilationMXBean().getTotalCompilationTime());
      default -> throw new IllegalArgumentException("not known to a rank: " + line);
    };
  }

  /** A group: its name, and the addresses of its ranks. */
  private String join(List<String> words) {
    List<PeerAddress> ranks =
        words.subList(1, words.size()).stream().map(PeerAddress::fromText).toList();
    MoeOptions.Builder options =
        MoeOptions.builder().deadline(plan.deadline()).scheduler(plan.signals().ofGroup(work));
    if (ofExperts != null) {
      options.expertMemory(ofExperts);
    }
    MoeShape shape = plan.shape(ranks.size());
    MoeGroup joined =
        Node.await(groups.join(words.getFirst(), shape, ranks, memory, options.build()));
    group = joined;
    int rank = joined.rank();
    List<Routing> routings =
        TIMED.stream().map(step -> Routing.of(plan, step, rank, ranks.size())).toList();
    loop = new StepLoop(joined, routings, sent, sums.memory());
    layers = new Layers(joined, routings, sent, sums);
    Posts ofNics = posts;
    if (ofNics != null) {
      noted = new NotedSteps(joined, ofNics, routings, sent, sums.memory());
    }
    return "";
  }

  private static <T> T required(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("asked for what was not made ready before");
    }
    return value;
  }

  private MoeGroup group() {
    return required(group);
  }

  private StepLoop loop() {
    return required(loop);
  }

  private PlainExchange plain() {
    return required(plain);
  }

  /** A step on each lane, whose experts compute; says what the sums of each are. */
  private String verify(int step) {
    int ranks = group().shape().ranks();
    Routing routing = Routing.of(plan, step, group().rank(), ranks);
    MemorySegment made = tokens.read(0, (long) routing.tokens() * plan.tokenBytes());
    Tokens.write(plan, step, group().rank(), routing.tokens(), made);
    tokens.write(0, made);
    return IntStream.range(0, plan.lanes())
        .mapToObj(lane -> verify(lane, routing).toLine())
        .collect(Collectors.joining("|"));
  }

  private Sums verify(int lane, Routing routing) {
    sums.fill((byte) 0);
    MoeStep step = group().lane(lane).begin(routing.tokens(), routing.experts(), routing.weights());
    sent.run(step, batch -> Mono.fromRunnable(() -> Experts.compute(plan, batch)), sums.memory())
        .block(plan.deadline().plus(SLACK));
    MemorySegment came = sums.read(0, routing.tokens() * group().shape().sumBytes());
    return Sums.of(plan, routing.tokens(), came);
  }

  private Times steps(int count) {
    return required(loop().run(count).block());
  }

  /** Steps: in which way memory is used again, and how many. */
  private Times stepsBy(List<String> words) {
    int count = Integer.parseInt(words.get(1));
    Mono<Times> steps =
        switch (Barriers.Way.of(words.get(0))) {
          case EXCHANGES -> loop().run(count);
          case BARRIERS -> loop().run(count, required(barrier));
          case LANES -> loop().runOnLanes(count);
        };
    return required(steps.block());
  }

  /** Layers of all lanes: how many, how long the work takes, and whether lanes overlap. */
  private String layers(List<String> words) {
    return String.valueOf(
        required(layers)
            .run(
                Integer.parseInt(words.get(0)),
                Long.parseLong(words.get(1)),
                Boolean.parseBoolean(words.get(2)))
            .block());
  }

  /** Does steps until somebody is lost; says when it was told so, of whom, and how. */
  private String lose() {
    try {
      loop().endless().block();
      throw new IllegalStateException("expected to lose somebody");
    } catch (GroupFailedException e) {
      return SharedClock.nanosNow() + " " + e.rank().orElse(-1) + " " + e.getMessage();
    }
  }

  private String leave() {
    group().close().block(Node.SETUP);
    return "";
  }

  /** Leaves, and goes on with an engine whose NICs note what they take. */
  private String note() {
    MoeGroup left = group();
    leave();
    groups.close().block(Node.SETUP);
    Posts ofNics = new Posts(left.shape(), left.rank());
    posts = ofNics;
    node.reopen(plan, ofNics);
    sent = TokenMemory.of(node.engine, tokens.memory());
    groups = MoeNode.open(node.engine);
    return "";
  }

  @Override
  public void close() {
    groups.close().block(Node.SETUP);
    node.close();
  }
}
