package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.kvcache.Blame;
import io.reactivetransfer.kvcache.HandOverException;
import io.reactivetransfer.simulation.ForwardingCalls;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/** What is wrongly signalled of orders and requests. */
final class KvSignalSaboteurs {

  private KvSignalSaboteurs() {}

  /** What an order signals goes this way. */
  static class Signals<T> implements CoreSubscriber<T>, Subscription {
    private final CoreSubscriber<? super T> actual;
    private Subscription source = Operators.emptySubscription();

    Signals(CoreSubscriber<? super T> actual) {
      this.actual = actual;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      source = subscription;
      actual.onSubscribe(this);
    }

    @Override
    public void onNext(T value) {
      actual.onNext(value);
    }

    @Override
    public void onError(Throwable failure) {
      actual.onError(failure);
    }

    @Override
    public void onComplete() {
      actual.onComplete();
    }

    @Override
    public void request(long n) {
      source.request(n);
    }

    @Override
    public void cancel() {
      source.cancel();
    }
  }

  /** Makes what lies between an order and who waits for it. */
  private interface Between {
    <T> Signals<T> before(CoreSubscriber<? super T> actual);
  }

  private static Tampering between(Between between) {
    return new Tampering() {
      @Override
      public <T> Mono<T> received(Mono<T> sound) {
        return new Mono<>() {
          @Override
          public void subscribe(CoreSubscriber<? super T> actual) {
            sound.subscribe(between.<T>before(actual));
          }
        };
      }
    };
  }

  static Tampering endsTwice() {
    return between(
        new Between() {
          @Override
          public <T> Signals<T> before(CoreSubscriber<? super T> actual) {
            return new Signals<>(actual) {
              @Override
              public void onComplete() {
                actual.onComplete();
                actual.onComplete();
              }
            };
          }
        });
  }

  static Tampering swallowsErrors() {
    return between(
        new Between() {
          @Override
          public <T> Signals<T> before(CoreSubscriber<? super T> actual) {
            return new Signals<>(actual) {
              @Override
              public void onError(Throwable failure) {
                // nobody hears of it
              }
            };
          }
        });
  }

  /** Cancels, and then signals an error to whom it concerns no more, or to Reactor's hooks. */
  static Tampering signalsAfterCancel(boolean toHooks) {
    IllegalStateException late = new IllegalStateException("a late refusal");
    return between(
        new Between() {
          @Override
          public <T> Signals<T> before(CoreSubscriber<? super T> actual) {
            return new Signals<>(actual) {
              @Override
              public void cancel() {
                super.cancel();
                if (toHooks) {
                  Operators.onErrorDropped(late, Context.empty());
                } else {
                  actual.onError(late);
                }
              }
            };
          }
        });
  }

  /** Gives pages back as soon as an order has ended early. */
  static final class FreesAtOnce implements Tampering {
    private final boolean byCancel;
    private Runnable last = () -> {};

    FreesAtOnce(boolean byCancel) {
      this.byCancel = byCancel;
    }

    @Override
    public Runnable whenQuiet(Runnable sound) {
      AtomicBoolean done = new AtomicBoolean();
      Runnable once =
          () -> {
            if (done.compareAndSet(false, true)) {
              sound.run();
            }
          };
      last = once;
      return once;
    }

    @Override
    public <T> Mono<T> received(Mono<T> sound) {
      Runnable own = last;
      return byCancel ? sound.doOnCancel(own) : sound.doOnError(failed -> own.run());
    }
  }

  /** Gives pages back behind the signal. */
  static final class FreesBehind implements Tampering {
    private static final long LATER_NANOS = 1_000;
    private Scheduler clock = Schedulers.immediate(); // before there is one

    @Override
    public Scheduler timers(Scheduler sound) {
      clock = sound;
      return sound;
    }

    @Override
    public Runnable whenQuiet(Runnable sound) {
      Scheduler own = clock;
      return () -> own.schedule(sound, LATER_NANOS, TimeUnit.NANOSECONDS);
    }
  }

  /** Names another prefill node than the one that it happened with. */
  static final class Blames implements Tampering {
    private final Set<Peer> known = new LinkedHashSet<>();

    @Override
    public TransferEngine engine(TransferEngine sound) {
      known.clear(); // they may be those of another run
      return ForwardingCalls.of(
          TransferEngine.class,
          sound,
          "send",
          args -> {
            Peer to = (Peer) args[0];
            known.add(to);
            return sound.send(to, (MessageChannel) args[1], (ByteBuffer) args[2]);
          });
    }

    @Override
    public <T> Mono<T> received(Mono<T> sound) {
      return sound.onErrorMap(HandOverException.class, this::blamed);
    }

    private HandOverException blamed(HandOverException failure) {
      Peer with = failure.peer();
      return known.stream()
          .filter(peer -> with != null && !peer.id().equals(with.id()))
          .findFirst()
          .map(peer -> Blame.on(peer, "node-" + peer.id().low(), failure))
          .orElse(failure);
    }
  }

  /** Knows no names. */
  static Tampering forgetsNames() {
    return new Tampering() {
      @Override
      public <T> Mono<T> received(Mono<T> sound) {
        return sound.onErrorMap(HandOverException.class, Blame::withoutName);
      }
    };
  }

  /** That the source pages of a hand-over are free comes otherwise. */
  static Tampering quiet(UnaryOperator<Mono<Void>> otherwise) {
    return new Tampering() {
      @Override
      public Mono<Void> quiet(Mono<Void> sound) {
        return otherwise.apply(sound);
      }
    };
  }

  /** The end of a request comes otherwise. */
  static Tampering ended(UnaryOperator<Mono<Void>> otherwise) {
    return new Tampering() {
      @Override
      public Mono<Void> ended(Mono<Void> sound) {
        return otherwise.apply(sound);
      }
    };
  }

  /** What a handler returned does not hear of a cancel. */
  static Tampering runsOn() {
    return new Tampering() {
      @Override
      public Publisher<?> served(Publisher<?> sound) {
        return Flux.from(sound).then().cache();
      }
    };
  }
}
