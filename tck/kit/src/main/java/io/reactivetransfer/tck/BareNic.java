package io.reactivetransfer.tck;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One NIC without an engine, turned by a test, on the thread that the backend wants. Keeps what its
 * polls reported.
 */
final class BareNic implements AutoCloseable {

  /** What each of them may reach. */
  static final FakeDevice DEVICE = new FakeDevice(Device.of("fake", 0));

  /** The most that one NIC says to another at once, in bytes. */
  static final int MAX_SAID = 1_024;

  private static final int DEPTH = 64;

  private final Duration timeout;
  private final EngineId engine;
  private final BareThread thread;

  /** Read by any thread: to look must not wake a loop that should wake by itself. */
  private final List<String> reports = Collections.synchronizedList(new ArrayList<>());

  private final List<String> texts = new ArrayList<>();
  private final List<Long> refused = new ArrayList<>();
  private final List<Arrival> arrivals = new ArrayList<>();
  private final List<Length> lengths = new ArrayList<>();
  private final List<String> understated = new ArrayList<>();
  private final Queue<String> tooLong = new ConcurrentLinkedQueue<>();
  private final Queue<String> misplaced = new ConcurrentLinkedQueue<>();
  private IntConsumer atArrival = imm -> {};
  private boolean closed;
  private final BareControl domain;

  /** An immediate, and whom the NIC has named as its origin. */
  record Arrival(EngineId origin, int imm) {}

  /** An immediate, and how long the NIC has said that its write was. */
  record Length(int imm, long bytes) {}

  BareNic(Backend backend, EngineId engine, Duration timeout) {
    this.timeout = timeout;
    this.engine = engine;
    this.thread = new BareThread(backend, "NIC", timeout);
    OpenContext context =
        OpenContext.builder(engine, 0, thread::ring)
            .loop(thread.loop())
            .nicDepth(DEPTH)
            .devices(DEVICE.asDevices())
            .connectTimeout(BareThread.connectTimeout(timeout))
            .build();
    this.domain = thread.orEnd(() -> opened(backend, context));
  }

  private BareControl opened(Backend backend, OpenContext context) {
    Domain opened = thread.complete(() -> backend.open(backend.nics(1).getFirst(), context));
    return thread.call(() -> new BareControl(opened, engine, thread::ring));
  }

  EngineId engine() {
    return engine;
  }

  /** Whether an engine would take a turn only when the doorbell rings. */
  boolean hasLoop() {
    return thread.loop() != null;
  }

  /** Whether the doorbell has rung since this was last asked. */
  boolean wasRung() {
    return thread.wasRung();
  }

  /** Does something with the NIC on its thread, and flushes it if it was given a write. */
  <T> T call(Function<Domain, T> use) {
    return thread.call(() -> {
      T result = use.apply(domain);
      domain.flushIfDue();
      return result;
    });
  }

  /**
   * Does something that the NIC may refuse by an exception, which is returned; null if it did not.
   */
  @Nullable RuntimeException attempt(Consumer<Domain> use) {
    return thread
        .call(() -> {
          try {
            use.accept(domain);
            domain.flushIfDue();
            return Optional.<RuntimeException>empty();
          } catch (RuntimeException e) {
            return Optional.of(e);
          }
        })
        .orElse(null);
  }

  /** Registers memory, however long the NIC takes. */
  LocalMemory register(Memory memory, Access access) {
    return complete(nic -> nic.register(memory, access));
  }

  /** Gives memory another key, however long the NIC takes. */
  LocalMemory revoke(LocalMemory memory) {
    return complete(nic -> nic.revoke(memory));
  }

  /** Ends a registration, however long the NIC takes. */
  void deregister(LocalMemory memory) {
    complete(nic -> nic.deregister(memory).thenApply(nothing -> true));
  }

  /** Polls until the NIC has done it; throws what it failed with. */
  private <T> T complete(Function<Domain, CompletionStage<T>> begin) {
    CompletableFuture<T> stage = call(nic -> begun(nic, begin)).toCompletableFuture();
    long deadline = System.nanoTime() + timeout.toNanos();
    while (!stage.isDone()) {
      turn();
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("the NIC has not completed a stage within " + timeout);
      }
    }
    try {
      return stage.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException reason) {
        throw reason;
      }
      throw e;
    }
  }

  private static <T> CompletionStage<T> begun(
      Domain nic, Function<Domain, CompletionStage<T>> begin) {
    try {
      return begin.apply(nic);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** How many nanoseconds the NIC takes for something. */
  long nanosOf(Consumer<Domain> use) {
    return call(nic -> {
      long begin = System.nanoTime();
      use.accept(nic);
      return System.nanoTime() - begin;
    });
  }

  /** How many nanoseconds of that it waits for anything but a processor. */
  long blockedNanosOf(Consumer<Domain> use) {
    return call(nic -> BlockedTime.nanosOf(() -> use.accept(nic)));
  }

  /** The most nanoseconds for which one of so many polls waits for anything but a processor. */
  long blockedNanosOfTurns(int turns) {
    long longest = 0;
    for (int i = 0; i < turns; i++) {
      longest = Math.max(longest, blockedNanosOf(this::poll));
    }
    return longest;
  }

  /** Polls once; returns what poll returned. */
  int turn() {
    return call(this::poll);
  }

  private int poll(Domain nic) {
    Recorder sink = new Recorder();
    int before = reports.size();
    int delivered = domain.deliver();
    int found = nic.poll(sink);
    sink.valid = false;
    if (found <= 0 && reports.size() > before) {
      understated.add("poll returned " + found + " after " + reports.get(before));
    }
    return delivered + found;
  }

  /** How many nanoseconds one poll takes. */
  long nanosOfTurn() {
    return nanosOf(this::poll);
  }

  /** Has something looked at within each report of an immediate, on the thread that polls. */
  void atArrival(IntConsumer look) {
    call(nic -> {
      atArrival = look;
      return true;
    });
  }

  /** What was reported so far, in order, one line each. */
  List<String> reports() {
    return List.of(reports.toArray(String[]::new));
  }

  /** How many things were reported so far. */
  int reported() {
    return reports.size();
  }

  /** Whether this was reported. */
  boolean hasReported(String report) {
    return reports.contains(report);
  }

  /** What the reports said in words. */
  List<String> texts() {
    return call(nic -> List.copyOf(texts));
  }

  /** The tokens of writes that were reported as refused, and not merely as failed. */
  List<Long> refused() {
    return call(nic -> List.copyOf(refused));
  }

  /** The immediates whose origin the NIC has named. */
  List<Arrival> arrivals() {
    return call(nic -> List.copyOf(arrivals));
  }

  /** The immediates that have come, in order, with what was said of their lengths. */
  List<Length> lengths() {
    return call(nic -> List.copyOf(lengths));
  }

  /** What was reported in polls that returned that they had found nothing. */
  List<String> understated() {
    return call(nic -> List.copyOf(understated));
  }

  /** What was reported outside of the poll that the sink was for. */
  List<String> misplaced() {
    return List.copyOf(misplaced);
  }

  /** What it has said to other NICs that is too long. */
  List<String> tooLong() {
    return List.copyOf(tooLong);
  }

  /** Closes the NIC and ends its thread; once. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    Ending ending = new Ending();
    ending.step(() ->
        call(nic -> {
          nic.close();
          return true;
        }));
    ending.step(thread::end);
    ending.end();
  }

  /** Valid within one poll, on the thread that polls. */
  private final class Recorder implements CompletionSink {

    private final Thread poller = Thread.currentThread();
    private volatile boolean valid = true;

    private void report(String what) {
      if (!Thread.currentThread().equals(poller)) {
        misplaced.add(what + " on " + Thread.currentThread().getName());
      } else if (!valid) {
        misplaced.add(what + " outside of the poll that had this sink");
      }
      reports.add(what);
    }

    @Override
    public void written(long token) {
      report("written " + token);
    }

    @Override
    public void failed(long token, int code, String text) {
      report("failed " + token);
      texts.add(text);
    }

    @Override
    public void refused(long token, int code, String text) {
      failed(token, code, text);
      refused.add(token);
    }

    @Override
    public void immArrived(int imm, long bytes) {
      atArrival.accept(imm);
      lengths.add(new Length(imm, bytes));
      report("imm " + imm);
    }

    @Override
    public void immArrived(EngineId origin, int imm, long bytes) {
      immArrived(imm, bytes);
      arrivals.add(new Arrival(origin, imm));
    }

    @Override
    public void toPeer(RemotePeer peer, ByteBuffer message) {
      if (!valid || !Thread.currentThread().equals(poller)) {
        misplaced.add("a message to a NIC");
      }
      if (message.remaining() > MAX_SAID) {
        tooLong.add(message.remaining() + " bytes to " + peer);
      }
      domain.say(peer, message);
    }

    @Override
    public void peerLost(EngineId peer, int code, String text) {
      texts.add(text);
      report("lost " + peer);
    }

    @Override
    public void nicFailed(int code, String text) {
      report("broken " + text);
    }
  }
}
