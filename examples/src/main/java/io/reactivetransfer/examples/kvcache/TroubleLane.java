package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.PageList;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.examples.worker.AskedWorker;
import io.reactivetransfer.kvcache.HandOverException;
import io.reactivetransfer.kvcache.KvDecode;
import io.reactivetransfer.kvcache.KvOrder;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** One prefill process after the other, and the hand-overs that are ordered from it. */
final class TroubleLane implements AutoCloseable {

  private static final Duration UNTIL_LOST = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofSeconds(1);

  /** What a stopped process has left to write would come within this time. */
  private static final long LATE_WRITES_MILLIS = 100;

  private static final long MOST_JITTER_MICROS = 3_000;

  private final Plan plan;
  private final Node node;
  private final KvDecode decode;
  private final GuardedPages pages;
  private final TroubleTally tally;
  private final Duration slack;
  private final List<String> faults;
  private @Nullable AskedWorker prefill;
  private @Nullable Peer peer;

  /**
   * One that has not begun.
   *
   * @param slack what a machine with other things to do may take longer
   */
  TroubleLane(
      Plan plan,
      Node node,
      KvDecode decode,
      GuardedPages pages,
      TroubleTally tally,
      Duration slack,
      List<String> faults) {
    this.plan = plan;
    this.node = node;
    this.decode = decode;
    this.pages = pages;
    this.tally = tally;
    this.slack = slack;
    this.faults = faults;
  }

  /** A hand-over, and what becomes of it; the number and the seed decide what and when. */
  void run(int number) throws IOException, InterruptedException, ExecutionException {
    Random random = new Random(plan.seed() * 0x9E3779B97F4A7C15L + number);
    Fate fate = Fate.of(random);
    int step = random.nextInt(plan.shape().layers() + 1);
    long jitterMicros = random.nextLong(MOST_JITTER_MICROS);
    boolean hurried = fate == Fate.STALL || random.nextInt(4) == 0;
    Duration deadline = hurried ? SHORT : plan.deadline();
    Peer from = peer();

    PageList taken = pages.take(plan.shape().pages());
    CountDownLatch back = new CountDownLatch(1);
    CompletableFuture<String> answered = new CompletableFuture<>();
    CompletableFuture<String> moment = new CompletableFuture<>();
    AtomicInteger layers = new AtomicInteger();
    KvOrder order =
        KvOrder.into(
                from,
                taken,
                () -> {
                  pages.giveBack(taken, number);
                  back.countDown();
                })
            .deadline(deadline)
            .body(new ComputeWorker.Task(number, fate, step).toBody())
            .onLayer(layer -> {
              if (layers.incrementAndGet() >= step) {
                moment.complete("it is time");
              }
            })
            .build();
    long start = System.nanoTime();
    Disposable running =
        decode
            .receive(order, arrival -> use(taken, number))
            .subscribe(
                done -> {},
                failure -> answered.complete(reason(failure)),
                () -> answered.complete("arrived"));
    if (step == 0) {
      moment.complete("at once");
    }
    long patience = deadline.plus(slack).toNanos();
    if (fate.isOfDecode()) {
      await(CompletableFuture.anyOf(moment, answered), patience);
      TimeUnit.MICROSECONDS.sleep(jitterMicros);
      act(fate, running, answered);
    }
    boolean inTime = await(answered, start + patience - System.nanoTime());
    long nanos = System.nanoTime() - start;
    if (!inTime) {
      faults.add("hand-over " + number + ", " + fate + ": no answer within " + deadline);
    }
    boolean isBack = back.await(UNTIL_LOST.toMillis(), TimeUnit.MILLISECONDS);
    if (!isBack) {
      faults.add("hand-over " + number + ", " + fate + ": its pages did not come back");
    }
    long backNanos = System.nanoTime() - start - nanos;
    tally.add(fate, answered.getNow("no answer"), nanos, backNanos);
    if (plan.verbose()) {
      System.err.printf(
          "hand-over %d: %s after %d layers, %s after %d ms, pages back %d ms later%n",
          number,
          fate,
          step,
          answered.getNow("no answer"),
          nanos / 1_000_000,
          backNanos / 1_000_000);
    }
    clearAway(fate);
    if (answered.getNow("").equals(HandOverException.Reason.PEER_LOST.name())) {
      close(); // also one that only was too slow: it is kept out from now on
    }
  }

  private static boolean await(CompletableFuture<?> future, long nanos)
      throws InterruptedException, ExecutionException {
    try {
      future.get(Math.max(1, nanos), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }

  private static String reason(Throwable failure) {
    return failure instanceof HandOverException known ? known.reason().name() : failure.toString();
  }

  private void act(Fate fate, Disposable running, CompletableFuture<String> answered)
      throws IOException, InterruptedException {
    AskedWorker process = prefill;
    if (fate == Fate.CANCEL) {
      running.dispose();
      answered.complete("cancelled"); // unless it was before
    } else if (process != null && fate == Fate.KILL) {
      process.close();
    } else if (process != null) {
      process.signal("STOP");
    }
  }

  /** A process that was stopped goes on when others may have its pages, and then ends. */
  private void clearAway(Fate fate) throws IOException, InterruptedException {
    AskedWorker process = prefill;
    if (process == null || (fate != Fate.KILL && fate != Fate.STOP)) {
      return;
    }
    if (fate == Fate.STOP) {
      process.signal("CONT");
      TimeUnit.MILLISECONDS.sleep(LATE_WRITES_MILLIS);
    }
    close();
  }

  private Peer peer() throws IOException, InterruptedException {
    Peer known = peer;
    if (prefill == null || known == null) {
      AskedWorker started = WorkerProcess.start(Role.COMPUTE, plan, 4);
      prefill = started;
      started.awaitAnswer();
      known = node.engine.peer(PeerAddress.fromText(started.answer("address")));
      peer = known;
    }
    return known;
  }

  /** Looks at all of it, and again when a late write may have come. */
  private Mono<Void> use(PageList arrived, int number) {
    AtomicBoolean gone = new AtomicBoolean();
    Mono<Void> look = Mono.fromRunnable(() -> look(arrived, number, gone));
    return look.then(Mono.delay(Duration.ofMillis(2))).then(look).doOnCancel(() -> gone.set(true));
  }

  private void look(PageList arrived, int number, AtomicBoolean gone) {
    for (int layer = 0; layer < plan.shape().layers(); layer++) {
      for (int i = 0; i < arrived.size(); i++) {
        boolean right = Pattern.fills(node.page(layer, arrived.get(i)), number, layer, i);
        if (!right && !gone.get()) {
          faults.add("hand-over " + number + ": layer " + layer + " is not what was computed");
        }
      }
    }
  }

  /** How many hand-overs its prefill process believes to run. */
  int open() throws IOException, InterruptedException {
    AskedWorker process = prefill;
    return process == null ? 0 : Integer.parseInt(process.answer("open"));
  }

  /** Ends the process at once. */
  @Override
  public void close() {
    AskedWorker process = prefill;
    prefill = null;
    if (process != null) {
      process.close();
    }
  }
}
