package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.examples.worker.Worker;
import io.reactivetransfer.kvcache.KvDecode;
import io.reactivetransfer.kvcache.KvOrder;
import io.reactivetransfer.kvcache.PagePool;
import io.reactivetransfer.kvcache.PageReservation;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A decode node that orders from some prefill nodes, one hand-over after the other from each. */
final class LoadWorker implements Worker {

  private final Plan plan;
  private final Node node;
  private final KvDecode decode;
  private final PagePool pool;
  private final List<Lane> lanes = new ArrayList<>();

  /** What is ordered from one prefill node. */
  private static final class Lane {
    final Peer prefill;
    final PageReservation reserved;
    final TailBuffer tail;
    long bytes;
    long endNanos;

    Lane(Peer prefill, PageReservation reserved, TailBuffer tail) {
      this.prefill = prefill;
      this.reserved = reserved;
      this.tail = tail;
    }
  }

  private LoadWorker(Plan plan, int prefills) {
    this.plan = plan;
    this.node = Node.open(plan, plan.shape().layout(prefills));
    this.decode = node.openCache(plan).decode(Node.MODEL, node.memory);
    this.pool = node.shuffledPool(plan.seed() + 2);
  }

  /** With memory for hand-overs from so many prefill nodes at once. */
  static LoadWorker open(Plan plan, int prefills) {
    return new LoadWorker(plan, prefills);
  }

  @Override
  public String answer(String line) throws IOException {
    int blank = line.indexOf(' ');
    String word = blank < 0 ? line : line.substring(0, blank);
    String rest = line.substring(blank + 1);
    return switch (word) {
      case "from" -> {
        lanes.add(
            new Lane(
                node.engine.peer(PeerAddress.fromText(rest)),
                pool.reserve(plan.shape().pages(), rest),
                node.anotherTail(plan)));
        yield "";
      }
      case "run" -> run(Long.parseLong(rest));
      case "verify" -> verify();
      case "compiled" ->
          String.valueOf(ManagementFactory.getCompilationMXBean().getTotalCompilationTime());
      default -> throw new IllegalArgumentException("not known to decode: " + line);
    };
  }

  /** Runs for so long; says bytes in a second of each lane, until its own last hand-over. */
  private String run(long nanos) {
    long start = System.nanoTime();
    Flux.fromIterable(lanes).flatMap(lane -> run(lane, start + nanos), lanes.size()).then().block();
    return lanes.stream()
        .map(lane -> String.valueOf((long) (lane.bytes * 1e9 / (lane.endNanos - start))))
        .collect(Collectors.joining(" "));
  }

  private Mono<Void> run(Lane lane, long untilNanos) {
    lane.bytes = 0;
    return Mono.defer(() -> decode.receive(order(lane), arrival -> arrived(lane)))
        .repeat(() -> lane.endNanos < untilNanos)
        .then();
  }

  private KvOrder order(Lane lane) {
    return KvOrder.into(lane.prefill, lane.reserved.pages(), () -> {})
        .tail(lane.tail.slice())
        .deadline(plan.deadline())
        .build();
  }

  private Mono<Void> arrived(Lane lane) {
    lane.bytes += plan.shape().bytes() + lane.tail.bytes().byteSize();
    lane.endNanos = System.nanoTime();
    return Mono.empty();
  }

  /** Fetches it once more into blank pages, and compares every page; says how many. */
  private String verify() throws IOException {
    node.pages.fill((byte) 0x5a);
    long compared = 0;
    for (Lane lane : lanes) {
      decode.receive(order(lane), arrival -> Mono.<Void>empty()).block(Duration.ofMinutes(2));
      new TargetPages(node, plan, lane.tail).requireIdentical(lane.reserved.pages());
      compared += plan.shape().allPages();
    }
    return String.valueOf(compared);
  }

  @Override
  public void close() {
    decode.dispose();
    node.close();
    lanes.forEach(lane -> lane.reserved.release());
  }
}
