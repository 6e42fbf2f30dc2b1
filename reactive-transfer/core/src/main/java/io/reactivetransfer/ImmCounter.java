package io.reactivetransfer;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Counts one immediate at the target, from its first arrival on, whether or not anyone had asked.
 * One logical write counts once, whatever number of NICs and pieces carried it, and only after its
 * bytes can be read.
 *
 * <p><b>What a count says.</b> Claims are served first come, first served. A claim of {@code n}
 * completes when pieces worth {@code n} writes have arrived. That means "these n writes are
 * visible" as long as no more than {@code n} are outstanding under this immediate; a counter never
 * says <em>which</em>. So take one immediate for one group of writes ({@link
 * TransferEngine#lease()} makes them cheap), and another one for a step that may overlap it.
 *
 * <p><b>How a claim ends.</b> In exactly one of these ways: it is met; it fails with {@link
 * TransferFailedException}, because the origin of a write under this immediate told that the write
 * failed or was cancelled there; with {@link PeerUnreachableException}, when it is {@linkplain
 * #boundTo bound} to a peer that was lost; with {@link DeadlineExceededException}, when it was to
 * be met {@linkplain #within within} some time; with {@link TransferRejectedException}, when the
 * engine closes; or it is cancelled, and returned. The errors say how many of the arrivals had
 * come. What an origin told of a failure when nobody waited is kept, and fails the next claim that
 * would have to wait, until the origin submits under this immediate again.
 *
 * <p><b>What failed does not count.</b> What a transfer had counted that did not end as done is
 * taken back. If its origin cannot know how much that was, the immediate is in doubt: claims fail,
 * and nothing is counted, until {@link #discard}. See "What one may do after a failure, a deadline,
 * a cancel" in chapter 8 of the specification.
 *
 * <p>All publishers are cold, and each subscription is a claim of its own. They signal on the
 * engine's signal scheduler.
 */
public interface ImmCounter {

  /** What is counted. */
  Imm imm();

  /**
   * Claims {@code n} arrivals, those that came earlier included. Completes when they are there.
   * Cancelling before that returns them to the counter, for the next claim. With a deadline: {@code
   * next(n).timeout(...)}.
   *
   * @param n 1 to 2^40
   */
  Mono<Void> next(long n);

  /**
   * Claims {@code n} arrivals again and again, and emits 1, 2, 3 and so on, the number of claims
   * that were met. A claim is made only when there is demand for its element. Cancelling returns
   * the claim that was not met yet. Never completes.
   *
   * @param n 1 to 2^40
   */
  Flux<Long> every(long n);

  /**
   * The same counter, whose claims fail with {@link PeerUnreachableException} when one of these
   * peers is lost: for whoever knows from where the writes must come.
   *
   * @param peers one or more of this engine's; what is bound already stays so
   * @throws IllegalArgumentException if there are none
   */
  ImmCounter boundTo(Collection<? extends Peer> peers);

  /** The same for one peer. */
  default ImmCounter boundTo(Peer peer) {
    return boundTo(List.of(Objects.requireNonNull(peer, "peer")));
  }

  /**
   * The same counter, whose claims fail with {@link DeadlineExceededException} when they were not
   * met this long after they were made. For {@link #every}, each round has as long.
   *
   * @param deadline above 0
   */
  ImmCounter within(Duration deadline);

  /**
   * Drops what has arrived and was not claimed, also where a NIC has not reported it yet, and then
   * emits how many whole writes that was; forgets what origins told of failures, and ends a doubt.
   * For tidying up before an immediate that is not leased is used again; when nothing is on its way
   * under it, and its origins have said so, by a message. Claims that count anew are made after.
   */
  Mono<Long> discard();
}
