package io.reactivetransfer;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Moves bytes between processes by one-sided writes, and tells the target by counting immediates.
 * Owns NICs and the thread that drives them.
 *
 * <p><b>Laziness and threads.</b> Every method may be called from any thread, never blocks, and
 * does nothing but check its arguments: what is null, out of range, or of another engine is thrown
 * at once; all else is a signal, and so is what a closed engine or region says. The work starts
 * when the publisher that it returned is subscribed to, once for each subscription. Signals come on
 * the signal scheduler of the {@link EngineOptions}, never on the NIC's thread unless that was
 * asked for, or that scheduler refuses them.
 *
 * <p><b>Ends.</b> Every subscription gets exactly one terminal signal, at {@link #close()} too, and
 * not before the NICs have finished with the memory concerned.
 */
public interface TransferEngine {

  /** The id that this engine drew when it was built. */
  EngineId id();

  /** Where others reach this engine; hand it to them by whatever means the application has. */
  PeerAddress address();

  /** Name of the backend. */
  String backend();

  /** What it means that a transfer is done. */
  CompletionLevel completionLevel();

  /**
   * Whether nothing that a lost peer has posted lands in memory here any more. If not, a process
   * that was stopped and goes on, or a NIC that still sends, may write to regions that the peer was
   * told of until they are {@linkplain MemoryRegion#revoke() revoked}.
   */
  boolean fencesLostPeers();

  /**
   * Whether pages of these rows can be counted: a {@link PagedWrite} of them with an immediate is
   * not rejected for it. They cannot where a page is more than 8 writes and nobody knows when a
   * write has come ({@link CompletionLevel#SOURCE_FREE}), so ask before you promise a count.
   */
  boolean canCount(PagedWrite.Rows rows);

  /**
   * How many rows of a {@link GatherList} all of its NICs gather with one operation; 1 if one of
   * them gathers none, so that it is better to copy them together.
   */
  default int maxGather() {
    return 1;
  }

  /**
   * The same for the rows of a {@link GatherList}, as it is now: an {@link AimedWrite} of them,
   * which always has an immediate, is not rejected for being more than 8 operations. Besides {@link
   * #maxGather()} the longest write of the NICs bounds each of these.
   */
  default boolean canCount(GatherList list) {
    return completionLevel() == CompletionLevel.DELIVERED || list.size() <= 1;
  }

  /** The NICs that this engine uses: those that it opened, less those that have failed since. */
  List<Nic> nics();

  /** The options that it was built with. */
  EngineOptions options();

  /**
   * Registers memory with all NICs. Each subscription registers anew. If the subscription is
   * cancelled before the region came, the registration is undone.
   *
   * @param memory stays the caller's; keep it alive until the region's {@code close} has completed.
   *     If its arena is closed already, that is a {@link TransferRejectedException}
   * @param access what it may be used for
   */
  Mono<MemoryRegion> register(Memory memory, Access access);

  /** Registers host memory that other engines may write to. */
  default Mono<MemoryRegion> register(MemorySegment memory) {
    return register(new HostMemory(Objects.requireNonNull(memory, "memory")), Access.REMOTE_WRITE);
  }

  /**
   * Resolves a descriptor for writing. Nothing is connected yet. Memory of this engine itself can
   * be resolved, but backends do not write there: such a write fails, and says so.
   *
   * @throws TransferRejectedException if it is of another backend or allows no remote write. How
   *     many keys its owner's NICs need, and whether they are such keys, is seen by the NICs: at
   *     the first write
   */
  RemoteRegion remote(RegionDescriptor descriptor);

  /**
   * The engine at this address. Nothing is connected yet.
   *
   * @throws TransferRejectedException if it is of another backend
   */
  Peer peer(PeerAddress address);

  /**
   * Looks for the engine at a host and port: connects, and emits it. Each subscription looks anew;
   * a process that was restarted there is another peer. Fails with {@link PeerUnreachableException}
   * if nobody is there, or nobody that may be talked with. Cancelling drops the answer.
   */
  Mono<Peer> peer(HostPort at);

  /** The same, of {@code host:port} as text, see {@link HostPort#parse}. */
  default Mono<Peer> peer(String hostAndPort) {
    return peer(HostPort.parse(Objects.requireNonNull(hostAndPort, "hostAndPort")));
  }

  /**
   * Submits one transfer on each subscription, and emits it when it is done at the {@link
   * #completionLevel()}. Cancelling before it was posted prevents it; later, it drops the result,
   * and the regions stay busy until the NICs have finished.
   *
   * @throws TransferRejectedException at once if the transfer uses another engine's regions
   */
  <T extends Transfer> Mono<T> submit(T transfer);

  /**
   * Submits a stream of transfers, and emits each one when it is done, in the order in which they
   * are done. Asks upstream for no more than downstream has asked for, and for no more than the
   * window: what is in flight never exceeds the lesser of the two.
   *
   * <p>After the first failure: upstream is cancelled, nothing more is posted, what was posted is
   * waited for, then comes the error; transfers that were done before it are emitted before it.
   * Cancelling stops the same way and signals nothing. What was not done does not count at its
   * targets; what may be submitted again, and under which immediate, is said in chapter 8 of the
   * specification, "What one may do after a failure, a deadline, a cancel".
   */
  <T extends Transfer> Flux<T> submit(Publisher<? extends T> transfers);

  /**
   * The same as {@link #submit(Transfer)}, with a deadline of its own instead of {@link
   * EngineOptions#transferDeadline()}. When it is over, nothing more is posted; what was posted is
   * waited for; then comes a {@link DeadlineExceededException}.
   */
  <T extends Transfer> Mono<T> submit(T transfer, Duration deadline);

  /**
   * The same as {@link #submit(Publisher)}, with a deadline for each transfer, from when the engine
   * took it over.
   */
  <T extends Transfer> Flux<T> submit(Publisher<? extends T> transfers, Duration deadline);

  /**
   * Submits a stream of transfers and emits the outcome of each when it is known: the failure of
   * one does not end the stream. When upstream fails or the engine closes, the transfers that were
   * taken over and not posted come out as such, and then the error.
   */
  <T extends Transfer> Flux<Outcome<T>> submitEach(Publisher<? extends T> transfers);

  /** The counter of this immediate; the same one for every caller. */
  ImmCounter counter(Imm imm);

  /**
   * Leases an immediate that nobody else on this engine uses until the lease is closed.
   *
   * @throws TransferRejectedException if all are leased
   */
  default ImmLease lease() {
    return lease(1);
  }

  /**
   * Leases so many immediates, whose values follow each other.
   *
   * @param size 1 to 65,536
   * @throws TransferRejectedException if there is no room for so many beside those that are leased
   */
  ImmLease lease(int size);

  /** Sends a message on {@link MessageChannel#DEFAULT}. */
  default Mono<Void> send(Peer peer, ByteBuffer message) {
    return send(peer, MessageChannel.DEFAULT, message);
  }

  /**
   * Sends a message on one channel. Completes when the backend has taken it over; waits while the
   * receiver grants no credit, which it does as its application takes messages. Messages of one
   * channel between two engines arrive in order; channels do not wait for each other. Cancelling
   * before any of it was taken over withdraws it. Completion does not say that the receiver has
   * read it: what is unread when it closes is gone.
   *
   * @param message its remaining bytes, copied on subscribe; at most {@link
   *     EngineOptions#maxMessageBytes()}
   */
  Mono<Void> send(Peer peer, MessageChannel channel, ByteBuffer message);

  /** The messages that others send on {@link MessageChannel#DEFAULT}. */
  default Flux<Message> messages() {
    return messages(MessageChannel.DEFAULT);
  }

  /**
   * The messages that others send on one channel. One subscriber at a time; those that came before
   * are kept for it, as many as credits were granted. Demand becomes credits.
   *
   * <p>Completes when the engine closes, without demand too: messages that were not asked for until
   * then are gone, although their {@code send} had completed. Subscribed to afterwards it fails
   * with a {@link TransferRejectedException}.
   */
  Flux<Message> messages(MessageChannel channel);

  /**
   * Waits until every member of the group has entered: completes when each of them has subscribed
   * to a barrier of the same members as often as this engine has. It may be used again and again.
   * Each subscription enters once, and tells the others at once; cancelling stops the waiting and
   * cannot recall the entry. Fails with {@link PeerUnreachableException} when a member is lost.
   *
   * @param group the other members, in any order; naming this engine, too, changes nothing
   */
  default Mono<Void> barrier(PeerGroup group) {
    return barrier("", group);
  }

  /**
   * The same, apart from barriers of the same members that have another name: so two libraries on
   * one engine do not meet in each other's rounds.
   *
   * @param name any text; what does not matter is written the same everywhere
   */
  Mono<Void> barrier(String name, PeerGroup group);

  /**
   * Watches a 64-bit word that a device or another thread writes, and emits its changes since the
   * subscription: of those that come faster than they are asked for, the last. The NIC's thread
   * looks at it in every turn; it spins, or turns at least every 20 us, while anything is watched.
   * Fails when the memory is freed or the engine closes.
   *
   * @param word 8 bytes, aligned to 8, of native memory that every thread may access, or of an
   *     accelerator that is reached from here; the caller keeps them alive until the subscription
   *     has ended
   */
  Flux<Change> watch(Memory word);

  /** The same, of a word of the host. */
  default Flux<Change> watch(MemorySegment word) {
    return watch(new HostMemory(Objects.requireNonNull(word, "word")));
  }

  /** Runs tasks on the thread that drives the NICs, between two polls. For experts. */
  Scheduler scheduler();

  /**
   * Hands tasks to the thread that drives the NICs, as {@link #scheduler()} does: in order, from
   * any thread, without waiting. Nothing is allocated for it, and what was handed over cannot be
   * taken back. What a task throws is logged and ends nothing. A task keeps all NICs waiting, so it
   * must be short and must not block. When the engine has closed, tasks are rejected with a {@link
   * java.util.concurrent.RejectedExecutionException}, and one that was taken before that runs, be
   * it on a thread that hands something over or closes the engine: each is run or rejected, never
   * neither. For experts.
   */
  Executor executor();

  /** What the engine holds and has done. From any thread, at any time. */
  EngineStats stats();

  /**
   * The peers that the engine knows now, each with {@linkplain Peer#stats() figures} of its own:
   * those with which it has something to do or has had lately, and those that somebody holds. So
   * there are not more than its bounds allow. From any thread, at any time.
   */
  List<Peer> peers();

  /** Whether {@link #close()} was begun. */
  boolean isClosed();

  /**
   * Completes when the engine has closed, whoever closed it, as {@link #close()} does. Fails with
   * {@link TransferFailedException} if it closed because something broke, such as its last NIC or
   * its control channel, with the reason. Each subscription waits for itself and closes nothing.
   */
  Mono<Void> onClose();

  /**
   * Stops taking work, waits for what is in flight (at most {@link EngineOptions#closeTimeout()}),
   * closes regions and NICs, ends every pending publisher with one terminal signal. Completes when
   * no NIC of this engine touches any memory. Closing again completes together with the first
   * close. Cancelling drops the signal; the engine closes all the same.
   *
   * <p>Fails with {@link TransferFailedException}, which names the NIC, if one could not be closed:
   * everything has ended, but memory whose region was not closed before must be neither freed nor
   * reused as long as the process runs.
   */
  Mono<Void> close();
}
