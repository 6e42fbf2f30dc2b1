package io.reactivetransfer;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.reactivestreams.Publisher;
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
 * failed or was cancelled there, arrivals under it were lost or are in doubt, or the engine broke
 * down; with {@link PeerUnreachableException}, when it is {@linkplain #boundTo bound} to a peer
 * that was lost; with {@link DeadlineExceededException}, when it was to be met {@linkplain #within
 * within} some time; with {@link TransferRejectedException}, when the engine or its lease closes,
 * or the word that it raises cannot be; or it is cancelled, and returned. The errors say how many
 * of the arrivals had come. What an origin told of a failure when nobody waited is kept, and fails
 * the next claim that would have to wait, until the origin submits under this immediate again.
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

  /** The engine whose arrivals are counted: when that closes, claims end. */
  EngineId engine();

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
   * Claims as many arrivals as each element of a stream says, one claim after the other, and emits
   * the element when its claim is met: what {@link TransferEngine#submit(Publisher)} is for
   * transfers. For whoever claims other numbers all the time, and must not allocate anything for
   * it: nothing is, from one claim to the next.
   *
   * <p>Upstream is asked for one element when downstream has asked for one and the claim before it
   * was met. It completes when upstream has and the last claim is met. When a claim fails, upstream
   * is cancelled and the failure comes; when upstream fails, so does the claim that is out.
   * Cancelling returns the claim that was not met yet. What upstream emits and downstream does not
   * get any more is discarded, see {@link Flux#doOnDiscard}.
   *
   * @param claims whose elements are claimed for, in their order
   * @param writes how many arrivals, 0 to 2^40; asked once for each element, where upstream emits
   *     it. A claim of none is met when those before it are
   */
  <T> Flux<T> claims(Publisher<? extends T> claims, ToLongFunction<? super T> writes);

  /**
   * The same counter, which also adds 1 to a word of 64 bits whenever a claim is met: on the NIC's
   * thread, before the signal is handed over, so that an accelerator or a thread that spins sees it
   * without one. What {@link TransferEngine#watch} is in the other direction. Whoever has read the
   * new value can read the bytes that were counted.
   *
   * <p>A counter that raises a word already raises both, that one first; so with any number.
   *
   * <p>A claim that is cancelled at the moment when it is met may have raised the word. If the word
   * cannot be written any more, because its memory was freed, the claim fails with a {@link
   * TransferRejectedException}, and the arrivals stay; of several words those before it are raised.
   *
   * @param word 8 bytes, aligned to 8, of native memory that every thread may write, or of an
   *     accelerator that is reached from here; in the host's byte order. The caller keeps them
   *     alive until all claims have ended; of one that was cancelled, until a task that was handed
   *     to {@link TransferEngine#executor()} behind the cancel has run. Nobody else writes there
   *     meanwhile
   * @throws TransferRejectedException if it is of an accelerator that is not reached
   */
  ImmCounter raising(Memory word);

  /** The same, of a word of the host. */
  default ImmCounter raising(MemorySegment word) {
    return raising(new HostMemory(Objects.requireNonNull(word, "word")));
  }

  /**
   * The same as {@link #raising(Memory)}, which also writes a value to the word whenever a claim
   * fails: by the NIC's thread and before any signal, for whoever waits for the word alone and must
   * not wait for ever, such as an accelerator. Of several words each has a value of its own, or
   * stays as it is.
   *
   * <p>A claim that is cancelled writes nothing, unless it fails at that moment. A subscription
   * that the engine refuses at once makes no claim: it fails before {@code subscribe} returns, and
   * nothing is written.
   *
   * @param word as for {@link #raising(Memory)}
   * @param failed what it becomes; a value that claims which are met do not bring it to
   * @throws TransferRejectedException if it is of an accelerator that is not reached
   */
  ImmCounter raising(Memory word, long failed);

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
   * emits how many whole writes that was; forgets what origins told of failures and what is owed
   * because they took back more than had come, also while claims wait, and ends a doubt. For
   * tidying up before an immediate that is not leased is used again; when nothing is on its way
   * under it, and its origins have said so, by a message. Claims that count anew are made after.
   */
  Mono<Long> discard();
}
