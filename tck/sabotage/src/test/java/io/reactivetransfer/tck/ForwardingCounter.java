package io.reactivetransfer.tck;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.Memory;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import java.time.Duration;
import java.util.Collection;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A counter that does what another one does; the base of what changes one thing. */
class ForwardingCounter implements ImmCounter {

  final ImmCounter inner;

  ForwardingCounter(ImmCounter inner) {
    this.inner = inner;
  }

  /** An engine all of whose counters are wrapped. */
  static TransferEngine on(TransferEngine engine, UnaryOperator<ImmCounter> wrapper) {
    return new ForwardingEngine(engine) {
      @Override
      public ImmCounter counter(Imm imm) {
        return wrapper.apply(inner.counter(imm));
      }
    };
  }

  @Override
  public Imm imm() {
    return inner.imm();
  }

  @Override
  public EngineId engine() {
    return inner.engine();
  }

  @Override
  public Mono<Void> next(long n) {
    return inner.next(n);
  }

  @Override
  public Flux<Long> every(long n) {
    return inner.every(n);
  }

  @Override
  public <T> Flux<T> claims(Publisher<? extends T> claims, ToLongFunction<? super T> writes) {
    return inner.claims(claims, writes);
  }

  @Override
  public ImmCounter raising(Memory word) {
    return inner.raising(word);
  }

  @Override
  public ImmCounter raising(Memory word, long failed) {
    return inner.raising(word, failed);
  }

  @Override
  public ImmCounter boundTo(Collection<? extends Peer> peers) {
    return inner.boundTo(peers);
  }

  @Override
  public ImmCounter within(Duration deadline) {
    return inner.within(deadline);
  }

  @Override
  public Mono<Long> discard() {
    return inner.discard();
  }
}
