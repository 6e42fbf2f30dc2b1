package io.reactivetransfer.examples.jlama;

import io.reactivetransfer.PageList;
import io.reactivetransfer.Peer;
import io.reactivetransfer.examples.jlama.engine.Sequence;
import io.reactivetransfer.kvcache.HandOverException;
import io.reactivetransfer.kvcache.KvDecode;
import io.reactivetransfer.kvcache.KvOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * The decode side: orders what it does not know of a prompt, into blocks that its inference engine
 * chose, and goes on with the tokens behind it.
 */
final class DecodeRole {

  /** The deadline of an order comes first; this is for one that is not kept. */
  private static final Duration GRACE = Duration.ofSeconds(10);

  private final Node node;
  private final Plan plan;
  private final Parent parent;
  private final KvDecode decode;

  /** Prefill nodes, without those that were lost. */
  private final List<Peer> prefills;

  private final List<Peer> all;

  /** Those that this one has asked to be killed. */
  private final Set<Peer> killed = ConcurrentHashMap.newKeySet();

  /** How long an order takes when nothing disturbs it. */
  private long usualNanos;

  DecodeRole(Node node, Plan plan, List<Peer> prefills, Parent parent) {
    this.node = node;
    this.plan = plan;
    this.parent = parent;
    this.decode = node.cache.decode(Node.MODEL, node.memory);
    this.all = List.copyOf(prefills);
    this.prefills = new ArrayList<>(prefills);
  }

  /** One round after the other. */
  void run(List<Round> rounds) throws InterruptedException {
    for (Round round : rounds) {
      Done done = run(round);
      if (round.kind() == Round.Kind.WHOLE) {
        usualNanos = done.firstTokenNanos();
      }
      parent.tell(Words.ROUND, done.toLine());
    }
    decode.dispose();
  }

  private Done run(Round round) throws InterruptedException {
    if (prefills.isEmpty()) {
      return computeHere(round);
    }
    // One that is to be killed is asked until it is found lost.
    Peer prefill =
        prefills.stream()
            .filter(killed::contains)
            .findFirst()
            .orElseGet(() -> KvOrder.replica(prefills, round.number()));
    Reception reception = new Reception(round, prefill);
    try {
      Done done = reception.run();
      boolean cancelled = done.tokens().isEmpty();
      boolean again = (cancelled && round.kind().endsSometime()) || killed.contains(prefill);
      return again ? run(round.again()) : done;
    } catch (HandOverException e) {
      long foundNanos = System.nanoTime();
      if (e.reason() != HandOverException.Reason.PEER_LOST
          || !killed.contains(prefill)
          || !prefills.remove(prefill)) {
        throw e;
      }
      parent.tell(
          Words.LOST,
          Figures.join(all.indexOf(prefill), round.number(), foundNanos)
              + " "
              + e.reason()
              + " "
              + e.getMessage());
      reception.awaitQuiet(foundNanos);
      return run(round.again());
    }
  }

  /** Nobody is left to ask: a decode node has the model, too. */
  private Done computeHere(Round round) {
    long startNanos = System.nanoTime();
    Sequence sequence =
        node.inference.beginToCompute(Figures.ints(round.prompt()), plan.generate());
    try {
      float[] state = node.inference.prefill(sequence, layer -> {});
      return generate(round, sequence, state, startNanos, () -> true);
    } finally {
      sequence.release();
    }
  }

  /**
   * Tokens behind a prompt.
   *
   * @param isWanted asked for each token; none follows when it is wanted no more
   */
  private Done generate(
      Round round, Sequence sequence, float[] state, long startNanos, BooleanSupplier isWanted) {
    List<Integer> tokens = new ArrayList<>();
    long[] first = new long[1];
    node.inference.generate(
        sequence,
        state,
        plan.generate(),
        round.seed(plan),
        token -> {
          if (!isWanted.getAsBoolean()) {
            throw new CancellationException("nobody wants the tokens any more");
          }
          if (tokens.isEmpty()) {
            first[0] = System.nanoTime() - startNanos;
          }
          tokens.add(token);
        });
    return new Done(round.number(), sequence.knownTokens(), first[0], tokens);
  }

  /** One order, its blocks, and where its last hidden state goes. */
  private final class Reception {

    private final Round round;
    private final Peer prefill;
    private final long startNanos = System.nanoTime();
    private final Sequence sequence;
    private final int slot;
    private final Sinks.Empty<Void> unwanted = Sinks.empty();
    private volatile long unwantedNanos;

    /** From then on it is the inference engine that takes its time. */
    private volatile boolean hasArrived;

    private volatile boolean hasEnded;

    Reception(Round round, Peer prefill) {
      this.round = round;
      this.prefill = prefill;
      this.sequence = node.inference.beginToReceive(Figures.ints(round.prompt()), plan.generate());
      this.slot = node.tails.take();
      var _ = sequence.released().thenRun(() -> node.tails.give(slot));
    }

    Done run() throws InterruptedException {
      // The order holds the sequence, too: its blocks stay taken while a NIC may write to them,
      // however early this side loses interest.
      sequence.hold();
      Disposable later = round.kind().endsSometime() ? endLater() : Disposables.disposed();
      try {
        Done done =
            decode
                .receive(order(), arrival -> arrived())
                .takeUntilOther(unwanted.asMono())
                .timeout(late())
                .block();
        if (done != null) {
          return done;
        }
      } finally {
        hasEnded = true;
        later.dispose();
        sequence.release();
      }
      awaitQuiet(unwantedNanos);
      return new Done(round.number(), sequence.knownTokens(), 0, List.of());
    }

    /** Ends when nothing has arrived by then. */
    private Mono<Long> late() {
      return Mono.delay(plan.deadline().plus(GRACE))
          .flatMap(nothing -> hasArrived ? Mono.never() : Mono.just(nothing));
    }

    private KvOrder order() {
      int known = sequence.knownTokens();
      KvOrder.Builder order =
          known == sequence.tokens()
              ? KvOrder.tailOnly(prefill, node.tails.slice(slot), sequence::release)
              : KvOrder.into(prefill, PageList.of(sequence.blocksFrom(known)), sequence::release)
                  .firstToken(known)
                  .tokens(sequence.tokens() - known)
                  .tail(node.tails.slice(slot));
      OrderBody body =
          new OrderBody(
              round.number(),
              round.kind() != Round.Kind.APART,
              !round.kind().isWarm(),
              round.kind().endsEarly(),
              round.prompt());
      if (round.kind().endsEarly()) {
        order.onLayer(layer -> end());
      }
      return order.deadline(plan.deadline()).body(body.write()).build();
    }

    private Mono<Done> arrived() {
      hasArrived = true; // from here on it waits for its turn to compute
      return Mono.fromCallable(this::goOn).subscribeOn(node.compute);
    }

    /** All keys and values of the prompt are here, and so is the last hidden state. */
    private Done goOn() {
      if (!sequence.tryHold()) { // who no longer wants it may be faster
        throw new CancellationException();
      }
      try {
        if (!round.kind().isWarm()) {
          node.inference.remember(sequence);
        }
        return generate(round, sequence, node.tails.read(slot), startNanos, () -> !hasEnded);
      } finally {
        sequence.release();
      }
    }

    private Disposable endLater() {
      long nanos = (long) (usualNanos * round.moment(plan));
      return Schedulers.parallel().schedule(this::end, nanos, TimeUnit.NANOSECONDS);
    }

    private void end() {
      if (round.kind().kills()) {
        killed.add(prefill);
        parent.tell(Words.KILL, String.valueOf(all.indexOf(prefill)));
      } else {
        unwantedNanos = System.nanoTime();
        unwanted.tryEmitEmpty();
      }
    }

    /** Blocks of an order that has ended are free when nothing can write to them any more. */
    void awaitQuiet(long sinceNanos) throws InterruptedException {
      try {
        sequence.released().get(GRACE.toMillis(), TimeUnit.MILLISECONDS);
      } catch (ExecutionException | TimeoutException e) {
        throw new IllegalStateException("blocks of an order that has ended are still not free", e);
      }
      parent.tell(Words.QUIET, Figures.join(round.number(), System.nanoTime() - sinceNanos));
    }
  }
}
