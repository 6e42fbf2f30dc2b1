package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.weights.version.RankOutcome;
import io.reactivetransfer.weights.version.UpdateResult;
import io.reactivetransfer.weights.version.UpdateResult.Decision;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** What is wrong with how an update ends. */
final class WeightsResultSaboteurs {

  private WeightsResultSaboteurs() {}

  private static WeightsTampering result(UnaryOperator<Mono<UpdateResult>> wrong) {
    return new WeightsTampering() {
      @Override
      public Mono<UpdateResult> result(Mono<UpdateResult> sound) {
        return wrong.apply(sound);
      }
    };
  }

  static WeightsTampering endsTwice() {
    return result(sound -> Mono.fromDirect(sound.flux().flatMap(it -> Flux.just(it, it))));
  }

  static WeightsTampering hasNoResult() {
    return result(sound -> sound.then(Mono.empty()));
  }

  static WeightsTampering neverEnds() {
    return result(sound -> sound.then(Mono.never()));
  }

  /** One rank is missing. */
  static WeightsTampering leavesOutARank() {
    return result(sound ->
        sound.map(it -> {
          Map<String, RankOutcome> some = new LinkedHashMap<>(it.ranks());
          some.remove(some.keySet().iterator().next());
          return new UpdateResult(it.decision(), it.update(), it.reason(), some);
        }));
  }

  /** All ranks have become this. */
  static WeightsTampering says(RankOutcome.End end) {
    return result(sound ->
        sound.map(it -> {
          Map<String, RankOutcome> other = new LinkedHashMap<>();
          it.ranks()
              .forEach((name, was) ->
                  other.put(name, new RankOutcome(end, was.state(), was.version(), was.text())));
          return new UpdateResult(it.decision(), it.update(), it.reason(), other);
        }));
  }

  static WeightsTampering decides(Decision from, Decision to) {
    return result(sound ->
        sound.map(it ->
            it.decision() == from
                ? new UpdateResult(to, it.update(), it.reason(), it.ranks())
                : it));
  }

  /** A cancel changes nothing for whoever listens. */
  static WeightsTampering signalsAfterCancel() {
    return result(sound -> Mono.fromDirect(to -> sound.subscribe(new Deaf(asCore(to), false))));
  }

  /** What comes after a cancel is dropped where nobody sees it. */
  static WeightsTampering dropsAfterCancel() {
    return result(sound -> Mono.fromDirect(to -> sound.subscribe(new Deaf(asCore(to), true))));
  }

  private static CoreSubscriber<? super UpdateResult> asCore(
      org.reactivestreams.Subscriber<? super UpdateResult> to) {
    return Operators.toCoreSubscriber(to);
  }

  private static final class Deaf implements CoreSubscriber<UpdateResult> {
    private final CoreSubscriber<? super UpdateResult> to;
    private final boolean drops;
    private boolean isCancelled;

    Deaf(CoreSubscriber<? super UpdateResult> to, boolean drops) {
      this.to = to;
      this.drops = drops;
    }

    @Override
    public void onSubscribe(Subscription source) {
      to.onSubscribe(
          new Subscription() {
            @Override
            public void request(long n) {
              source.request(n);
            }

            @Override
            public void cancel() {
              isCancelled = true;
            }
          });
    }

    @Override
    public void onNext(UpdateResult value) {
      if (isCancelled && drops) {
        Operators.onNextDropped(value, Context.empty());
      } else {
        to.onNext(value);
      }
    }

    @Override
    public void onError(Throwable failure) {
      to.onError(failure);
    }

    @Override
    public void onComplete() {
      if (!isCancelled || !drops) {
        to.onComplete();
      }
    }
  }
}
