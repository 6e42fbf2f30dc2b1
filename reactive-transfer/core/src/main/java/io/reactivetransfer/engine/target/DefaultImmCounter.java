package io.reactivetransfer.engine.target;

import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.Peer;
import io.reactivetransfer.engine.base.Assembly;
import io.reactivetransfer.engine.base.Deadlines;
import io.reactivetransfer.engine.peers.PeerLink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The counter of one immediate: a view on the {@link ImmTable}, with no state of its own. */
final class DefaultImmCounter implements ImmCounter {

  private static final long MAX_CLAIM = 1L << 40;

  private final Claims claims;
  private final Imm imm;
  private final List<PeerLink> bound;
  private final long patienceNanos;

  DefaultImmCounter(Claims claims, Imm imm, List<PeerLink> bound, long patienceNanos) {
    this.claims = claims;
    this.imm = imm;
    this.bound = bound;
    this.patienceNanos = patienceNanos;
  }

  @Override
  public Imm imm() {
    return imm;
  }

  @Override
  public Mono<Void> next(long n) {
    return Assembly.of(new ClaimMono(claims, imm.value(), requireClaim(n), bound, patienceNanos));
  }

  @Override
  public Flux<Long> every(long n) {
    return Assembly.of(new ClaimFlux(claims, imm.value(), requireClaim(n), bound, patienceNanos));
  }

  @Override
  public ImmCounter boundTo(Collection<? extends Peer> peers) {
    Objects.requireNonNull(peers, "peers");
    if (peers.isEmpty()) {
      throw new IllegalArgumentException(
          "expected one or more peers to bind claims to, got none; claims of a counter that nobody"
              + " bound wait for whoever writes");
    }
    List<PeerLink> all = new ArrayList<>(bound);
    for (Peer peer : peers) {
      PeerLink link = claims.peers().own(peer);
      if (!all.contains(link)) {
        all.add(link);
      }
    }
    return new DefaultImmCounter(claims, imm, List.copyOf(all), patienceNanos);
  }

  @Override
  public ImmCounter within(Duration deadline) {
    return new DefaultImmCounter(claims, imm, bound, Deadlines.nanos(deadline));
  }

  @Override
  public Mono<Long> discard() {
    return claims
        .commands()
        .ask(answer ->
            claims
                .imms()
                .behindArrivals(() -> {
                  if (!answer.isOver()) {
                    answer.success(claims.imms().discard(imm.value()), () -> {});
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
    return "counter of immediate " + imm.value();
  }
}
