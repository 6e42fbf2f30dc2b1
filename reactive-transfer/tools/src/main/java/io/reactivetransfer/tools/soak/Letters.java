package io.reactivetransfer.tools.soak;

import io.reactivetransfer.Message;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * The messages between two engines. Each carries a number of its own stream and kind and a
 * checksum, so that one that is lost, twice there, overtaken or changed is seen.
 */
final class Letters implements AutoCloseable {

  /** Demand of so few that a sender sees the end of its credits now and then. */
  private static final int DEMAND = 8;

  private static final int HEAD = 1 + Short.BYTES + Long.BYTES;

  /** What a message is about. */
  enum Kind {
    /** A target says where to write, and under which immediate. */
    READY(0),
    /** An origin says what became of a round. */
    ENDED(1),
    /** Bytes that a seed decides. */
    CHAT(2);

    private static final List<Kind> ALL = List.of(values());

    /** How a message says it, and its place in the tables. */
    private final int code;

    Kind(int code) {
      this.code = code;
    }
  }

  private final TransferEngine engine;
  private final Judge judge;
  private final Duration limit;
  private final Await await;
  private final long[][] sent;
  private final long[][] received;

  /** Whoever puts something in never waits: it is a thread that must not block. */
  private final BlockingQueue<ByteBuffer>[][] boxes;

  private final Disposable.Swap subscription = Disposables.swap();
  private volatile @Nullable Peer peer;

  @SuppressWarnings({"unchecked", "rawtypes"}) // arrays of queues
  Letters(TransferEngine engine, Judge judge, Plan plan) {
    int kinds = Kind.ALL.size();
    this.engine = engine;
    this.judge = judge;
    this.await = new Await(plan.limit());
    this.limit = plan.limit().multipliedBy(2); // the other side's limit ends first, and says more
    this.sent = new long[kinds][plan.streams()];
    this.received = new long[kinds][plan.streams()];
    this.boxes = new BlockingQueue[kinds][plan.streams()];
    for (BlockingQueue<ByteBuffer>[] row : boxes) {
      for (int i = 0; i < row.length; i++) {
        row[i] = new LinkedTransferQueue<>();
      }
    }
  }

  /** Reads what this peer sends; nobody else knows this engine. */
  void open(Peer from) {
    peer = from;
    subscription.update(
        engine
            .messages()
            .limitRate(DEMAND)
            .subscribe(
                message -> judge.check(() -> take(message)),
                failure -> judge.unexpected("messages() to go on", failure)));
  }

  private void take(Message message) {
    ByteBuffer bytes = message.bytes();
    if (!message.sender().equals(peer)) {
      throw SoakFailure.at(
          "messages()", "a message of " + peer, "one of " + message.sender(), null);
    }
    long sum = bytes.getLong(bytes.limit() - Long.BYTES);
    bytes.limit(bytes.limit() - Long.BYTES);
    if (sum != sumOf(bytes)) {
      throw SoakFailure.at(
          "messages()", "a message with the checksum " + sum, "one with " + sumOf(bytes), null);
    }
    Kind kind = Kind.ALL.get(bytes.get());
    int stream = bytes.getShort();
    long number = bytes.getLong();
    long expected = received[kind.code][stream]++;
    if (number != expected) {
      throw SoakFailure.at(
          "messages() of stream " + stream, kind + " number " + expected, "" + number, null);
    }
    boxes[kind.code][stream].add(bytes.slice());
  }

  /** Sends one; completes when it is taken over. One thread at a time for a kind and a stream. */
  void send(Kind kind, int stream, ByteBuffer body, Object place) throws InterruptedException {
    ByteBuffer bytes = ByteBuffer.allocate(HEAD + body.remaining() + Long.BYTES);
    bytes.put((byte) kind.code).putShort((short) stream);
    bytes.putLong(sent[kind.code][stream]++).put(body);
    bytes.putLong(sumOf(bytes.duplicate().flip()));
    Peer to = peer;
    if (to == null) {
      throw new IllegalStateException("expected to be open");
    }
    await.value(engine.send(to, bytes.flip()), "send of " + kind, place);
  }

  /** The next one of this kind and stream. */
  ByteBuffer take(Kind kind, int stream, Object place) throws InterruptedException {
    ByteBuffer body = boxes[kind.code][stream].poll(limit.toMillis(), TimeUnit.MILLISECONDS);
    if (body == null) {
      throw SoakFailure.at(
          place, "a message " + kind + " within " + limit.toSeconds() + " s", "none", null);
    }
    return body;
  }

  private static long sumOf(ByteBuffer bytes) {
    CRC32C sum = new CRC32C();
    sum.update(bytes.duplicate());
    return sum.getValue();
  }

  @Override
  public void close() {
    subscription.dispose();
  }
}
