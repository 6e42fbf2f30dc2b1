package io.reactivetransfer.tools.moe;

import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.concurrent.Queues;

/**
 * What the reference system has behind each exchange of a step, and the library does without: each
 * rank writes to each other one, without bytes, and waits until all others have. By two streams
 * that live on, as those of a group do, so that little else than its writes is measured.
 */
public final class Barrier implements AutoCloseable {

  private static final int BYTES = 64;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final TransferEngine engine;
  private final MemoryRegion region;
  private final ImmLease lease;
  private final Sinks.Many<Transfer> writes;
  private final List<Transfer> toOthers = new ArrayList<>();
  private @Nullable Passed passed;

  private final AtomicReference<@Nullable Consumer<@Nullable Throwable>> waiting =
      new AtomicReference<>();

  /** Why no other barrier is passed. */
  private volatile @Nullable Throwable failed;

  private Barrier(TransferEngine engine, MemoryRegion region, int ranks) {
    this.engine = engine;
    this.region = region;
    this.lease = engine.lease();
    // One barrier after the other emits, and each is behind the one before.
    this.writes =
        Sinks.unsafe().many().unicast().onBackpressureBuffer(Queues.<Transfer>get(2 * ranks).get());
  }

  /** Opens that of one rank; it is of no use before {@link #join}. */
  public static Mono<Barrier> open(TransferEngine engine, int ranks) {
    return engine
        .register(Arena.ofAuto().allocate(BYTES, BYTES))
        .map(region -> new Barrier(engine, region, ranks));
  }

  /** What others need to write here, without blanks. */
  public String toLine() {
    return lease.imm().value()
        + ":"
        + Base64.getEncoder().encodeToString(region.descriptor().toBytes());
  }

  /**
   * Makes ready.
   *
   * @param ranks what each rank says of itself
   * @param own the number of this one
   */
  public void join(List<String> ranks, int own) {
    for (int rank = 0; rank < ranks.size(); rank++) {
      if (rank != own) {
        String[] parts = ranks.get(rank).split(":", -1);
        RemoteRegion there =
            engine.remote(RegionDescriptor.fromBytes(Base64.getDecoder().decode(parts[1])));
        Imm imm = Imm.of(Integer.parseInt(parts[0]));
        toOthers.add(WriteImm.of(region.slice(0, 0), there.slice(0, 0), imm));
      }
    }
    engine.submit(writes.asFlux()).subscribe(done -> {}, this::end);
    Passed claims = new Passed();
    passed = claims;
    lease.counter().within(PATIENCE).every(toOthers.size()).subscribe(claims);
  }

  /**
   * Waits for all others, who wait for this one. One at a time.
   *
   * @param then is told when they are there, with null, or why not
   */
  void pass(Consumer<@Nullable Throwable> then) {
    Passed claims = passed;
    if (claims == null) {
      throw new IllegalStateException("expected a barrier that was joined");
    }
    waiting.set(then);
    Throwable before = failed;
    if (before != null) {
      end(before);
      return;
    }
    for (Transfer write : toOthers) {
      writes.emitNext(write, Sinks.EmitFailureHandler.FAIL_FAST);
    }
    claims.request(1);
  }

  /** The same when it is subscribed to. */
  public Mono<Void> pass() {
    return Mono.create(sink ->
        pass(failure -> {
          if (failure == null) {
            sink.success();
          } else {
            sink.error(failure);
          }
        }));
  }

  private void end(@Nullable Throwable failure) {
    if (failure != null) {
      failed = failure;
    }
    Consumer<@Nullable Throwable> told = waiting.getAndSet(null);
    if (told != null) {
      told.accept(failure);
    }
  }

  /** Ends the streams, and gives back what it has. */
  @Override
  public void close() {
    Passed claims = passed;
    if (claims != null) {
      claims.cancel();
    }
    var _ = writes.tryEmitComplete();
    try {
      region.close().block(PATIENCE);
    } finally {
      lease.close();
    }
  }

  /** Hears of each claim that is met. */
  private final class Passed extends BaseSubscriber<Long> {

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      // Each barrier asks for one claim.
    }

    @Override
    protected void hookOnNext(Long barriers) {
      end(null);
    }

    @Override
    protected void hookOnError(Throwable failure) {
      end(failure);
    }
  }
}
