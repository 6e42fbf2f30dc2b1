package io.reactivetransfer.spi;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Memory;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;

/**
 * One opened NIC. Every method is called by the one thread that drives it, and none may block: what
 * cannot be done now is refused by a return value.
 *
 * <p>The contract toward the network is <em>reliable and unordered</em>. Each accepted write is
 * reported exactly once, by {@link CompletionSink#written} or {@link CompletionSink#failed}, also
 * when the peer is lost. Bounds and access of a write were checked by the engine at the origin; a
 * backend that receives writes in software checks them again at the target.
 */
public interface Domain {

  /** No descriptors: this NIC must be polled. */
  int[] MUST_BE_POLLED = {};

  /** What it can do. */
  Capabilities capabilities();

  /** Address by which {@link #resolve(EngineId, int, byte[])} of another domain finds this one. */
  byte[] address();

  /**
   * Registers memory, so that writes may read it and, with {@link Access#REMOTE_WRITE}, remote
   * engines may write it. A NIC that takes long, as one that pins tens of gigabytes does, begins
   * here and completes the stage later, on any thread; one that does not completes it at once. What
   * is not complete when this NIC is {@linkplain #close() closed} is not waited for.
   *
   * @return completes with the registered memory, or fails with a {@link BackendException} if it
   *     cannot be registered, which may as well be thrown
   */
  CompletionStage<LocalMemory> register(Memory memory, Access access);

  /**
   * Ends remote access under the present key and begins it under a new one. When that is complete,
   * no write under the old key changes a byte or gives an immediate any more, though one may be
   * half-way in. What had come before is reported by the next poll. Own writes that refer to the
   * old object go on, and until then they are posted with it. Of one memory, the engine waits for
   * one call to end before it makes another.
   *
   * @return completes, now or later like {@link #register}, with the same memory under a new key;
   *     the old object is for running writes only then. Fails with a {@link BackendException} if
   *     the old key cannot be ended: then the old object stays the present one, and what is written
   *     under its key may still come
   */
  CompletionStage<LocalMemory> revoke(LocalMemory memory);

  /**
   * Ends a registration, of which no own write is in flight.
   *
   * @return completes, now or later like {@link #register}, when nothing touches the memory any
   *     more. Fails with a {@link BackendException} if that cannot be made sure; then the engine
   *     closes, for only {@link #close()} can make it sure
   */
  CompletionStage<Void> deregister(LocalMemory memory);

  /**
   * Resolves the address of one NIC of another engine; connects nothing yet. Asked once for each
   * NIC that this one writes to or hears from, until that is {@linkplain #release(RemotePeer)
   * released}.
   *
   * @param nic number of the NIC among those of that engine
   * @throws BackendException if the bytes are not an address
   */
  RemotePeer resolve(EngineId engine, int nic, byte[] address);

  /**
   * A NIC of another engine has something to say to this one, see {@link CompletionSink#toPeer}. It
   * may hold anything; what is not understood is dropped, or ends what concerns that peer.
   *
   * @param from who said it, as this domain resolved it
   * @param message valid only during this call
   */
  default void fromPeer(RemotePeer from, ByteBuffer message) {}

  /**
   * Forgets a peer for good, to which no write is in flight: what is connected to it is closed. All
   * memory that was resolved with it was {@linkplain #release(RemoteMemory) released} before, and
   * no {@linkplain #disconnect fence} of it is open, unless this NIC has failed. Nothing is asked
   * of this NIC about it afterwards.
   */
  default void release(RemotePeer peer) {}

  /**
   * Resolves the key of memory of that NIC.
   *
   * @param length of the memory, in bytes
   * @throws BackendException if the bytes are not a key
   */
  RemoteMemory resolve(RemotePeer peer, byte[] key, long length);

  /**
   * Forgets memory of a peer for good, to which no write is in flight: its owner has revoked it, or
   * it was not used for long. It may be resolved again. Called once for each that was resolved,
   * unless this NIC is closed first. Most NICs keep nothing but the object; one that maps keys, or
   * holds them in a table, lets go of them here.
   */
  default void release(RemoteMemory memory) {}

  /**
   * Takes a write over, or refuses it because a queue is full or a connection is still being made.
   * After a refusal, the doorbell rings, or one of the {@link #waitDescriptors()} becomes readable,
   * when trying again may succeed, unless this NIC must be polled anyway. It need not begin before
   * the next {@link #flush}.
   *
   * @return whether it was taken over, and if not, what else would be refused, too
   */
  PostResult post(Operation op);

  /**
   * Begins all writes that were taken over. Called after each run of posts, before this NIC is
   * polled again: so a driver chains work requests, and rings the NIC's doorbell once.
   */
  default void flush() {}

  /**
   * Gives a peer up, which the engine has found to be dead or stopped: reports each write that was
   * accepted for it as failed in this or the next polls, without any help of the peer, and nothing
   * of it touches the sources any more then. It may be reported lost, too. A later post tries anew.
   *
   * <p>It is a fence, too: what the peer has posted to this NIC by now lands before the stage is
   * complete, and is reported, or never. So a count that begins anew behind it takes in nothing of
   * before. Who cannot keep it out (no {@link Capabilities#fencesLostPeers}) does what it can.
   *
   * @param reason for the texts
   * @return completes when nothing more comes of what the peer has posted, and what had come was
   *     reported: at once, or with one of the next polls; it does not fail
   */
  CompletionStage<Void> disconnect(RemotePeer peer, String reason);

  /**
   * Makes progress and reports what was found, a bounded amount.
   *
   * @return how many things were reported or moved forward; 0 means that there was nothing to do
   */
  int poll(CompletionSink sink);

  /**
   * File descriptors of which one becomes readable when a poll would find something, such as that
   * of a completion channel; or {@link #MUST_BE_POLLED}. With them, an idle thread sleeps until a
   * NIC has something for it, instead of polling a thousand times a second. What no descriptor
   * shows must ring the doorbell, and what becomes due with time must be checked by polls that come
   * late: at least ten a second.
   *
   * <p>Asked before each wait, so never while there is work. Gives <em>the same array</em> for as
   * long as they are the same, and another one when they have changed; nobody changes an array that
   * was given.
   *
   * @return open descriptors, or none. While there are none, this NIC is polled, and so are the
   *     others of its engine
   */
  default int[] waitDescriptors() {
    return MUST_BE_POLLED;
  }

  /**
   * Makes ready for a wait on the descriptors: empties those that are readable for events already
   * seen, and has the NIC make them readable for the next event. Called right before a wait, after
   * a poll that found nothing; a wait need not follow. In terms of libfabric this is {@code
   * fi_trywait}, in those of verbs {@code ibv_get_cq_event}, {@code ibv_ack_cq_events} and {@code
   * ibv_req_notify_cq}.
   *
   * <p>Whatever comes after the last poll and before the wait must not be lost: either this says
   * false, or a descriptor is readable when the wait begins. With verbs, that is to say false each
   * time that the notification was requested now, for something may have come before; and true if
   * it was requested before the last poll.
   *
   * @return whether to wait; false to be polled first. A NIC that always says false keeps a core
   *     busy
   * @throws BackendException if it cannot; then the engine waits no more, and polls
   */
  default boolean prepareWait() {
    return true;
  }

  /**
   * Closes the NIC. When it returns, nothing touches any memory registered here. Writes that were
   * in flight are not reported any more. It is called once.
   *
   * @throws BackendException if it cannot be closed, so that something may still touch the memory;
   *     whoever waits for memory to be quiet is told so
   */
  void close();
}
