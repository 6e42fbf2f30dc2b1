package io.reactivetransfer.tools.moe;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;

/**
 * A NIC that remembers what arrives while it is a real one, and reports the same again, when it is
 * told to, after it was cut off. From then on it completes each write at the next poll and moves
 * nothing; it notes when the first write was posted since {@link #begin}, and when the last one.
 */
final class SilentDomain implements Domain {

  private static final int DEPTH = 1 << 12;

  /** An immediate that arrives, who has sent it, and how much came with it. */
  private record Arrival(EngineId origin, int wire, long bytes) {}

  private final Domain real;
  private final TreeMap<Integer, List<Arrival>> learned = new TreeMap<>();
  private Arrival[][] arrivals = new Arrival[0][];
  private boolean isCutOff;

  /** How many writes the real one has taken and not reported. */
  private int outstanding;

  private final long[] tokens = new long[DEPTH];
  private int head;
  private int tail;

  private int expected;
  private int posted;
  private long turnNanos;
  private long firstNanos;
  private long lastNanos;

  /** What whoever measures on another thread looks at; written last, so the rest is seen, too. */
  private volatile boolean isPosted;

  private volatile int due = -1;

  SilentDomain(Domain real) {
    this.real = real;
  }

  /**
   * Whether the real one has reported all that it has taken. What it has not is never reported once
   * it is cut off, and an engine does not close before each of its writes has ended.
   */
  boolean isQuiet() {
    return outstanding == 0;
  }

  void cutOff() {
    if (!isQuiet()) {
      throw new IllegalStateException(
          "expected a NIC that has reported all writes, got %d that are not"
              .formatted(outstanding));
    }
    isCutOff = true;
    arrivals = new Arrival[learned.size()][];
    int kind = 0;
    for (List<Arrival> ofImm : learned.values()) {
      arrivals[kind++] = ofImm.toArray(Arrival[]::new);
    }
  }

  /** How many immediates there are under which something has arrived, by their values. */
  int kinds() {
    return arrivals.length;
  }

  /** How much has arrived under one of them. */
  int arrivals(int kind) {
    return arrivals[kind].length;
  }

  /** From now on so many writes are waited for. */
  void begin(int writes) {
    expected = writes;
    posted = 0;
    isPosted = writes == 0;
  }

  /** Whether as many were posted. */
  boolean isPosted() {
    return isPosted;
  }

  /** When the turn began in which the first was posted, as far as a NIC sees that. */
  long turnNanos() {
    return turnNanos;
  }

  long firstNanos() {
    return firstNanos;
  }

  long lastNanos() {
    return lastNanos;
  }

  /** What arrived under one immediate arrives again, at the next poll. */
  void deliver(int kind) {
    due = kind;
  }

  /** Whether all that was to arrive has. */
  boolean isDelivered() {
    return due < 0;
  }

  @Override
  public PostResult post(Operation op) {
    if (!isCutOff) {
      PostResult result = real.post(op);
      if (result == PostResult.TAKEN) {
        outstanding++;
      }
      return result;
    }
    if (tail - head == DEPTH) {
      return PostResult.NIC_BUSY;
    }
    tokens[tail++ & DEPTH - 1] = op.token();
    if (posted == 0) {
      firstNanos = System.nanoTime();
    }
    if (++posted == expected) {
      lastNanos = System.nanoTime();
      isPosted = true;
    }
    return PostResult.TAKEN;
  }

  @Override
  public int poll(CompletionSink sink) {
    if (!isCutOff) {
      return real.poll(new Learning(sink));
    }
    int found = tail - head;
    while (head != tail) {
      sink.written(tokens[head++ & DEPTH - 1]);
    }
    int kind = due;
    if (kind >= 0) {
      for (Arrival arrival : arrivals[kind]) {
        sink.immArrived(arrival.origin(), arrival.wire(), arrival.bytes());
      }
      found += arrivals[kind].length;
      due = -1;
    }
    if (posted == 0) {
      turnNanos = System.nanoTime();
    }
    return found;
  }

  @Override
  public Capabilities capabilities() {
    return real.capabilities();
  }

  @Override
  public byte[] address() {
    return real.address();
  }

  @Override
  public CompletionStage<LocalMemory> register(Memory memory, Access access) {
    return real.register(memory, access);
  }

  @Override
  public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
    return real.revoke(memory);
  }

  @Override
  public CompletionStage<Void> deregister(LocalMemory memory) {
    return real.deregister(memory);
  }

  @Override
  public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
    return real.resolve(engine, nic, address);
  }

  @Override
  public void fromPeer(RemotePeer from, ByteBuffer message) {
    real.fromPeer(from, message);
  }

  @Override
  public void release(RemotePeer peer) {
    real.release(peer);
  }

  @Override
  public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
    return real.resolve(peer, key, length);
  }

  @Override
  public void release(RemoteMemory memory) {
    real.release(memory);
  }

  @Override
  public void flush() {
    real.flush();
  }

  @Override
  public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
    return real.disconnect(peer, reason);
  }

  @Override
  public boolean prepareWait() {
    return real.prepareWait();
  }

  @Override
  public void close() {
    real.close();
  }

  /** Hands on what a real NIC reports. */
  private final class Learning implements CompletionSink {
    private final CompletionSink sink;

    Learning(CompletionSink sink) {
      this.sink = sink;
    }

    @Override
    public void written(long token) {
      outstanding--;
      sink.written(token);
    }

    @Override
    public void written(long token, int writes) {
      outstanding -= writes;
      sink.written(token, writes);
    }

    @Override
    public void failed(long token, int code, String text) {
      outstanding--;
      sink.failed(token, code, text);
    }

    @Override
    public void refused(long token, int code, String text) {
      outstanding--;
      sink.refused(token, code, text);
    }

    @Override
    public void immArrived(int imm, long bytes) {
      sink.immArrived(imm, bytes);
    }

    @Override
    public void immArrived(EngineId origin, int imm, long bytes) {
      learned
          .computeIfAbsent(imm & Imm.MAX_VALUE, ignored -> new ArrayList<>())
          .add(new Arrival(origin, imm, bytes));
      sink.immArrived(origin, imm, bytes);
    }

    @Override
    public void toPeer(RemotePeer peer, ByteBuffer message) {
      sink.toPeer(peer, message);
    }

    @Override
    public void peerLost(EngineId peer, int code, String text) {
      sink.peerLost(peer, code, text);
    }

    @Override
    public void nicFailed(int code, String text) {
      sink.nicFailed(code, text);
    }
  }
}
