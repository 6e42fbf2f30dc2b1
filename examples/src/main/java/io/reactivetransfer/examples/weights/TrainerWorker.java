package io.reactivetransfer.examples.weights;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.examples.weights.Moment.What;
import io.reactivetransfer.examples.worker.Worker;
import io.reactivetransfer.examples.worker.WorkerMemory;
import io.reactivetransfer.weights.Piece;
import io.reactivetransfer.weights.SourceRank;
import io.reactivetransfer.weights.SourceShare;
import io.reactivetransfer.weights.codec.WeightsCodec;
import io.reactivetransfer.weights.kernel.PrepareFunction;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.remote.TrainerService;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.run.RunProgress;
import io.reactivetransfer.weights.run.SourceMemory;
import io.reactivetransfer.weights.run.TrainerRank;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One rank of the trainer: has its part of the weights, and writes it when it is ordered to. */
final class TrainerWorker implements Worker {

  private static final Duration MOST_LATE = Duration.ofSeconds(30);

  private final Plan plan;
  private final int index;
  private final Node node;
  private final Weights weights;
  private final SourceRank source;

  /** The region of a model that is made up; null if there is a file. */
  private @Nullable WorkerMemory made;

  /** Its regions, as its description names them, where the host has them. */
  private final List<MemorySegment> segments = new ArrayList<>();

  private final List<SourceMemory> memory = new ArrayList<>();
  private final ByteArrayOutputStream tableBytes = new ByteArrayOutputStream();
  private final List<Moment> moments = new ArrayList<>();
  private @Nullable RoutingTable table;
  private @Nullable TrainerRank trainer;
  private @Nullable TrainerService service;
  private volatile @Nullable RunProgress last;

  private TrainerWorker(Plan plan, int index) throws IOException {
    this.plan = plan;
    this.index = index;
    this.weights = plan.open();
    this.node = Node.open(plan);
    this.source = new Descriptions(weights, plan.from(), plan.to()).source(index);
    if (weights instanceof FileWeights files) {
      // NICs do not read files: what lies there is loaded.
      files
          .files()
          .forEach(file -> {
            segments.add(file.all());
            memory.add(SourceMemory.loaded(file.all()));
          });
    } else {
      WorkerMemory own = node.allocate(source.rank().regions().getFirst().bytes());
      made = own;
      if (own.memory() instanceof HostMemory host) {
        segments.add(host.segment());
      }
      memory.add(SourceMemory.of(Node.await(node.engine.register(own.memory(), Access.LOCAL))));
    }
  }

  static TrainerWorker open(Plan plan, int index) throws IOException {
    return new TrainerWorker(plan, index);
  }

  @Override
  public String answer(String line) throws InterruptedException {
    int blank = line.indexOf(' ');
    String word = blank < 0 ? line : line.substring(0, blank);
    String rest = line.substring(blank + 1);
    return switch (word) {
      case "address" -> node.engine.address().toText();
      case "table" -> {
        tableBytes.writeBytes(Base64.getDecoder().decode(rest));
        yield "";
      }
      case "open" -> open(Arrays.stream(rest.split(" ")).map(PeerAddress::fromText).toList());
      case "fill" -> fill(Long.parseLong(rest));
      case "figures" -> figures();
      case "moments" -> moments();
      case "quantise" -> new Quantiser(table(), index, segments, plan.parallelism()).run();
      case "compiled" ->
          String.valueOf(ManagementFactory.getCompilationMXBean().getTotalCompilationTime());
      default -> throw new IllegalArgumentException("not known to a trainer: " + line);
    };
  }

  private RoutingTable table() {
    RoutingTable known = table;
    if (known == null) {
      known = WeightsCodec.decodeTable(ByteBuffer.wrap(tableBytes.toByteArray()));
      table = known;
    }
    return known;
  }

  /** Anew, if it is open: where another trainer was started again, it has another address. */
  private String open(List<PeerAddress> trainers) {
    close(service, trainer);
    RunOptions options =
        RunOptions.builder()
            .temporaryBytes(plan.watermark())
            .parallelism(plan.parallelism())
            .trainers(trainers)
            .deadline(plan.deadline())
            .prepare(plan.moments() ? watched(PrepareFunction.standard()) : standard())
            .build();
    TrainerRank opened = Node.await(TrainerRank.open(node.engine, table(), index, memory, options));
    TrainerService serving = TrainerService.open(node.engine, opened, table());
    serving.progress().subscribe(this::progressed);
    trainer = opened;
    service = serving;
    return "";
  }

  private static PrepareFunction standard() {
    return PrepareFunction.standard();
  }

  private PrepareFunction watched(PrepareFunction function) {
    return task -> {
      Moment begin = Moment.now(What.PREPARES);
      function.prepare(task);
      happened(begin, Moment.now(What.PREPARED));
    };
  }

  /** What belongs together stays together. */
  private void happened(Moment... all) {
    synchronized (moments) {
      moments.addAll(Arrays.asList(all));
    }
  }

  private void progressed(RunProgress now) {
    if (plan.moments() && now.isDone()) {
      long end = Moment.nanosNow();
      happened(
          new Moment(What.RUNS, end - now.elapsedNanos()),
          new Moment(What.HANDED_OVER, end - now.waitNanos()),
          new Moment(What.DONE, end));
    }
    last = now;
  }

  /** The trainer computes another version, when nothing reads the one before. */
  private String fill(long version) {
    if (trainer != null) {
      trainer.whenQuiet().block(Node.SETUP);
    }
    synchronized (moments) {
      moments.clear();
    }
    last = null;
    WorkerMemory own = made;
    if (!weights.changes() || own == null) {
      return "";
    }
    for (SourceShare share : source.tensors()) {
      Model.Held held =
          weights.model().held().stream()
              .filter(one -> one.tensor().equals(share.tensor()))
              .findFirst()
              .orElseThrow();
      for (Piece piece : share.pieces()) {
        long bytes = share.tensor().type().bytes(piece.box().elements());
        MemorySegment to = own.read(piece.place().offset(), bytes);
        weights.read(held, piece.box(), version, to);
        own.write(piece.place().offset(), to);
      }
    }
    return "";
  }

  /**
   * Of the run that has ended, which is told a little later; once for each. Empty if it is late.
   */
  private String figures() throws InterruptedException {
    long end = System.nanoTime() + MOST_LATE.toNanos();
    RunProgress run = last;
    while ((run == null || !run.isDone()) && System.nanoTime() < end) {
      TimeUnit.MILLISECONDS.sleep(1);
      run = last;
    }
    last = null;
    return run == null || !run.isDone() ? "" : TrainerFigures.of(run).toLine();
  }

  /** Those since it was asked last; nothing if there is none any more. */
  private String moments() {
    synchronized (moments) {
      return Moment.take(moments);
    }
  }

  private static void close(@Nullable TrainerService service, @Nullable TrainerRank trainer) {
    if (service != null) {
      service.close().block(Node.SETUP);
    }
    if (trainer != null) {
      trainer.close().block(Node.SETUP);
    }
  }

  @Override
  public void close() {
    close(service, trainer);
    node.close();
    weights.close();
  }
}
