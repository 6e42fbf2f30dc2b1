package io.reactivetransfer.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.ControlSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.EngineIdentity;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Two NICs on two threads that sleep until their doorbell rings: a lost ring is a hang. */
class LoopbackStressTest {

  private static final byte SPOILT = 77;
  private static final int SLOTS = 64;
  private static final int ROUNDS = Integer.getInteger("reactivetransfer.rounds", 1);
  private static final int WRITES = (ROUNDS > 1 ? 25_000 : 8_000) * ROUNDS;

  private final LoopbackNetwork network = new LoopbackNetwork();

  private Domain open(int engine, int depth, Semaphore bell) {
    return open(engine, depth, 100, bell);
  }

  private Domain open(int engine, int depth, long copyBytes, Semaphore bell) {
    LoopbackBackend backend =
        LoopbackBackend.builder()
            .network(network)
            .queueDepth(depth)
            .maxCopyBytesPerPoll(copyBytes)
            .build();
    OpenContext context =
        OpenContext.builder(new EngineId(7, engine), 0, bell::release).nicDepth(depth).build();
    return backend.open(backend.nics().getFirst(), context).toCompletableFuture().join();
  }

  @Test
  void everyWriteArrivesWholeAndIsReportedOnce() {
    Semaphore originBell = new Semaphore(0);
    Semaphore targetBell = new Semaphore(0);
    // The target's inbox is smaller than what the origin may have out, so that both bounds are met.
    Domain origin = open(1, 16, originBell);
    Domain target = open(2, 4, targetBell);
    MemorySegment from = Arena.ofAuto().allocate(SLOTS * 16L, 8);
    MemorySegment to = Arena.ofAuto().allocate(SLOTS * 16L, 8);
    LocalMemory source =
        origin.register(new HostMemory(from), Access.LOCAL).toCompletableFuture().join();
    LocalMemory open =
        target.register(new HostMemory(to), Access.REMOTE_WRITE).toCompletableFuture().join();
    RemotePeer peer = origin.resolve(new EngineId(7, 2), 0, target.address());
    RemoteMemory remote = origin.resolve(peer, open.key(), to.byteSize());
    boolean[] reported = new boolean[WRITES];
    int[] counts = new int[3];

    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      CompletableFuture<Void> writing =
          CompletableFuture.runAsync(
              () -> {
                Operation op = new Operation();
                int posted = 0;
                while (counts[0] < WRITES) {
                  while (posted < WRITES) {
                    long slot = posted % SLOTS * 16L;
                    from.set(ValueLayout.JAVA_LONG, slot, posted);
                    from.set(ValueLayout.JAVA_LONG, slot + 8, ~posted);
                    op.between(source, remote).range(slot, slot, 16).token(posted).withImm(posted);
                    if (!origin.post(op).isTaken()) {
                      break;
                    }
                    posted++;
                  }
                  int work =
                      origin.poll(
                          new CountingSink() {
                            @Override
                            public void written(long token) {
                              assertThat(reported[(int) token]).isFalse();
                              reported[(int) token] = true;
                              counts[0]++;
                            }
                          });
                  sleepUnless(work > 0, originBell);
                }
              },
              threads);
      CompletableFuture<Void> reading =
          CompletableFuture.runAsync(
              () -> {
                while (counts[1] < WRITES) {
                  int work =
                      target.poll(
                          new CountingSink() {
                            @Override
                            public void immArrived(int imm, long bytes) {
                              long slot = imm % SLOTS * 16L;
                              assertThat(to.get(ValueLayout.JAVA_LONG, slot)).isEqualTo(imm);
                              assertThat(to.get(ValueLayout.JAVA_LONG, slot + 8)).isEqualTo(~imm);
                              counts[1]++;
                            }
                          });
                  sleepUnless(work > 0, targetBell);
                }
              },
              threads);
      CompletableFuture.allOf(writing, reading).join();
    }
    assertThat(counts[0]).isEqualTo(WRITES);
    assertThat(counts[1]).isEqualTo(WRITES);
  }

  /** How often a NIC is polled before it is closed. */
  static IntStream turns() {
    return IntStream.range(0, ROUNDS > 1 ? 300 : 100);
  }

  @ParameterizedTest
  @MethodSource("turns")
  void whenTheTargetClosesEachWriteEndsOnce(int turns) {
    Semaphore originBell = new Semaphore(0);
    Semaphore targetBell = new Semaphore(0);
    Domain origin = open(1, 32, originBell);
    Domain target = open(2, 8, targetBell);
    LocalMemory source = origin.register(host(64), Access.LOCAL).toCompletableFuture().join();
    LocalMemory open = target.register(host(64), Access.REMOTE_WRITE).toCompletableFuture().join();
    byte[] address = target.address();
    int targetTurns = turns % 20;
    int[] ended = new int[4096];
    AtomicBoolean lost = new AtomicBoolean();
    int[] posted = new int[1];

    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      CompletableFuture<Void> closing =
          run(
              threads,
              () -> {
                for (int i = 0; i < targetTurns; i++) {
                  target.poll(new CountingSink());
                }
                target.close();
              });
      CompletableFuture<Void> writing =
          run(
              threads,
              () -> {
                RemotePeer peer = origin.resolve(new EngineId(7, 2), 0, address);
                RemoteMemory remote = origin.resolve(peer, open.key(), 64);
                Operation op = new Operation().between(source, remote).range(0, 0, 64);
                CountingSink sink =
                    new CountingSink() {
                      @Override
                      public void written(long token) {
                        ended[(int) token]++;
                      }

                      @Override
                      public void failed(long token, int code, String text) {
                        assertThat(lost).isTrue();
                        ended[(int) token]++;
                      }

                      @Override
                      public void peerLost(EngineId peerId, int code, String text) {
                        assertThat(lost.getAndSet(true)).isFalse();
                      }
                    };
                while (!lost.get()) {
                  while (posted[0] < ended.length && origin.post(op.token(posted[0])).isTaken()) {
                    posted[0]++;
                  }
                  sleepUnless(origin.poll(sink) > 0, originBell);
                }
                assertThat(origin.poll(sink)).isZero();
              });
      CompletableFuture.allOf(closing, writing).join();
    }
    for (int i = 0; i < posted[0]; i++) {
      assertThat(ended[i]).as("write %d of %d", i, posted[0]).isEqualTo(1);
    }
  }

  static IntStream manyTurns() {
    return IntStream.rangeClosed(1, 100).filter(i -> ROUNDS > 1 || i % 3 == 0).map(i -> i * 200);
  }

  @ParameterizedTest
  @MethodSource("manyTurns")
  void whenTheOriginHasClosedItsSourceIsNotReadAnyMore(int turns) {
    int bytes = 1 << 20;
    Semaphore targetBell = new Semaphore(0);
    Domain origin = open(1, 32, bytes, new Semaphore(0));
    Domain target = open(2, 32, bytes, targetBell);
    HostMemory from = host(bytes);
    HostMemory to = host(bytes);
    LocalMemory source = origin.register(from, Access.LOCAL).toCompletableFuture().join();
    LocalMemory open = target.register(to, Access.REMOTE_WRITE).toCompletableFuture().join();
    RemotePeer peer = origin.resolve(new EngineId(7, 2), 0, target.address());
    RemoteMemory remote = origin.resolve(peer, open.key(), bytes);
    AtomicBoolean lost = new AtomicBoolean();
    CountingSink untilLost =
        new CountingSink() {
          @Override
          public void peerLost(EngineId peerId, int code, String text) {
            lost.set(true);
          }
        };

    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      CompletableFuture<Void> serving =
          run(
              threads,
              () -> {
                while (!lost.get()) {
                  sleepUnless(target.poll(untilLost) > 0, targetBell);
                }
                while (target.poll(untilLost) > 0) {}
              });
      CompletableFuture<Void> closing =
          run(
              threads,
              () -> {
                Operation op = new Operation().between(source, remote).range(0, 0, bytes);
                for (int i = 0; i < 32; i++) {
                  origin.post(op.token(i));
                }
                for (int i = turns; i > 0; i--) {
                  origin.poll(new CountingSink());
                }
                origin.close();
                from.segment().fill(SPOILT);
              });
      CompletableFuture.allOf(serving, closing).join();
    }
    long spoilt = 0;
    for (int i = 0; i < bytes; i++) {
      spoilt += to.segment().get(ValueLayout.JAVA_BYTE, i);
    }
    assertThat(spoilt).isZero();
  }

  @Test
  void aRefusedSenderIsAlwaysRung() {
    int messages = 300_000;
    Semaphore senderBell = new Semaphore(0);
    Semaphore receiverBell = new Semaphore(0);
    EngineIdentity target = EngineIdentity.draw();
    ControlChannel sender = control(EngineIdentity.draw(), senderBell);
    ControlChannel receiver = control(target, receiverBell);
    HostPort at = receiver.address();
    int[] received = new int[1];

    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      CompletableFuture<Void> sending =
          run(
              threads,
              () -> {
                ByteBuffer message = ByteBuffer.allocate(4);
                for (int i = 0; i < messages; i++) {
                  message.putInt(0, i);
                  // Nothing but the ring for this refusal wakes the sender.
                  while (!sender.send(target.id(), at, message)) {
                    sleepUnless(false, senderBell);
                  }
                }
              });
      CompletableFuture<Void> receiving =
          run(
              threads,
              () -> {
                ControlSink sink =
                    new DeafControlSink() {
                      @Override
                      public void received(EngineId from, ByteBuffer bytes) {
                        assertThat(bytes.getInt()).isEqualTo(received[0]++);
                      }
                    };
                while (received[0] < messages) {
                  sleepUnless(receiver.poll(sink) > 0, receiverBell);
                }
              });
      CompletableFuture.allOf(sending, receiving).join();
    }
  }

  private ControlChannel control(EngineIdentity identity, Semaphore bell) {
    ControlContext context = ControlContext.builder(identity, "loopback", bell::release).build();
    return LoopbackBackend.builder()
        .network(network)
        .build()
        .openControl(context)
        .toCompletableFuture()
        .join();
  }

  private static HostMemory host(long length) {
    return new HostMemory(Arena.ofAuto().allocate(length));
  }

  private static CompletableFuture<Void> run(Executor threads, Runnable task) {
    return CompletableFuture.runAsync(task, threads);
  }

  private static void sleepUnless(boolean busy, Semaphore bell) {
    if (!busy) {
      bell.acquireUninterruptibly();
    }
    bell.drainPermits();
  }

  /** Expects nothing but messages. */
  private abstract static class DeafControlSink implements ControlSink {
    @Override
    public void found(long token, EngineId peer) {
      throw new AssertionError(peer);
    }

    @Override
    public void notFound(long token, int code, String text) {
      throw new AssertionError(text);
    }

    @Override
    public void peerLost(EngineId peer, int code, String text) {
      throw new AssertionError(text);
    }

    @Override
    public void channelFailed(int code, String text) {
      throw new AssertionError(text);
    }
  }

  /** Takes everything. */
  private static class CountingSink implements CompletionSink {
    @Override
    public void written(long token) {}

    @Override
    public void failed(long token, int code, String text) {
      throw new AssertionError(token + ": " + text);
    }

    @Override
    public void immArrived(int imm, long bytes) {}

    @Override
    public void peerLost(EngineId peer, int code, String text) {
      throw new AssertionError(peer + ": " + text);
    }

    @Override
    public void nicFailed(int code, String text) {
      throw new AssertionError(text);
    }
  }
}
