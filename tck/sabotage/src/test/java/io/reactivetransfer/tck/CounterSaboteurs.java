package io.reactivetransfer.tck;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.EngineStats;
import io.reactivetransfer.GatherList;
import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.Memory;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.Peer;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.WriteImm;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Operators;

/** Engines whose counters have one defect. */
final class CounterSaboteurs {

  static final List<Saboteur> ALL =
      List.of(
          Saboteur.engine("2.1", "counts from the first claim on", CounterSaboteurs::countsLate)
              .entailing("2.8", "2.11", "8.4", "8.5", "8.7", "19.3"),
          Saboteur.engine(
              "2.2",
              "drops the surplus",
              engine -> ForwardingCounter.on(engine, DropsSurplus::new)),
          Saboteur.engine("2.3", "serves the latest claim first", CounterSaboteurs::lastFirst)
              .entailing("8.4", "22.2"),
          Saboteur.engine(
                  "2.4",
                  "keeps cancelled claims",
                  engine -> ForwardingCounter.on(engine, Keeps::new))
              .entailing("8.4"),
          Saboteur.engine(
              "2.5",
              "claims without demand",
              engine -> ForwardingCounter.on(engine, ClaimsAhead::new)),
          Saboteur.engine(
              "2.6",
              "discards more than it says",
              engine -> ForwardingCounter.on(engine, SaysOne::new)),
          Saboteur.engine("2.8", "says nothing of lost arrivals", CounterSaboteurs::silentLoss),
          Saboteur.engine(
                  "2.11", "suspects every claim after a loss", CounterSaboteurs::suspectsAll)
              .entailing("12.8"),
          Saboteur.engine("2.12", "counts on after a lease", Endless::new),
          Saboteur.engine(
              "2.13",
              "claims one for each element",
              engine -> ForwardingCounter.on(engine, ClaimsOnes::new)),
          Saboteur.engine(
              "2.14", "raises no word", engine -> ForwardingCounter.on(engine, RaisesNone::new)),
          Saboteur.engine(
              "2.15",
              "leaves the word as it is when a claim fails",
              engine -> ForwardingCounter.on(engine, HidesFailures::new)),
          Saboteur.engine("1.7", "keeps the first aim", KeepsAim::new).entailing("1.8"),
          Saboteur.engine("1.8", "lets what is on its way be redirected", SubmitsCopies::new),
          Saboteur.engine(
                  "5.1",
                  "completes a discard twice",
                  engine -> ForwardingCounter.on(engine, CompletesTwice::new))
              .entailing("15.2"),
          Saboteur.engine(
              "7.2",
              "forgets what a counter is bound to",
              engine -> ForwardingCounter.on(engine, Unbound::new)),
          Saboteur.engine(
              "12.8",
              "meets claims of nothing",
              engine -> ForwardingCounter.on(engine, ClaimsNothing::new)));

  private CounterSaboteurs() {}

  private static final class ClaimsOnes extends ForwardingCounter {
    ClaimsOnes(ImmCounter inner) {
      super(inner);
    }

    @Override
    public <T> Flux<T> claims(Publisher<? extends T> claims, ToLongFunction<? super T> writes) {
      return inner.claims(claims, element -> Math.min(1, writes.applyAsLong(element)));
    }
  }

  private static final class RaisesNone extends ForwardingCounter {
    RaisesNone(ImmCounter inner) {
      super(inner);
    }

    @Override
    public ImmCounter raising(Memory word) {
      return inner;
    }
  }

  private static final class HidesFailures extends ForwardingCounter {
    HidesFailures(ImmCounter inner) {
      super(inner);
    }

    @Override
    public ImmCounter raising(Memory word, long failed) {
      return inner.raising(word);
    }
  }

  private static final class KeepsAim extends ForwardingEngine {
    private final Map<AimedWrite, Transfer> first = new ConcurrentHashMap<>();

    KeepsAim(TransferEngine inner) {
      super(inner);
    }

    @Override
    public <T extends Transfer> Mono<T> submit(T transfer) {
      if (!(transfer instanceof AimedWrite write) || write.list() != null) {
        return inner.submit(transfer);
      }
      Transfer kept =
          first.computeIfAbsent(
              write,
              once ->
                  WriteImm.of(
                      once.source().slice(once.sourceOffset(), once.length()),
                      once.target().slice(once.targetOffset(), once.length()),
                      once.imm()));
      return inner.submit(kept).map(done -> transfer);
    }
  }

  /** Nobody notes of the write that it is on its way. */
  private static final class SubmitsCopies extends ForwardingEngine {
    SubmitsCopies(TransferEngine inner) {
      super(inner);
    }

    @Override
    public <T extends Transfer> Mono<T> submit(T transfer) {
      if (!(transfer instanceof AimedWrite write)) {
        return inner.submit(transfer);
      }
      AimedWrite copy = AimedWrite.between(write.source(), write.target(), write.imm());
      PagedWrite.Rows rows = write.rows();
      GatherList list = write.list();
      if (list != null) {
        copy.aim(list.copy(), write.sourceOffset(), write.targetOffset());
      } else if (rows == null) {
        copy.aim(write.sourceOffset(), write.targetOffset(), write.length());
      } else {
        copy.aim(rows, write.sourceOffset(), write.targetOffset());
      }
      return inner.submit(copy).map(done -> transfer);
    }
  }

  /** The counters of its leases know nothing of them. */
  private static final class Endless extends ForwardingEngine {

    Endless(TransferEngine inner) {
      super(inner);
    }

    @Override
    public ImmLease lease(int size) {
      ImmLease lease = inner.lease(size);
      return new ImmLease() {
        @Override
        public int size() {
          return lease.size();
        }

        @Override
        public Imm imm(int index) {
          return lease.imm(index);
        }

        @Override
        public ImmCounter counter(int index) {
          return inner.counter(imm(index));
        }

        @Override
        public void close() {
          lease.close();
        }
      };
    }
  }

  private static TransferEngine countsLate(TransferEngine engine) {
    Set<Imm> claimed = ConcurrentHashMap.newKeySet();
    return ForwardingCounter.on(
        engine,
        counter ->
            new ForwardingCounter(counter) {
              @Override
              public Mono<Void> next(long n) {
                Mono<Void> claim = inner.next(n);
                boolean isLate = claimed.add(imm()) && engine.stats().arrivals() > 0;
                return isLate ? inner.discard().then(claim) : claim;
              }

              @Override
              public Flux<Long> every(long n) {
                claimed.add(imm());
                return inner.every(n);
              }
            });
  }

  private static TransferEngine suspectsAll(TransferEngine engine) {
    return ForwardingCounter.on(
        engine,
        counter ->
            new ForwardingCounter(counter) {
              @Override
              public Mono<Void> next(long n) {
                return Mono.defer(() ->
                    engine.stats().droppedImms() == 0
                        ? inner.next(n)
                        : Mono.error(new TransferFailedException("it may be lost")));
              }
            });
  }

  private static TransferEngine lastFirst(TransferEngine engine) {
    Map<Imm, Deque<Waiting>> waiting = new ConcurrentHashMap<>();
    return ForwardingCounter.on(
        engine,
        counter ->
            new ForwardingCounter(counter) {
              @Override
              public Mono<Void> next(long n) {
                Mono<Void> claim = inner.next(n);
                Deque<Waiting> all = waiting.computeIfAbsent(imm(), imm -> new ArrayDeque<>());
                return Mono.create(sink -> new Waiting(claim, sink, all).push());
              }
            });
  }

  /** A claim that steps back when another one comes. */
  private static final class Waiting {
    private final Mono<Void> claim;
    private final MonoSink<Void> sink;
    private final Deque<Waiting> all;
    private Disposable subscription = () -> {};

    Waiting(Mono<Void> claim, MonoSink<Void> sink, Deque<Waiting> all) {
      this.claim = claim;
      this.sink = sink;
      this.all = all;
    }

    void push() {
      synchronized (all) {
        Waiting before = all.peek();
        if (before != null) {
          before.subscription.dispose();
        }
        make();
        all.push(this);
        if (before != null) {
          before.make();
        }
        sink.onCancel(() -> subscription.dispose());
      }
    }

    private void make() {
      subscription =
          claim.subscribe(
              nothing -> {},
              sink::error,
              () -> {
                synchronized (all) {
                  all.remove(this);
                }
                sink.success();
              });
    }
  }

  private static TransferEngine silentLoss(TransferEngine engine) {
    return new ForwardingEngine(engine) {
      @Override
      public EngineStats stats() {
        return Altered.figure(EngineStats.class, inner.stats(), "droppedImms", 0L);
      }
    };
  }

  private static final class DropsSurplus extends ForwardingCounter {
    DropsSurplus(ImmCounter inner) {
      super(inner);
    }

    @Override
    public Mono<Void> next(long n) {
      return inner.next(n).then(inner.discard()).then();
    }
  }

  private static final class Keeps extends ForwardingCounter {
    Keeps(ImmCounter inner) {
      super(inner);
    }

    @Override
    public Mono<Void> next(long n) {
      return Interceptor.deaf(inner.next(n));
    }
  }

  private static final class ClaimsAhead extends ForwardingCounter {
    ClaimsAhead(ImmCounter inner) {
      super(inner);
    }

    @Override
    public Flux<Long> every(long n) {
      return inner.every(n).onBackpressureBuffer();
    }
  }

  private static final class SaysOne extends ForwardingCounter {
    SaysOne(ImmCounter inner) {
      super(inner);
    }

    @Override
    public Mono<Long> discard() {
      return inner.discard().map(dropped -> Math.min(dropped, 1));
    }
  }

  private static final class CompletesTwice extends ForwardingCounter {
    CompletesTwice(ImmCounter inner) {
      super(inner);
    }

    @Override
    public Mono<Long> discard() {
      Mono<Long> once = inner.discard();
      return new Mono<>() {
        @Override
        public void subscribe(CoreSubscriber<? super Long> actual) {
          actual.onSubscribe(Operators.emptySubscription());
          once.subscribe(
              value -> {
                actual.onNext(value);
                actual.onComplete();
                actual.onComplete();
              },
              actual::onError);
        }
      };
    }
  }

  private static final class Unbound extends ForwardingCounter {
    Unbound(ImmCounter inner) {
      super(inner);
    }

    @Override
    public ImmCounter boundTo(Collection<? extends Peer> peers) {
      return this;
    }
  }

  private static final class ClaimsNothing extends ForwardingCounter {
    ClaimsNothing(ImmCounter inner) {
      super(inner);
    }

    @Override
    public Mono<Void> next(long n) {
      return n == 0 ? Mono.empty() : inner.next(n);
    }
  }
}
