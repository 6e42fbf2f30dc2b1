package io.reactivetransfer.control;

import io.netty.buffer.ByteBuf;
import io.reactivetransfer.EngineId;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.varhandle.SpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * A session with one other engine, once it has begun: what waits to be sent in it. The engine's
 * thread puts messages in, the loop takes them out as fast as the socket takes them.
 */
final class Session {

  /** What may wait besides what the socket's buffer holds; one message may always wait. */
  private static final int MAX_WAITING_BYTES = 1 << 20;

  /** So that messages of no bytes are bounded, too. */
  private static final int BYTES_EACH = 64;

  private static final int QUEUE_CHUNK = 16;

  private final EngineId peer;
  private final Connection connection;
  private final SpscUnboundedVarHandleArrayQueue<byte[]> waiting =
      new SpscUnboundedVarHandleArrayQueue<>(QUEUE_CHUNK);
  private final AtomicLong waitingBytes = new AtomicLong();
  private final AtomicBoolean drainDue = new AtomicBoolean();
  private volatile boolean refused;
  private volatile boolean ended;

  Session(EngineId peer, Connection connection) {
    this.peer = peer;
    this.connection = connection;
  }

  EngineId peer() {
    return peer;
  }

  // On the engine's thread.

  /** Takes a copy over, or refuses. */
  boolean offer(ByteBuffer bytes) {
    if (ended) {
      return false;
    }
    if (!hasRoom()) {
      refused = true;
      if (!hasRoom()) { // else the loop may have made room, and looked before that was set
        return false;
      }
      refused = false;
    }
    byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    waitingBytes.addAndGet(copy.length + BYTES_EACH);
    waiting.offer(copy);
    if (drainDue.compareAndSet(false, true)) {
      connection.execute(this::drain);
    }
    return true;
  }

  /** Takes nothing more over. */
  void end() {
    ended = true;
  }

  private boolean hasRoom() {
    return waitingBytes.get() < MAX_WAITING_BYTES;
  }

  // On the loop.

  /** Sends what waits, as far as the socket takes it. */
  void drain() {
    drainDue.set(false);
    if (!ended) {
      connection.drain();
    }
  }

  @Nullable ByteBuf next(FrameCodec codec, io.netty.buffer.ByteBufAllocator buffers) {
    byte[] message = ended ? null : waiting.poll();
    if (message == null) {
      return null;
    }
    long left = waitingBytes.addAndGet(-(message.length + BYTES_EACH));
    if (refused && left < MAX_WAITING_BYTES / 2) {
      refused = false;
      connection.ring();
    }
    return codec.encode(buffers, FrameCodec.MESSAGE, Objects.requireNonNull(message));
  }
}
