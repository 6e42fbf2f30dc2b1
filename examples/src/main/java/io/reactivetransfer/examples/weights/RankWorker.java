package io.reactivetransfer.examples.weights;

import io.reactivetransfer.Memory;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.examples.weights.Moment.What;
import io.reactivetransfer.examples.worker.Worker;
import io.reactivetransfer.examples.worker.WorkerMemory;
import io.reactivetransfer.weights.TargetRank;
import io.reactivetransfer.weights.TargetShare;
import io.reactivetransfer.weights.check.Checksums;
import io.reactivetransfer.weights.version.FilledBuffer;
import io.reactivetransfer.weights.version.RankState;
import io.reactivetransfer.weights.version.RankStatus;
import io.reactivetransfer.weights.version.VersionLease;
import io.reactivetransfer.weights.version.WeightsBuffer;
import io.reactivetransfer.weights.version.WeightsRank;
import io.reactivetransfer.weights.version.WeightsRankBuilder;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** One inference rank: takes versions of the weights, and reads what it serves. */
final class RankWorker implements Worker {

  /** On which a controller takes the time of a message there and back. */
  static final MessageChannel PING = new MessageChannel(1);

  private final Node node;
  private final Weights weights;
  private final TargetRank target;
  private final WeightsRank rank;
  private final @Nullable Checksums checksums;

  /** Of each version, the checksum of each tensor, as the reference has them. */
  private final Map<Long, List<Integer>> expected = new ConcurrentHashMap<>();

  /** Those of a version that was not named yet. */
  private final List<Integer> sums = new ArrayList<>();

  private final List<WorkerMemory> buffers = new ArrayList<>();
  private final List<Moment> moments = new ArrayList<>();
  private @Nullable Reader reader;

  private RankWorker(Plan plan, int index) throws IOException {
    this.weights = plan.open();
    this.node = Node.open(plan);
    this.target = new Descriptions(weights, plan.from(), plan.to()).target(index);
    this.checksums = plan.checksums() == Checks.NONE ? null : Checksums.open(node.engine);
    WeightsRankBuilder builder = WeightsRank.on(node.engine, Descriptions.rank(index));
    for (int i = 0; i < plan.mode().buffers; i++) {
      WorkerMemory buffer = node.allocate(target.rank().regions().getFirst().bytes());
      buffers.add(buffer);
      builder.buffer(new WeightsBuffer(List.of(buffer.memory())));
    }
    this.rank = Node.await(builder.verify(this::filled).open());
    rank.statuses().subscribe(this::changed);
    node.engine
        .messages(PING)
        .flatMap(message ->
            node.engine
                .send(message.sender(), PING, message.bytes())
                .onErrorComplete()) // whoever is lost gets no answer, and others still do
        .subscribe();
  }

  static RankWorker open(Plan plan, int index) throws IOException {
    return new RankWorker(plan, index);
  }

  private Publisher<?> filled(FilledBuffer buffer) {
    happened(Moment.now(What.FILLED));
    return checksums == null ? Mono.empty() : checksums.apply(buffer);
  }

  private void changed(RankStatus status) {
    if (status.state() == RankState.SERVING) {
      happened(Moment.now(What.FLIPPED));
    }
  }

  private void happened(Moment moment) {
    synchronized (moments) {
      moments.add(moment);
    }
  }

  @Override
  public String answer(String line) throws InterruptedException {
    int blank = line.indexOf(' ');
    String word = blank < 0 ? line : line.substring(0, blank);
    String rest = line.substring(blank + 1);
    return switch (word) {
      case "address" -> node.engine.address().toText();
      case "sums" -> sums(rest);
      case "expect" -> expect(Long.parseLong(rest));
      case "verify" -> verify(Long.parseLong(rest));
      case "read" -> read();
      case "readers" -> reader == null ? "" : reader.report();
      case "settled" -> settled(Duration.ofMillis(Long.parseLong(rest)));
      case "moments" -> moments();
      case "compiled" ->
          String.valueOf(ManagementFactory.getCompilationMXBean().getTotalCompilationTime());
      default -> throw new IllegalArgumentException("not known to a rank: " + line);
    };
  }

  /** The next ones of a version, which is named when all have come. */
  private String sums(String rest) {
    sums.addAll(TensorSums.of(rest));
    return "";
  }

  /** Begins to take down moments of the next update. */
  private String expect(long version) {
    synchronized (moments) {
      moments.clear();
    }
    expected.put(version, List.copyOf(sums));
    sums.clear();
    return "";
  }

  /** Those since it was asked last; nothing if there is none any more. */
  private String moments() {
    synchronized (moments) {
      return Moment.take(moments);
    }
  }

  /** Waits until no update is pending that would keep it from serving; says how it is then. */
  private String settled(Duration patience) {
    rank.statuses()
        .filter(now -> now.state() != RankState.PAUSED && now.state() != RankState.UNDECIDED)
        .next()
        .timeout(patience, Mono.empty())
        .block();
    return status();
  }

  private String status() {
    RankStatus now = rank.status();
    return now.state() + " " + now.version();
  }

  /** Says how many bytes are as they should be, or a minus sign and what is not. */
  private String verify(long version) {
    try (VersionLease lease = rank.lease()) {
      if (lease.version() != version) {
        return "- it serves version " + lease.version();
      }
      String wrong = difference(lease);
      return wrong == null ? String.valueOf(bytes()) : "- " + wrong;
    }
  }

  private long bytes() {
    return target.tensors().stream()
        .flatMap(share ->
            share.pieces().stream()
                .map(piece -> share.tensor().type().bytes(piece.box().elements())))
        .mapToLong(Long::longValue)
        .sum();
  }

  /** Looks at every byte of a version; null if all are as the reference has them. */
  private synchronized @Nullable String difference(VersionLease lease) {
    List<Integer> sums = expected.get(lease.version());
    if (sums == null) {
      return "version " + lease.version() + " was never written";
    }
    Memory served = lease.regions().getFirst();
    WorkerMemory buffer =
        buffers.stream().filter(one -> one.memory().equals(served)).findFirst().orElseThrow();
    MemorySegment memory = buffer.read(0, served.length());
    for (int i = 0; i < target.tensors().size(); i++) {
      TargetShare share = target.tensors().get(i);
      if (Reference.sumAt(share, memory) != sums.get(i)) {
        return share.tensor().name() + " is not that of version " + lease.version();
      }
    }
    return null;
  }

  private String read() {
    reader = new Reader(rank, this::difference);
    reader.start();
    return "";
  }

  @Override
  public void close() {
    if (reader != null) {
      reader.close();
    }
    node.close();
    weights.close();
  }
}
