package io.reactivetransfer.tcp;

import static org.awaitility.Awaitility.await;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.spi.WorkerLoop;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * One NIC on a loop of its own, driven as an engine would: a turn polls, then posts what waits
 * until it is refused, and happens only when the doorbell rings. So a doorbell that stays silent
 * fails the test.
 */
final class TestNic implements CompletionSink, AutoCloseable {

  record Failed(long token, int code, String text) {}

  record Lost(EngineId peer, int code, String text) {}

  record Registered(MemorySegment segment, LocalMemory local) {}

  /** Of all NICs of these tests, where others write what they have to say. */
  private static final Map<EngineId, TestNic> OPEN = new ConcurrentHashMap<>();

  private static final int MAX_TEXT_BYTES = 64;
  private static final int TEXTS = 64;
  private static final int TEXT_IMM = 0x7e000000;
  private static final long TEXT_TOKEN = Long.MIN_VALUE;

  final EngineId id =
      new EngineId(ThreadLocalRandom.current().nextLong(), ThreadLocalRandom.current().nextLong());
  final Queue<Long> written = new ConcurrentLinkedQueue<>();
  final Queue<Failed> failed = new ConcurrentLinkedQueue<>();
  final Queue<Integer> imms = new ConcurrentLinkedQueue<>();
  final Queue<String> messages = new ConcurrentLinkedQueue<>();
  final Queue<Lost> lost = new ConcurrentLinkedQueue<>();

  /** All that was reported, in order. */
  final Queue<String> log = new ConcurrentLinkedQueue<>();

  final AtomicInteger refusals = new AtomicInteger();
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  final AtomicInteger mostInFlight = new AtomicInteger();
  final TcpLoop loop;
  final Domain domain;
  final byte[] address;
  private final Arena arena = Arena.ofShared();
  private final AtomicBoolean rung = new AtomicBoolean();
  private final Deque<BooleanSupplier> waiting = new ArrayDeque<>();
  private final AtomicInteger slots = new AtomicInteger();
  private volatile Registered letterBox;
  private volatile boolean paused;
  private int inFlight;

  TestNic() {
    this(new TcpBackend(), 64, Duration.ofSeconds(10));
  }

  TestNic(TcpBackend backend, int depth, Duration connectTimeout) {
    this(backend, backend.nics().getFirst(), depth, connectTimeout);
  }

  TestNic(TcpBackend backend, Nic nic, int depth, Duration connectTimeout) {
    this(backend, nic, depth, connectTimeout, null);
  }

  /** With keys of sessions, as if it had a control channel. */
  TestNic(
      TcpBackend backend,
      Nic nic,
      int depth,
      Duration connectTimeout,
      Authentication.Sessions sessions) {
    loop = (TcpLoop) backend.newLoop();
    if (sessions != null) {
      loop.attach(sessions);
    }
    try {
      domain = open(backend, nic, loop, context(id, loop, depth, connectTimeout));
    } catch (RuntimeException e) {
      loop.execute(loop::close);
      throw e;
    }
    address = call(domain::address);
    OPEN.put(id, this);
  }

  private OpenContext context(EngineId id, WorkerLoop loop, int depth, Duration timeout) {
    return OpenContext.builder(id, 0, this::ring)
        .loop(loop)
        .nicDepth(depth)
        .connectTimeout(timeout)
        .build();
  }

  private static Domain open(TcpBackend backend, Nic nic, TcpLoop loop, OpenContext context) {
    CompletableFuture<Domain> opened = new CompletableFuture<>();
    loop.execute(() ->
        backend
            .open(nic, context)
            .whenComplete((domain, failure) -> {
              if (failure == null) {
                opened.complete(domain);
              } else {
                opened.completeExceptionally(failure);
              }
            }));
    return opened.join();
  }

  private void ring() {
    if (!paused && rung.compareAndSet(false, true)) {
      loop.execute(this::turn);
    }
  }

  private void turn() {
    rung.set(false);
    domain.poll(this);
    while (!waiting.isEmpty()) {
      if (!waiting.peek().getAsBoolean()) {
        refusals.incrementAndGet();
        return;
      }
      waiting.remove();
    }
  }

  /** Polls no more, until {@link #resume()}. */
  void pause() {
    run(() -> paused = true);
  }

  void resume() {
    paused = false;
    ring();
  }

  /** Runs on the loop, and waits for the result. */
  <T> T call(Callable<T> task) {
    CompletableFuture<T> result = new CompletableFuture<>();
    loop.execute(() -> {
      try {
        result.complete(task.call());
      } catch (Exception | AssertionError e) {
        result.completeExceptionally(e);
      }
    });
    return result.orTimeout(20, TimeUnit.SECONDS).join();
  }

  void run(Runnable task) {
    call(() -> {
      task.run();
      return true;
    });
  }

  Registered register(long bytes) {
    return register(bytes, Access.REMOTE_WRITE);
  }

  Registered register(long bytes, Access access) {
    MemorySegment segment = arena.allocate(bytes, 64);
    return register(segment, access);
  }

  Registered register(MemorySegment segment, Access access) {
    return new Registered(
        segment,
        call(() -> domain.register(new HostMemory(segment), access).toCompletableFuture().join()));
  }

  RemotePeer peer(TestNic other) {
    return call(() -> domain.resolve(other.id, 0, other.address));
  }

  /** Memory of another NIC, as this one sees it. */
  RemoteMemory remote(TestNic other, Registered memory) {
    return remote(other, memory.local().key(), memory.segment().byteSize());
  }

  RemoteMemory remote(TestNic other, byte[] key, long length) {
    return call(() -> domain.resolve(domain.resolve(other.id, 0, other.address), key, length));
  }

  /** Posts as soon as it is taken. */
  void write(Operation op) {
    enqueue(() -> {
      boolean taken = domain.post(op).isTaken();
      if (taken) {
        inFlight++;
        mostInFlight.accumulateAndGet(inFlight, Math::max);
      }
      return taken;
    });
  }

  void write(Registered source, RemoteMemory target, long length, long token) {
    write(new Operation().between(source.local(), target).range(0, 0, length).token(token));
  }

  /** Writes a text to where the other one reads it, if there is a TestNic. */
  void send(RemotePeer peer, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    Registered source = register(MAX_TEXT_BYTES);
    MemorySegment.copy(bytes, 0, source.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
    TestNic other = OPEN.get(((TcpPeer) peer).key().engine());
    byte[] key = other == null ? new byte[MemoryKey.BYTES] : other.letterBox().local().key();
    int slot = other == null ? 0 : other.slots.getAndIncrement() % TEXTS;
    RemoteMemory box = call(() -> domain.resolve(peer, key, TEXTS * MAX_TEXT_BYTES));
    Operation op =
        new Operation()
            .between(source.local(), box)
            .range(0, (long) slot * MAX_TEXT_BYTES, bytes.length)
            .withImm(TEXT_IMM | slot << Byte.SIZE | bytes.length)
            .token(TEXT_TOKEN);
    enqueue(() -> domain.post(op).isTaken());
  }

  private synchronized Registered letterBox() {
    if (letterBox == null) {
      letterBox = register(TEXTS * MAX_TEXT_BYTES);
    }
    return letterBox;
  }

  private void enqueue(BooleanSupplier attempt) {
    loop.execute(() -> {
      waiting.add(attempt);
      ring();
    });
  }

  List<Long> awaitWritten(int count) {
    awaitUntil(() -> written.size() >= count);
    return List.copyOf(written);
  }

  void awaitUntil(Callable<Boolean> condition) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(2))
        .conditionEvaluationListener(evaluated -> {
          if (!evaluated.isSatisfied() && evaluated.getRemainingTimeInMS() < 5) {
            throw new AssertionError("still waiting; reported so far: " + log + lost + failed);
          }
        })
        .until(condition);
  }

  Failed awaitFailed() {
    awaitUntil(() -> !failed.isEmpty());
    return failed.element();
  }

  Lost awaitLost() {
    awaitUntil(() -> !lost.isEmpty());
    return lost.element();
  }

  /** No connection is left, in or out; of one that came from outside, nobody is lost. */
  void awaitNobody() {
    awaitUntil(() -> known() == 0);
  }

  /** How much it keeps of others. */
  int known() {
    return call(() -> ((TcpDomain) domain).known());
  }

  /** What waits will never be posted. */
  void forgetWaiting() {
    run(waiting::clear);
  }

  @Override
  public void written(long token) {
    if (token == TEXT_TOKEN) {
      return;
    }
    inFlight--;
    log.add("written " + token);
    written.add(token);
  }

  @Override
  public void failed(long token, int code, String text) {
    if (token == TEXT_TOKEN) {
      return;
    }
    inFlight--;
    log.add("failed " + token);
    failed.add(new Failed(token, code, text));
  }

  @Override
  public void immArrived(int imm, long length) {
    if ((imm & 0xff000000) == TEXT_IMM) {
      int slot = (imm & 0xffff00) >> Byte.SIZE;
      byte[] bytes = new byte[imm & 0xff];
      MemorySegment box = letterBox.segment();
      MemorySegment.copy(
          box, ValueLayout.JAVA_BYTE, (long) slot * MAX_TEXT_BYTES, bytes, 0, bytes.length);
      String text = new String(bytes, StandardCharsets.UTF_8);
      log.add("message " + text);
      messages.add(text);
      return;
    }
    log.add("imm " + imm);
    imms.add(imm);
  }

  @Override
  public void peerLost(EngineId peer, int code, String text) {
    log.add("lost " + peer);
    lost.add(new Lost(peer, code, text));
  }

  @Override
  public void nicFailed(int code, String text) {
    log.add("broken " + text);
  }

  /** As when the process is killed: the kernel closes the sockets, nobody says goodbye. */
  void kill() {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    loop.execute(() -> {
      // With a quiet period the loop turns once more, and closes the sockets that it finds.
      loop.eventLoop().parent().shutdownGracefully(1, 1_000, TimeUnit.MILLISECONDS);
      loop.close().thenRun(() -> ended.complete(null));
    });
    ended.orTimeout(20, TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    OPEN.remove(id, this);
    CompletableFuture<Void> ended = new CompletableFuture<>();
    if (loop.eventLoop().isShuttingDown()) {
      ended.complete(null);
    }
    loop.execute(() -> {
      domain.close();
      loop.close().thenRun(() -> ended.complete(null));
    });
    ended.orTimeout(20, TimeUnit.SECONDS).join();
    arena.close();
  }
}
