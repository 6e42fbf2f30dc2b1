package io.reactivetransfer.tcp;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.control.Transport;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Many writers from one engine to another, each into a range of its own, which it fills with one
 * number after another; whenever a write is reported as done, all of the range must have its
 * number. Most writes are of a few bytes, so that there are many at once. One that is refused is
 * followed by one under the name that the region has by then; any other failure is a fault.
 */
final class RevocationLoad {

  private static final int WRITERS = 40;
  private static final int LONG_ONES = 4;
  private static final int SHORT = Long.BYTES;
  private static final int LONG = 5_000;
  private static final int WRITES_BETWEEN = 60;
  private static final int MAX_FAULTS = 10;
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  /** One engine. */
  static final class Side implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final TransferEngine engine;

    Side(Transport transport, int nics) {
      engine =
          TransferEngineBuilder.create()
              .backend(TcpBackend.builder().transport(transport).build())
              .options(EngineOptions.builder().nics(nics).build())
              .open()
              .block(PATIENCE);
    }

    @Override
    public void close() {
      engine.close().block(PATIENCE);
      arena.close();
    }
  }

  private final TransferEngine origin;
  private final MemorySegment numbers;
  private final MemorySegment memory;
  private final MemoryRegion source;
  private final MemoryRegion target;
  private final Queue<String> faults = new ConcurrentLinkedQueue<>();
  private final AtomicLong done = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final CountDownLatch end = new CountDownLatch(1);
  private final Disposable watch;
  private long revocations;
  private volatile RemoteRegion view;
  private volatile boolean stopped;

  /** Begins at once. */
  RevocationLoad(Side from, Side to) {
    int bytes = (WRITERS - LONG_ONES) * SHORT + LONG_ONES * LONG;
    origin = from.engine;
    numbers = from.arena.allocate(bytes, Long.BYTES);
    memory = to.arena.allocate(bytes, Long.BYTES);
    source = origin.register(numbers).block(PATIENCE);
    target = to.engine.register(memory).block(PATIENCE);
    view = origin.remote(target.descriptor());
    watch = origin.peer(to.engine.address()).state().subscribe(this::isNotLost);
    List<Flux<Void>> writers = new ArrayList<>();
    for (int i = 0, at = 0; i < WRITERS; i++) {
      int length = i < LONG_ONES ? LONG : SHORT;
      writers.add(writer(at, length));
      at += length;
    }
    var _ =
        Flux.merge(Flux.fromIterable(writers), WRITERS)
            .doOnError(failure -> fault(failure.toString()))
            .onErrorComplete()
            .doFinally(_ -> end.countDown())
            .subscribe();
  }

  private void isNotLost(PeerState state) {
    if (state instanceof PeerState.Lost lost) {
      fault("the peer was lost: " + lost.cause());
    }
  }

  private void fault(String what) {
    if (faults.size() < MAX_FAULTS) {
      faults.add(what);
    }
  }

  private Flux<Void> writer(int at, int length) {
    AtomicLong number = new AtomicLong();
    return Mono.defer(() -> write(at, length, number.incrementAndGet())).repeat(() -> !stopped);
  }

  private Mono<Void> write(int at, int length, long number) {
    for (long word = at; word < at + length; word += Long.BYTES) {
      numbers.set(ValueLayout.JAVA_LONG, word, number);
    }
    return origin
        .submit(Write.of(source.slice(at, length), view.slice(at, length)))
        .doOnNext(_ -> check(at, length, number))
        .onErrorResume(failure -> {
          failed(failure);
          return Mono.empty();
        })
        .then();
  }

  private void check(int at, int length, long number) {
    for (long word = at; word < at + length; word += Long.BYTES) {
      long there = memory.get(ValueLayout.JAVA_LONG, word);
      if (there != number) {
        fault("write " + number + " at " + at + " is done: got " + there + " at " + word);
      }
    }
    done.incrementAndGet();
  }

  private void failed(Throwable failure) {
    if (failure instanceof TransferFailedException refusal && isRefusal(refusal)) {
      refused.incrementAndGet();
    } else {
      fault(failure.toString());
    }
  }

  /** By the target's NIC, or here, because the target has asked for it. */
  private static boolean isRefusal(TransferFailedException failure) {
    return failure.code() == ErrorCode.UNKNOWN_KEY.value
        || failure.code() == ErrorCode.REVOKED.value
        || String.valueOf(failure.getMessage()).startsWith("its owner has revoked");
  }

  /** Waits until some more writes are done, and then revokes the region. */
  void revokeInItsMidst() {
    long enough = done.get() + WRITES_BETWEEN;
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (done.get() < enough) {
      if (end.getCount() == 0 || System.nanoTime() - deadline > 0) {
        throw new AssertionError("expected more writes to be done, got " + this + faults);
      }
      LockSupport.parkNanos(50_000);
    }
    target.revoke().block(PATIENCE);
    revocations++;
    view = origin.remote(target.descriptor());
  }

  /** Begins no more writes, and waits for the end of those that are under way. */
  void stop() {
    stopped = true;
    try {
      if (!end.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError("expected all writes to end, got " + this + faults);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    watch.dispose();
  }

  List<String> faults() {
    return List.copyOf(faults);
  }

  long done() {
    return done.get();
  }

  long refused() {
    return refused.get();
  }

  @Override
  public String toString() {
    return done + " writes done, " + refused + " refused, " + revocations + " revocations";
  }
}
