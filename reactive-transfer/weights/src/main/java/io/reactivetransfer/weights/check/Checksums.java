package io.reactivetransfer.weights.check;

import io.reactivetransfer.Memory;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.weights.internal.Accelerators;
import io.reactivetransfer.weights.internal.End;
import io.reactivetransfer.weights.internal.Inbox;
import io.reactivetransfer.weights.internal.Ticking;
import io.reactivetransfer.weights.internal.Turns;
import io.reactivetransfer.weights.version.FilledBuffer;
import io.reactivetransfer.weights.version.UpdateNumber;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Compares what has come to an inference rank with the checksums that trainers say. A {@code
 * WeightsRank} has one of its own, unless its builder is told another look; an application that
 * wants another deadline or other schedulers gives one to {@code WeightsRankBuilder.verify}. One
 * for each engine: it reads message channel 24. Safe from any thread, never blocks.
 *
 * <p>Each trainer says how many of the writes are its own, so nobody needs to know the table: the
 * rank has all sums when those writes are as many as have arrived. So all trainers of an update
 * have to say sums, as {@code TrainerService} does.
 */
public final class Checksums implements Function<FilledBuffer, Publisher<Void>> {

  /** How long sums may be behind the bytes and the sums before them, unless else is said. */
  public static final Duration DEADLINE = Duration.ofSeconds(10);

  private static final Duration REPEAT = Duration.ofMillis(250);

  /** Updates of which something was said and nothing has been asked. */
  private static final int MAX_UPDATES = 8;

  /** Memory for what was said of all updates: that of as many sums as one trainer may say. */
  static final long MAX_BYTES = 128L << 20;

  /** Updates that were looked at, of which nothing more is kept. */
  private static final int MAX_ENDED = 64;

  private final TransferEngine engine;
  private final Duration deadline;
  private final Scheduler timers;
  private final Scheduler comparing;
  private final int mostSums;
  private final Turns turns = new Turns();
  private final Accelerators accelerators = new Accelerators();

  // Only in turns.
  private @Nullable Inbox<SumMessage> inbox;
  private final Map<UpdateNumber, SumsOfUpdate> said = new LinkedHashMap<>();
  private final Set<UpdateNumber> ended = new LinkedHashSet<>();
  private @Nullable Waiting waiting;
  private boolean isClosed;

  private final End closed = new End();

  /** Looks that were begun and may read memory, or will. */
  private final Set<Waiting> looks = ConcurrentHashMap.newKeySet();

  /** Somebody waits for the sums of an update. */
  private static final class Waiting {
    final FilledBuffer filled;
    final Sinks.One<List<SumsOfUpdate.Said>> sums = Sinks.one();
    volatile boolean isOver;
    volatile boolean isCancelled;

    /** Set once, by what reads the memory or by what keeps it from that. */
    final AtomicBoolean isTaken = new AtomicBoolean();

    final End quiet = new End();

    /** Since its bytes have come, or something new was said of them. */
    long ticks;

    Waiting(FilledBuffer filled) {
      this.filled = filled;
    }
  }

  private Checksums(
      TransferEngine engine,
      Duration deadline,
      Scheduler timers,
      Scheduler comparing,
      int mostSums) {
    this.mostSums = mostSums;
    this.engine = engine;
    this.deadline = deadline;
    this.timers = timers;
    this.comparing = comparing;
  }

  /**
   * Opens it on the engine of an inference rank.
   *
   * @throws IllegalStateException if the engine is closed, or has one already
   */
  public static Checksums open(TransferEngine engine) {
    return open(engine, DEADLINE, Schedulers.parallel(), Schedulers.boundedElastic());
  }

  /**
   * The same.
   *
   * @param deadline how long sums may be behind the bytes and the sums before them, above 0
   * @param timers where what is due later runs
   * @param comparing where bytes are summed up, which takes as long as reading them
   */
  public static Checksums open(
      TransferEngine engine, Duration deadline, Scheduler timers, Scheduler comparing) {
    return open(engine, deadline, timers, comparing, SumCodec.MAX_SUMS);
  }

  /**
   * The same.
   *
   * @param mostSums that are kept of all updates
   */
  static Checksums open(
      TransferEngine engine,
      Duration deadline,
      Scheduler timers,
      Scheduler comparing,
      int mostSums) {
    if (!deadline.isPositive()) {
      throw new IllegalArgumentException("expected a deadline above 0, got " + deadline);
    }
    Checksums made =
        new Checksums(
            Objects.requireNonNull(engine, "engine"),
            deadline,
            Objects.requireNonNull(timers, "timers"),
            Objects.requireNonNull(comparing, "comparing"),
            mostSums);
    made.listen().requireOpen("Checksums");
    return made;
  }

  /** Of the rank whose sums it reads. */
  public TransferEngine engine() {
    return engine;
  }

  private Inbox<SumMessage> listen() {
    Inbox<SumMessage> opened =
        Inbox.open(engine, TrainerSums.CHANNEL, SumCodec::decode, new Receiving());
    turns.run(() -> inbox = opened);
    return opened;
  }

  /**
   * Looks at what has come. Begins when it is subscribed to, one at a time; completes when all sums
   * of all trainers are here, and those of the bytes are the same. Fails with a {@link
   * ChecksumException} if they are not, or do not come within the deadline, and with a {@link
   * RejectedExecutionException} if the timers take no tasks. Signals on the scheduler on which it
   * compares, failures also on that of the timers. Reads the memory until it has ended; after a
   * cancel until one more sum is made.
   */
  @Override
  public Mono<Void> apply(FilledBuffer filled) {
    return Mono.defer(() -> {
      Waiting made = new Waiting(filled);
      looks.add(made);
      turns.run(() -> begin(made));
      return made.sums
          .asMono()
          .publishOn(comparing)
          .doOnNext(sums -> compare(made, sums))
          .then()
          .doOnCancel(() -> {
            made.isCancelled = true;
            turns.run(() -> over(made));
          })
          .doFinally(end -> {
            if (made.isTaken.compareAndSet(false, true)) {
              quiet(made);
            }
          });
    });
  }

  private void quiet(Waiting of) {
    looks.remove(of);
    of.quiet.complete();
  }

  /**
   * Completes when no look that was begun before this is subscribed to reads memory any more; one
   * that waits for its sums has to end or be cancelled first.
   */
  public Mono<Void> whenQuiet() {
    return Mono.defer(() -> Mono.when(looks.stream().map(look -> look.quiet).toList()));
  }

  /**
   * Fails what waits, and reads no messages any more. Does not block: {@link #closed()} says when
   * it is over. The end of the engine does the same.
   */
  public void close() {
    turns.run(this::closeNow);
  }

  /**
   * Completes when it is closed, also by the end of its engine: another one can be opened there. A
   * look may still read memory then, see {@link #whenQuiet()}. Closes nothing by itself.
   */
  public Mono<Void> closed() {
    return closed;
  }

  private void closeNow() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    if (inbox != null) {
      inbox.dispose();
    }
    said.clear();
    Waiting now = waiting;
    try {
      if (now != null) {
        fail(now, "expected checksums that are in use, got closed ones");
      }
    } finally { // whatever who hears of it throws
      closed.complete();
    }
  }

  private void begin(Waiting made) {
    if (isClosed || waiting != null) {
      made.isOver = true;
      made.sums.tryEmitError(
          new IllegalStateException(
              isClosed
                  ? "expected checksums that are in use, got closed ones"
                  : "expected one update at a time to be looked at, got another one"));
      return;
    }
    Duration time = REPEAT.compareTo(deadline) < 0 ? REPEAT : deadline;
    long most = Ticking.ticks(deadline, time);
    try {
      Ticking.every(
          time,
          timers,
          () -> {
            turns.run(() -> tick(made, most));
            return !made.isOver;
          },
          why -> turns.run(() -> refused(made, why)));
    } catch (RejectedExecutionException why) {
      refused(made, why);
      return;
    }
    waiting = made;
    advance();
  }

  /** The timers take no tasks, so nobody would end its wait. */
  private void refused(Waiting of, RejectedExecutionException why) {
    if (!of.isOver) {
      over(of);
      of.sums.tryEmitError(why);
    }
  }

  private void tick(Waiting of, long most) {
    if (!of.isOver && ++of.ticks >= most) {
      fail(of, of(of.filled.update()).missing(of.filled.arrivals()) + " within " + deadline);
    }
  }

  private SumsOfUpdate of(UpdateNumber update) {
    return said.getOrDefault(update, new SumsOfUpdate());
  }

  private void fail(Waiting of, String why) {
    over(of);
    of.sums.tryEmitError(
        new ChecksumException(
            "update " + of.filled.update() + " at rank " + of.filled.rank() + ": " + why));
  }

  private void over(Waiting of) {
    of.isOver = true;
    if (waiting == of) {
      waiting = null;
      UpdateNumber update = of.filled.update();
      said.remove(update);
      ended.add(update);
      if (ended.size() > MAX_ENDED) {
        ended.remove(ended.iterator().next());
      }
    }
  }

  private void advance() {
    Waiting now = waiting;
    if (now == null) {
      return;
    }
    SumsOfUpdate sums = of(now.filled.update());
    long arrivals = now.filled.arrivals();
    String wrong = sums.wrong(arrivals);
    if (wrong != null) {
      fail(now, wrong);
    } else if (sums.isComplete(arrivals)) {
      over(now);
      now.sums.tryEmitValue(sums.sums());
    }
  }

  private void received(Peer sender, SumMessage message) {
    UpdateNumber update = message.update();
    if (isClosed || ended.contains(update)) {
      return;
    }
    SumsOfUpdate sums = said.computeIfAbsent(update, number -> new SumsOfUpdate());
    boolean isNew = sums.add(sender.id(), message);
    Waiting now = waiting;
    if (isNew && now != null && isWaitedFor(update)) {
      now.ticks = 0;
    }
    if (sums.size() > mostSums || sums.bytes() > MAX_BYTES) {
      sums.giveUp(
          "expected at most "
              + mostSums
              + " sums of all trainers, which take at most "
              + MAX_BYTES
              + " bytes with their names, got more; all bytes of fewer tensors would fit, or a"
              + " table of larger steps");
    }
    while (said.size() > MAX_UPDATES || kept() > mostSums || bytes() > MAX_BYTES) {
      dropFirst();
    }
    advance();
  }

  /** What was said first, but not of the update that is waited for: that one has room by itself. */
  private void dropFirst() {
    Iterator<UpdateNumber> updates = said.keySet().iterator();
    UpdateNumber first = updates.next();
    said.remove(isWaitedFor(first) ? updates.next() : first);
  }

  private boolean isWaitedFor(UpdateNumber update) {
    Waiting now = waiting;
    return now != null && now.filled.update().equals(update);
  }

  private long kept() {
    return said.values().stream().mapToLong(SumsOfUpdate::size).sum();
  }

  private long bytes() {
    return said.values().stream().mapToLong(SumsOfUpdate::bytes).sum();
  }

  private void compare(Waiting of, List<SumsOfUpdate.Said> sums) {
    if (!of.isTaken.compareAndSet(false, true)) {
      return; // it was cancelled
    }
    try {
      for (SumsOfUpdate.Said one : sums) {
        if (of.isCancelled) {
          return; // the memory is somebody else's now
        }
        compare(of.filled, one);
      }
    } finally {
      quiet(of);
    }
  }

  private void compare(FilledBuffer filled, SumsOfUpdate.Said said) {
    SumMessage.Sum sum = said.sum();
    int regions = filled.regions().size();
    String why;
    if (sum.region() >= regions) {
      why = "expected a region of " + regions + ", got " + sum.region();
    } else {
      why = difference(filled.regions().get(sum.region()), sum);
    }
    if (why != null) {
      throw new ChecksumException(
          "update "
              + filled.update()
              + ", tensor "
              + said.tensor()
              + ", from trainer "
              + said.trainer()
              + " to rank "
              + filled.rank()
              + ": "
              + why);
    }
  }

  private @Nullable String difference(Memory memory, SumMessage.Sum sum) {
    String what =
        sum.rows()
            + " rows of "
            + sum.rowBytes()
            + " bytes from "
            + sum.offset()
            + " of region "
            + sum.region();
    int crc32c;
    try {
      crc32c =
          Sums.of(memory, accelerators, sum.offset(), sum.rowBytes(), sum.rows(), sum.stride());
    } catch (BackendException e) {
      return "expected " + what + " to be read by the CPU, got: " + e.getMessage();
    } catch (IndexOutOfBoundsException e) {
      return "expected bytes of a region of " + memory.length() + ", got " + what;
    } catch (IllegalStateException e) { // freed, or a mapped file that somebody has shortened
      return "expected " + what + " to be there, got: " + e.getMessage();
    }
    return crc32c == sum.crc32c()
        ? null
        : "expected CRC-32C %08x of %s, got %08x".formatted(sum.crc32c(), what, crc32c);
  }

  private final class Receiving implements Inbox.Handler<SumMessage> {

    @Override
    public void received(Peer sender, SumMessage message) {
      turns.run(() -> Checksums.this.received(sender, message));
    }

    /** The rank misses its sums, and says so. */
    @Override
    public void otherVersion(Peer sender, String why) {}

    @Override
    public void ended() {
      close();
    }
  }
}
