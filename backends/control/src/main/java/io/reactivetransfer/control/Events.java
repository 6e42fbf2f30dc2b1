package io.reactivetransfer.control;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.spi.Doorbell;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.varhandle.SpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * What the loop has found since the engine last polled, in order. Bounded by not reading on: a
 * connection that finds it full stops reading until the engine has taken enough out. The loop puts
 * in, the engine's thread takes out; they may be the same.
 */
final class Events {

  /** Something to be told. */
  sealed interface Event {}

  /** A session has begun. */
  record Opened(Session session) implements Event {}

  /** A message has come. */
  record Received(EngineId sender, ByteBuffer bytes) implements Event {}

  /** A session is over, or could not be made. */
  record Lost(EngineId peer, Failure why) implements Event {}

  /** What there was with that engine has ended because the engine gave it up. */
  record GivenUp(EngineId peer) implements Event {}

  /** This engine is at the address. */
  record Found(long token, EngineId peer) implements Event {}

  /** Nobody is. */
  record NotFound(long token, Failure why) implements Event {}

  /** Nothing works any more. */
  record Failed(Failure why) implements Event {}

  private static final int MAX_EVENTS = 8_192;
  private static final int MAX_MESSAGE_BYTES = 4 << 20;
  private static final int QUEUE_CHUNK = 256;

  private final Doorbell doorbell;
  private final SpscUnboundedVarHandleArrayQueue<Event> queue =
      new SpscUnboundedVarHandleArrayQueue<>(QUEUE_CHUNK);
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicLong messageBytes = new AtomicLong();

  Events(Doorbell doorbell) {
    this.doorbell = doorbell;
  }

  void ring() {
    doorbell.ring();
  }

  void received(EngineId sender, ByteBuffer bytes) {
    messageBytes.addAndGet(bytes.remaining());
    add(new Received(sender, bytes));
  }

  void add(Event event) {
    boolean isFirst = count.getAndIncrement() == 0;
    queue.offer(event);
    if (isFirst) {
      doorbell.ring();
    }
  }

  @Nullable Event next() {
    Event event = queue.poll();
    if (event != null) {
      count.decrementAndGet();
      if (event instanceof Received message) {
        messageBytes.addAndGet(-message.bytes().remaining());
      }
    }
    return event;
  }

  int size() {
    return count.get();
  }

  boolean isFull() {
    return isFilledTo(MAX_EVENTS, MAX_MESSAGE_BYTES);
  }

  /** Whether those that found it full may read on. */
  boolean hasRoom() {
    return !isFilledTo(MAX_EVENTS / 2, MAX_MESSAGE_BYTES / 2);
  }

  private boolean isFilledTo(int events, long bytes) {
    return count.get() >= events || messageBytes.get() >= bytes;
  }
}
