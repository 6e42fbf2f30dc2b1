package io.reactivetransfer.engine.target;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.Memory;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Assembly;
import io.reactivetransfer.engine.base.Deadlines;
import io.reactivetransfer.engine.peers.PeerLink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The counter of one immediate: a view on the {@link ImmTable}, with no state of its own. */
final class DefaultImmCounter implements ImmCounter {

  static final long MAX_CLAIM = 1L << 40;

  private final ClaimTerms terms;

  DefaultImmCounter(ClaimTerms terms) {
    this.terms = terms;
  }

  @Override
  public Imm imm() {
    return Imm.of(terms.imm());
  }

  @Override
  public EngineId engine() {
    return terms.claims().peers().ownAddress().engine();
  }

  @Override
  public Mono<Void> next(long n) {
    return Assembly.of(new ClaimMono(terms, requireClaim(n)));
  }

  @Override
  public Flux<Long> every(long n) {
    return Assembly.of(new ClaimFlux(terms, requireClaim(n)));
  }

  @Override
  public <T> Flux<T> claims(Publisher<? extends T> claims, ToLongFunction<? super T> writes) {
    Objects.requireNonNull(claims, "claims");
    Objects.requireNonNull(writes, "writes");
    return Assembly.of(new ClaimStream<>(terms, claims, writes));
  }

  @Override
  public ImmCounter raising(Memory word) {
    Objects.requireNonNull(word, "word");
    return new DefaultImmCounter(terms.raising(word, null));
  }

  @Override
  public ImmCounter raising(Memory word, long failed) {
    Objects.requireNonNull(word, "word");
    return new DefaultImmCounter(terms.raising(word, failed));
  }

  @Override
  public ImmCounter boundTo(Collection<? extends Peer> peers) {
    Objects.requireNonNull(peers, "peers");
    if (peers.isEmpty()) {
      throw new IllegalArgumentException(
          "expected one or more peers to bind claims to, got none; claims of a counter that nobody"
              + " bound wait for whoever writes");
    }
    List<PeerLink> all = new ArrayList<>(terms.bound());
    for (Peer peer : peers) {
      PeerLink link = terms.claims().peers().own(peer);
      if (!all.contains(link)) {
        all.add(link);
      }
    }
    return new DefaultImmCounter(terms.boundTo(List.copyOf(all)));
  }

  @Override
  public ImmCounter within(Duration deadline) {
    return new DefaultImmCounter(terms.within(Deadlines.nanos(deadline)));
  }

  @Override
  public Mono<Long> discard() {
    ImmTable imms = terms.claims().imms();
    return terms
        .claims()
        .commands()
        .ask(answer ->
            imms.behindArrivals(() -> {
              TransferRejectedException refusal = terms.refusal();
              if (refusal != null) {
                answer.error(refusal);
              } else if (!answer.isOver()) {
                answer.success(imms.discard(terms.imm()), () -> {});
              }
            }));
  }

  private static long requireClaim(long n) {
    if (n < 1 || n > MAX_CLAIM) {
      throw new IllegalArgumentException(
          "expected a claim of 1 to " + MAX_CLAIM + " arrivals, got " + n);
    }
    return n;
  }

  @Override
  public String toString() {
    return "counter of immediate " + terms.imm();
  }
}
