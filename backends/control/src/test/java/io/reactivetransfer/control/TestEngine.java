package io.reactivetransfer.control;

import static org.awaitility.Awaitility.await;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.ControlSink;
import io.reactivetransfer.spi.EngineIdentity;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * A channel that is driven as an engine would: a turn polls, then sends what waits until it is
 * refused, and happens only when the doorbell rings. So a doorbell that stays silent fails the
 * test. By the channel's own loop, or by a thread of its own.
 */
final class TestEngine implements ControlSink, AutoCloseable {

  /** Which thread drives it. */
  enum Driver {
    LOOP,
    THREAD
  }

  record Message(EngineId from, String text) {}

  record Lost(EngineId peer, int code, String text) {}

  record Found(long token, EngineId peer) {}

  record NotFound(long token, int code, String text) {}

  static final int MAX_MESSAGE_BYTES = 1 << 16;

  final EngineIdentity identity;
  final Queue<Message> messages = new ConcurrentLinkedQueue<>();
  final Queue<Lost> lost = new ConcurrentLinkedQueue<>();
  final Queue<Found> found = new ConcurrentLinkedQueue<>();
  final Queue<NotFound> notFound = new ConcurrentLinkedQueue<>();
  final Queue<String> failed = new ConcurrentLinkedQueue<>();

  /** All that was reported, in order. */
  final Queue<Object> log = new ConcurrentLinkedQueue<>();

  final AtomicInteger refusals = new AtomicInteger();
  final NettyControlChannel channel;
  final HostPort address;
  private final TestThread thread;
  private final ControlLoop loop;
  private final AtomicBoolean rung = new AtomicBoolean();
  private final Deque<BooleanSupplier> waiting = new ArrayDeque<>();
  private volatile boolean paused;

  TestEngine(Driver driver) {
    this(driver, NettyControl.builder().build());
  }

  TestEngine(Driver driver, NettyControl control) {
    this(driver, control, EngineIdentity.draw(), Duration.ofSeconds(10), "test");
  }

  TestEngine(
      Driver driver,
      NettyControl control,
      EngineIdentity identity,
      Duration connectTimeout,
      String backend) {
    this.identity = identity;
    loop = driver == Driver.LOOP ? control.newLoop("test") : null;
    thread = driver == Driver.THREAD ? new TestThread() : null;
    ControlContext context =
        ControlContext.builder(identity, backend, this::ring)
            .loop(loop)
            .maxMessageBytes(MAX_MESSAGE_BYTES)
            .connectTimeout(connectTimeout)
            .build();
    CompletableFuture<NettyControlChannel> opened = new CompletableFuture<>();
    execute(() ->
        control
            .open(context)
            .whenComplete((it, failure) -> {
              if (failure == null) {
                opened.complete((NettyControlChannel) it);
              } else {
                opened.completeExceptionally(failure);
              }
            }));
    try {
      channel = opened.join();
    } catch (RuntimeException e) {
      endThread();
      throw e;
    }
    address = channel.address();
    ring();
  }

  EngineId id() {
    return identity.id();
  }

  private void execute(Runnable task) {
    if (loop != null) {
      loop.execute(task);
    } else {
      thread.execute(task);
    }
  }

  private void ring() {
    if (!paused && rung.compareAndSet(false, true)) {
      execute(this::turn);
    }
  }

  private void turn() {
    rung.set(false);
    if (channel == null) {
      return; // being opened
    }
    channel.poll(this);
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
    rung.set(false);
    ring();
  }

  /** Runs on the engine's thread, and waits for the result. */
  <T> T call(Callable<T> task) {
    CompletableFuture<T> result = new CompletableFuture<>();
    execute(() -> {
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

  /** Sends, again and again until it is taken over. */
  void send(TestEngine to, String text) {
    send(to.id(), to.address, text.getBytes(StandardCharsets.US_ASCII));
  }

  void send(EngineId to, HostPort at, byte[] bytes) {
    run(() -> {
      waiting.add(() -> channel.send(to, at, ByteBuffer.wrap(bytes)));
      ring();
    });
  }

  /** Sends once; whether it was taken over. */
  boolean offer(TestEngine to, byte[] bytes) {
    return call(() -> channel.send(to.id(), to.address, ByteBuffer.wrap(bytes)));
  }

  void forgetWaiting() {
    run(waiting::clear);
  }

  void find(long token, HostPort at) {
    run(() -> channel.find(token, at));
  }

  /** Both have a session with each other that carries messages. */
  void meet(TestEngine other) {
    send(other, "met");
    other.awaitMessage(id(), "met");
    other.send(this, "met, too");
    awaitMessage(other.id(), "met, too");
    other.messages.clear();
    messages.clear();
  }

  void awaitMessage(EngineId from, String text) {
    awaitUntil(() -> messages.contains(new Message(from, text)));
  }

  Lost awaitLost() {
    awaitUntil(() -> !lost.isEmpty());
    return lost.element();
  }

  void awaitUntil(BooleanSupplier holds) {
    await()
        .atMost(Duration.ofSeconds(20))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(holds::getAsBoolean);
  }

  /** How much is kept of others. */
  int known() {
    return call(channel::known);
  }

  @Override
  public void received(EngineId sender, ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    Message message = new Message(sender, new String(copy, StandardCharsets.US_ASCII));
    log.add(message);
    messages.add(message);
  }

  @Override
  public void found(long token, EngineId peer) {
    log.add(new Found(token, peer));
    found.add(new Found(token, peer));
  }

  @Override
  public void notFound(long token, int code, String text) {
    log.add(new NotFound(token, code, text));
    notFound.add(new NotFound(token, code, text));
  }

  @Override
  public void peerLost(EngineId peer, int code, String text) {
    log.add(new Lost(peer, code, text));
    lost.add(new Lost(peer, code, text));
  }

  @Override
  public void channelFailed(int code, String text) {
    log.add(text);
    failed.add(text);
  }

  @Override
  public void close() {
    run(channel::close);
    endThread();
  }

  private void endThread() {
    if (loop != null) {
      loop.execute(loop::close);
    } else {
      thread.close();
    }
  }
}
