package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.kvcache.KvWritten;
import io.reactivetransfer.simulation.ForwardingCalls;
import java.time.Duration;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** What is wrongly told of layers, on both sides. */
final class KvProgressSaboteurs {

  private KvProgressSaboteurs() {}

  /** Decode is told otherwise of the layers that are here. */
  static Tampering layers(UnaryOperator<IntConsumer> otherwise) {
    return new Tampering() {
      @Override
      public IntConsumer onLayer(IntConsumer sound) {
        return otherwise.apply(sound);
      }
    };
  }

  static IntConsumer twice(IntConsumer sound) {
    return layer -> {
      sound.accept(layer);
      sound.accept(layer);
    };
  }

  /** With each layer the one behind it. */
  static IntConsumer ahead(IntConsumer sound) {
    BitSet told = new BitSet();
    return layer -> {
      for (int each = layer; each <= layer + 1; each++) {
        if (!told.get(each)) {
          told.set(each);
          sound.accept(each);
        }
      }
    };
  }

  static IntConsumer never(IntConsumer sound) {
    return layer -> {};
  }

  /** Prefill is told otherwise of the layers that have gone out. */
  static Tampering written(UnaryOperator<Flux<KvWritten>> otherwise) {
    return new Tampering() {
      @Override
      public Flux<KvWritten> handedOver(Flux<KvWritten> sound) {
        return otherwise.apply(sound);
      }
    };
  }

  static Flux<KvWritten> doubled(Flux<KvWritten> sound) {
    return sound.concatMap(one -> Flux.just(one, one));
  }

  static Flux<KvWritten> some(Flux<KvWritten> sound) {
    return sound.index().filter(one -> one.getT1() % 2 == 1).map(one -> one.getT2());
  }

  /** Tells of a layer a while after it has come. */
  static final class Late implements Tampering {
    private static final long LATER_NANOS = 100_000;
    private Scheduler clock = Schedulers.immediate(); // before there is one

    @Override
    public Scheduler timers(Scheduler sound) {
      clock = sound;
      return sound;
    }

    @Override
    public IntConsumer onLayer(IntConsumer sound) {
      Scheduler own = clock;
      return layer -> own.schedule(() -> sound.accept(layer), LATER_NANOS, TimeUnit.NANOSECONDS);
    }
  }

  /**
   * Takes for done what has only been taken.
   *
   * @param ends whether the end is told as early
   */
  record TakenForDone(boolean ends) implements Tampering {

    @Override
    @SuppressWarnings("unchecked") // that is what it is called with
    public TransferEngine engine(TransferEngine sound) {
      return ForwardingCalls.of(
          TransferEngine.class,
          sound,
          "submit",
          args -> submit(sound, (Publisher<Transfer>) args[0], (Duration) args[1]));
    }

    private Flux<Transfer> submit(
        TransferEngine sound, Publisher<Transfer> transfers, Duration deadline) {
      return Flux.defer(() -> {
        Sinks.Many<Transfer> early = Sinks.many().unicast().onBackpressureBuffer();
        Flux<Transfer> real =
            sound.submit(
                Flux.from(transfers)
                    .doOnNext(early::tryEmitNext)
                    .doOnComplete(() -> {
                      if (ends) {
                        early.tryEmitComplete();
                      }
                    }),
                deadline);
        Mono<Void> end = real.doOnTerminate(early::tryEmitComplete).then();
        return ends
            ? early.asFlux().doOnSubscribe(begun -> end.subscribe(done -> {}, failed -> {}))
            : Flux.merge(early.asFlux(), end.cast(Transfer.class));
      });
    }
  }
}
