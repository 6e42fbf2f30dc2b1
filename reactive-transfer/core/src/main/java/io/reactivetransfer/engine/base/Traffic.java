package io.reactivetransfer.engine.base;

import io.reactivetransfer.TrafficStats;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;

/**
 * Counts what goes over one NIC, or to and from one peer. The NIC thread alone writes, plainly, for
 * this is done for each write; whoever reads, opaquely, sees what was counted at some recent
 * moment.
 */
public final class Traffic {

  private static final int ENDED = 0;
  private static final int POSTED = 1;
  private static final int BYTES = 2;
  private static final int FAILED = 3;
  private static final int REFUSED = 4;
  private static final int ARRIVED = 5;
  private static final int WAITING = 6;
  private static final int QUEUED = 7;
  private static final int QUEUED_NANOS = 8;
  private static final int MESSAGES_SENT = 9;
  private static final int MESSAGE_BYTES_SENT = 10;
  private static final int MESSAGES_WAITING = 11;
  private static final int MESSAGES_RECEIVED = 12;
  private static final int MESSAGE_BYTES_RECEIVED = 13;
  private static final int POSTED_AGAIN = 14;
  private static final int ABORTS_SENT = 15;
  private static final int ABORTS_RECEIVED = 16;
  private static final int BYTES_ARRIVED = 17;
  private static final int DEPTH = 18;

  private static final VarHandle VALUES = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] values = new long[DEPTH + 1];

  /** It is of a NIC that may have so many pieces in flight. */
  public void depth(int pieces) {
    values[DEPTH] = pieces;
  }

  public void posted(int writes, long bytes) {
    values[POSTED] += writes;
    values[BYTES] += bytes;
  }

  /** The same, by whoever keeps the sums himself. */
  public void set(long posted, long bytes, long ended) {
    values[POSTED] = posted;
    values[BYTES] = bytes;
    values[ENDED] = ended;
  }

  /** So many are not in flight any more. */
  public void ended(int writes) {
    values[ENDED] += writes;
  }

  public void failed() {
    values[FAILED]++;
  }

  /** One of those that have failed is posted again, or will be. */
  public void postedAgain() {
    values[POSTED_AGAIN]++;
  }

  public void refused() {
    values[REFUSED]++;
  }

  public void arrived(int pieces, long bytes) {
    values[ARRIVED] += pieces;
    values[BYTES_ARRIVED] += bytes;
  }

  /** A part of a transfer waits to be posted. */
  public void queued() {
    values[WAITING]++;
  }

  /** It waits no more, and has waited so long. */
  public void dequeued(long nanos) {
    values[WAITING]--;
    values[QUEUED]++;
    values[QUEUED_NANOS] += nanos;
  }

  /** A message was taken over by the control channel. */
  public void messageSent(int bytes) {
    values[MESSAGES_SENT]++;
    values[MESSAGE_BYTES_SENT] += bytes;
  }

  /** So many more messages wait to be sent, or fewer if it is below 0. */
  public void messagesWait(int change) {
    values[MESSAGES_WAITING] += change;
  }

  /** A message has come. */
  public void messageReceived(int bytes) {
    values[MESSAGES_RECEIVED]++;
    values[MESSAGE_BYTES_RECEIVED] += bytes;
  }

  /** The peer was told to take back an immediate. */
  public void abortSent() {
    values[ABORTS_SENT]++;
  }

  /** The peer has told to take back an immediate. */
  public void abortReceived() {
    values[ABORTS_RECEIVED]++;
  }

  /** As it is now. From any thread. */
  public TrafficStats stats() {
    long ended = get(ENDED); // before the other one, or less than none might be in flight
    long posted = get(POSTED);
    long inFlight = Math.max(0, posted - ended);
    return new Figures(
        inFlight,
        posted,
        get(BYTES),
        get(FAILED),
        get(POSTED_AGAIN),
        Math.max(0, get(DEPTH) - inFlight),
        get(REFUSED),
        get(ARRIVED),
        get(BYTES_ARRIVED),
        get(ABORTS_SENT),
        get(ABORTS_RECEIVED),
        get(WAITING),
        get(QUEUED),
        Duration.ofNanos(get(QUEUED_NANOS)),
        get(MESSAGES_SENT),
        get(MESSAGE_BYTES_SENT),
        get(MESSAGES_WAITING),
        get(MESSAGES_RECEIVED),
        get(MESSAGE_BYTES_RECEIVED));
  }

  private long get(int figure) {
    return (long) VALUES.getOpaque(values, figure);
  }

  private record Figures(
      long writesInFlight,
      long writesPosted,
      long bytesPosted,
      long writesFailed,
      long writesPostedAgain,
      long credits,
      long refusals,
      long arrivals,
      long bytesArrived,
      long abortsSent,
      long abortsReceived,
      long transfersWaiting,
      long transfersQueued,
      Duration timeQueued,
      long messagesSent,
      long messageBytesSent,
      long messagesWaiting,
      long messagesReceived,
      long messageBytesReceived)
      implements TrafficStats {}
}
