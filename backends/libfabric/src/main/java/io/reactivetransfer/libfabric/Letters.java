package io.reactivetransfer.libfabric;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.libfabric.ffi.FiLayout;
import io.reactivetransfer.libfabric.ffi.LibFabric;
import io.reactivetransfer.spi.BackendException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Messages from one NIC to another, over an endpoint of their own: they never wait behind writes.
 * Each carries a number, by which {@link Hearing} puts them in order and finds out what is missing.
 */
final class Letters {

  /** What becomes of what was sent and received. */
  interface Handler {

    /** A frame has come. */
    void received(Frame frame);

    /** A frame has not, and perhaps will not, reach its receiver. */
    void undelivered(FabricPeer peer, int code, String text);
  }

  private static final Logger LOG = Loggers.getLogger(Letters.class);

  private static final int MOST_RECEIVING = 64;
  private static final int SENDING = 256;

  /** One peer that takes nothing must not take all buffers. */
  private static final int SENDING_TO_ONE = 16;

  private static final int BATCH = 32;

  private final OpenFabric fabric;
  private final EngineId self;
  private final long instance;
  private final AddressVector vector;
  private final long endpoint;
  private final byte[] name;
  private final MessageBuffers incoming;
  private final MessageBuffers outgoing;
  private final int[] free;
  private int freeCount;
  private final @Nullable FabricPeer[] receivers;
  private final int[] epochs;
  private final boolean[] unposted;
  private int unpostedCount;
  private final MemorySegment entries;
  private final MemorySegment error;
  private final Breakage reading;
  private final Breakage receiving;
  private final Map<FabricPeer, Long> addresses = new HashMap<>();

  Letters(OpenFabric fabric, Arena arena, EngineId self, long instance, int maxContentBytes) {
    this.fabric = fabric;
    this.self = self;
    this.instance = instance;
    this.vector = new AddressVector(fabric, arena);
    this.endpoint = fabric.openEndpoint(fabric.info.address(), vector.fid());
    this.name = fabric.nameOf(endpoint);
    int bytes = Frame.headBytes(name) + maxContentBytes;
    int buffers = Math.clamp(fabric.info.rxSize(), 1, MOST_RECEIVING);
    this.incoming = new MessageBuffers(fabric, arena, buffers, bytes, 1);
    this.outgoing = new MessageBuffers(fabric, arena, SENDING, bytes, 2);
    this.free = new int[SENDING];
    this.receivers = new FabricPeer[SENDING];
    this.epochs = new int[SENDING];
    for (int i = 0; i < SENDING; i++) {
      free[freeCount++] = i;
    }
    this.unposted = new boolean[buffers];
    this.entries = arena.allocate(BATCH * FiLayout.ENTRY_BYTES, Long.BYTES);
    this.error = arena.allocate(FiLayout.ERROR_BYTES, Long.BYTES);
    this.reading = new Breakage(fabric, "fi_cq_read");
    this.receiving = new Breakage(fabric, "fi_recv");
    for (int i = 0; i < incoming.count(); i++) {
      offer(i);
    }
  }

  /** The endpoint's name, by which others reach this NIC. */
  byte[] name() {
    return name;
  }

  /**
   * Gives a buffer to the provider; if that has no room, it is tried again with each poll.
   *
   * @return the result of the call
   */
  private long offer(int index) {
    long length = incoming.buffer(index).capacity();
    long result =
        fabric.lib.fi_recv(
            endpoint, incoming.address(index), length, incoming.desc(), incoming.context(index));
    if (result == Fi.FI_SUCCESS) {
      unpostedCount -= unposted[index] ? 1 : 0;
      unposted[index] = false;
    } else if (!unposted[index]) {
      unposted[index] = true;
      unpostedCount++;
    }
    return result;
  }

  /**
   * Takes a frame over, or refuses it.
   *
   * @param content its remaining bytes, which are copied and not consumed
   */
  boolean send(FabricPeer peer, Frame.Type type, ByteBuffer content) {
    if (freeCount == 0 || peer.sending() >= SENDING_TO_ONE) {
      return false;
    }
    Long address = addressOf(peer);
    if (address == null) {
      return false;
    }
    int index = free[freeCount - 1];
    ByteBuffer buffer = outgoing.buffer(index);
    Frame.write(buffer, type, peer, self, instance, name, content);
    long result =
        fabric.lib.fi_send(
            endpoint,
            outgoing.address(index),
            buffer.position(),
            outgoing.desc(),
            address,
            outgoing.context(index));
    if (result != Fi.FI_SUCCESS) {
      return false; // whatever the reason, trying goes on until the peer counts as unreachable
    }
    freeCount--;
    receivers[index] = peer;
    epochs[index] = peer.epoch();
    peer.sendingChanged(1);
    if (type.isInOrder()) {
      peer.numbered();
    }
    return true;
  }

  /** Its handle; null if the provider takes no such address, and it is as unreachable. */
  private @Nullable Long addressOf(FabricPeer peer) {
    Long known = addresses.get(peer);
    if (known == null) {
      try {
        known = vector.insert(peer.name());
        addresses.put(peer, known);
      } catch (BackendException e) {
        LOG.debug("no message reaches {}: {}", peer.engine().toShortString(), e.getMessage());
      }
    }
    return known;
  }

  /** Forgets a peer; if it comes back, its address is taken anew. */
  void forget(FabricPeer peer) {
    Long known = addresses.remove(peer);
    if (known != null && peer.sending() == 0) {
      vector.remove(known);
    }
  }

  /** Ends everything that is out. */
  void close() {
    fabric.discard(endpoint);
  }

  /** Handles what has come and what has been sent, a bounded number. */
  int poll(Handler handler) {
    long count = fabric.lib.fi_cq_read(fabric.queue(), entries.address(), BATCH);
    reading.went(count);
    if (unpostedCount > 0) {
      offerAgain();
    }
    if (count == -Fi.FI_EAVAIL) {
      return readError(handler);
    }
    for (long i = 0; i < count; i++) {
      long entry = entries.address() + i * FiLayout.ENTRY_BYTES;
      completed(LibFabric.context(entry), LibFabric.length(entry), handler);
    }
    return (int) Math.max(0, count);
  }

  private void offerAgain() {
    long best = Long.MIN_VALUE;
    for (int i = 0; i < incoming.count(); i++) {
      if (unposted[i]) {
        best = Math.max(best, offer(i));
      }
    }
    receiving.went(best);
  }

  /** Why no message will come any more; null as long as they may. */
  @Nullable Failure broken() {
    return reading.failure() == null ? receiving.failure() : reading.failure();
  }

  private void completed(long context, long length, Handler handler) {
    int received = incoming.indexOf(context);
    if (received >= 0) {
      ByteBuffer buffer = incoming.buffer(received);
      Frame frame = Frame.read(buffer.limit((int) Math.min(length, buffer.capacity())));
      if (frame != null && frame.target() == instance) {
        handler.received(frame);
      }
      offer(received);
    } else {
      sent(context);
    }
  }

  /** Whom it was sent to, if that counts still. */
  private @Nullable FabricPeer sent(long context) {
    int index = outgoing.indexOf(context);
    FabricPeer peer = index < 0 ? null : receivers[index];
    if (peer != null) {
      receivers[index] = null;
      peer.sendingChanged(-1);
      free[freeCount++] = index;
    }
    return peer != null && epochs[index] == peer.epoch() ? peer : null;
  }

  private int readError(Handler handler) {
    error.fill((byte) 0);
    long read = fabric.lib.fi_cq_readerr(fabric.queue(), error.address());
    if (read != 1) {
      return 0;
    }
    long context = LibFabric.errorContext(error.address());
    int received = incoming.indexOf(context);
    if (received >= 0) {
      offer(received); // the sender is told, too
      return 1;
    }
    FabricPeer peer = sent(context);
    if (peer != null) {
      int code = LibFabric.error(error.address());
      handler.undelivered(peer, code, fabric.text(error.address()));
    }
    return 1;
  }
}
