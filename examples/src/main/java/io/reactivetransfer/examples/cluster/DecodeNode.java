package io.reactivetransfer.examples.cluster;

import io.reactivetransfer.PageList;
import io.reactivetransfer.Peer;
import io.reactivetransfer.examples.kvcache.Pattern;
import io.reactivetransfer.examples.worker.Worker;
import io.reactivetransfer.kvcache.KvArrival;
import io.reactivetransfer.kvcache.KvOrder;
import io.reactivetransfer.kvcache.KvRouter;
import io.reactivetransfer.membership.NodePeers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Orders of whichever prefill nodes there are, some requests at a time, until it is told to stop.
 */
final class DecodeNode implements Worker {

  static final String BEGIN = "begin";
  static final String AWAIT = "await ";
  static final String KNOW = "know ";
  static final String COMMA = ",";
  static final String STOP = "stop";

  private static final int AT_ONCE = 4;
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  /** Of many, one with another; it takes some 10 ms. */
  private static final Duration MOST_OF_A_REQUEST = Duration.ofMillis(100);

  private final ClusterNode node;
  private final KnownNodes known;
  private final KvRouter router;
  private final AtomicInteger numbers;
  private final Duration pause;
  private final AtomicInteger ordered = new AtomicInteger();
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger arrived = new AtomicInteger();
  private final AtomicInteger failed = new AtomicInteger();
  private final Sinks.One<String> why = Sinks.one();
  private final Semaphore ended = new Semaphore(0);
  private final Sinks.Empty<Void> done = Sinks.empty();
  private volatile boolean stopping;

  private DecodeNode(ClusterNode node, int firstNumber, Duration pause) {
    this.node = node;
    this.pause = pause;
    this.numbers = new AtomicInteger(firstNumber);
    this.known = KnownNodes.watch(node.membership);
    this.router =
        KvRouter.open(
            node.cache.decode(ClusterNode.MODEL, node.memory),
            NodePeers.alive(node.engine, node.membership, ClusterNode.PREFILL));
  }

  /**
   * One whose requests are numbered from there on.
   *
   * @param pause between the end of a request and the next one
   */
  static DecodeNode open(String name, String etcd, int firstNumber, Duration pause) {
    DecodeNode node =
        new DecodeNode(ClusterNode.open(name, ClusterNode.DECODE, etcd), firstNumber, pause);
    node.node.enter();
    return node;
  }

  /** Until so many more requests have ended, however busy the machine is. */
  static Duration patience(int count, Duration pause) {
    int turns = Math.ceilDiv(count, AT_ONCE) + 1;
    return pause.plus(MOST_OF_A_REQUEST).multipliedBy(turns).plus(DEADLINE.multipliedBy(4));
  }

  private void begin() {
    Flux.range(0, Integer.MAX_VALUE)
        .takeWhile(any -> !stopping)
        .flatMap(any -> pause.isZero() ? request() : request().then(pause()), AT_ONCE)
        .subscribe(nothing -> {}, done::tryEmitError, done::tryEmitEmpty);
  }

  private Mono<Void> pause() {
    return Mono.delay(pause).then();
  }

  private Mono<Void> request() {
    return Mono.defer(() -> {
      int number = numbers.getAndIncrement();
      ordered.incrementAndGet();
      return router
          .<Void>receive(
              DEADLINE,
              prefill -> order(prefill, number),
              arrival -> Mono.fromRunnable(() -> requireRight(arrival, number)))
          .doOnSuccess(nothing -> arrived.incrementAndGet())
          .onErrorResume(failure -> {
            failed.incrementAndGet();
            why.tryEmitValue(number + ": " + failure);
            return Mono.empty();
          })
          .doOnTerminate(ended::release);
    });
  }

  private KvOrder.Builder order(Peer prefill, int number) {
    asked.incrementAndGet();
    return KvOrder.into(prefill, node.pool.reserve(ClusterNode.REQUEST_PAGES, "request " + number))
        .body(ByteBuffer.allocate(Integer.BYTES).putInt(0, number));
  }

  private void requireRight(KvArrival arrival, int number) {
    PageList pages = arrival.order().pages();
    for (int layer = 0; layer < ClusterNode.LAYERS; layer++) {
      for (int i = 0; pages != null && i < pages.size(); i++) {
        if (!Pattern.fills(node.page(layer, pages.get(i)), number, layer, i)) {
          throw new IllegalStateException("layer " + layer + " is not what was computed");
        }
      }
    }
  }

  @Override
  public String answer(String line) throws IOException, InterruptedException {
    if (line.equals(BEGIN)) {
      begin();
      return "begun";
    }
    if (line.equals(STOP)) {
      stopping = true;
      done.asMono().block(DEADLINE.multipliedBy(2));
      return new Requests(ordered.get(), arrived.get(), failed.get(), asked.get(), why()).toLine();
    }
    if (line.startsWith(AWAIT)) {
      int count = Integer.parseInt(line.substring(AWAIT.length()));
      long patience = patience(count, pause).toSeconds();
      ended.drainPermits(); // those that ended before, and as many as may have been begun before
      if (!ended.tryAcquire(count + AT_ONCE, patience, TimeUnit.SECONDS)) {
        throw new IOException("fewer than " + count + " requests have ended in " + patience + " s");
      }
      return String.valueOf(failed.get());
    }
    if (line.startsWith(KNOW)) {
      known.await(Set.of(line.substring(KNOW.length()).split(COMMA)));
      return "known";
    }
    throw new IllegalArgumentException("not known to a decode node: " + line);
  }

  private String why() {
    String first = failed.get() == 0 ? null : why.asMono().block(DEADLINE);
    return first == null ? "" : first.replace('\n', ' ');
  }

  @Override
  public void close() {
    stopping = true;
    router.dispose();
    known.end();
    node.close();
  }
}
