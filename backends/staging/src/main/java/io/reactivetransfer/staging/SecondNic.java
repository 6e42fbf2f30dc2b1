package io.reactivetransfer.staging;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.Doorbell;
import io.reactivetransfer.spi.LocalMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * The NIC by which pieces go to accelerators of peers and come from them, opened when there are
 * some: its immediates are all ours, whereas the engine may use any on its own. Where that is
 * refused it is tried again, by whoever needs it a second later: files or memory may be there then.
 */
final class SecondNic {

  /** After it, a refusal is no answer any more. */
  private static final long PAUSE_NANOS = 1_000_000_000;

  /** Who closes waits so long for one that is being opened, which takes some milliseconds. */
  private static final long MOST_WAIT_NANOS = 2_000_000_000;

  private static final Logger LOG = Loggers.getLogger(SecondNic.class);

  private final Supplier<? extends CompletionStage<? extends Domain>> opener;
  private final Doorbell doorbell;
  private final LongSupplier nanoTime;
  private final long patienceNanos;

  /** What acknowledgements are written from, and to: they have no bytes. */
  private final MemorySegment notes = Arena.ofAuto().allocate(Frame.BYTES, Frame.BYTES);

  private @Nullable CompletableFuture<? extends Domain> opening;
  private @Nullable CompletableFuture<LocalMemory> registering;
  private @Nullable Domain domain;
  private @Nullable LocalMemory registered;
  private int mostPieceBytes = Pinned.MOST_BYTES;

  /** Why it does nothing more. */
  private @Nullable Failure failure;

  /** Why it could not be opened the last time, and when that was. */
  private @Nullable Failure refusal;

  private long refusedNanos;
  private boolean hasWarned;

  SecondNic(
      Supplier<? extends CompletionStage<? extends Domain>> opener,
      Doorbell doorbell,
      LongSupplier nanoTime,
      long patienceNanos) {
    this.opener = opener;
    this.doorbell = doorbell;
    this.nanoTime = nanoTime;
    this.patienceNanos = patienceNanos;
  }

  /** Begins to open it, if that was not done, or was refused before; the doorbell rings then. */
  void open() {
    if (refusal != null && nanoTime.getAsLong() - refusedNanos >= PAUSE_NANOS) {
      refusal = null;
    }
    if (opening == null && failure == null && refusal == null) {
      opening = Futures.of(opener);
      var _ = opening.whenComplete((_, _) -> doorbell.ring());
    }
  }

  /** Whether it can be used; it is looked whether it has been opened meanwhile. */
  boolean isOpen() {
    CompletableFuture<? extends Domain> begun = opening;
    if (failure != null || refusal != null || begun == null || !begun.isDone()) {
      return false;
    }
    if (registered != null) {
      return true;
    }
    try {
      Domain opened = begun.join();
      domain = opened;
      measure(opened);
      if (failure == null) {
        registered = register(opened);
      }
    } catch (RuntimeException e) {
      refused(Futures.why(e));
    }
    return registered != null;
  }

  /** How long a piece may be that it writes at once, with a frame in front of it. */
  private void measure(Domain opened) {
    long most = opened.capabilities().maxWriteBytes() - Frame.BYTES;
    if (most < 1) {
      fail(
          new Failure(
              0,
              "expected a NIC for memory of accelerators that writes more than "
                  + Frame.BYTES
                  + " bytes at once, got one that writes "
                  + (most + Frame.BYTES)));
    } else {
      mostPieceBytes = (int) Math.min(Pinned.MOST_BYTES, most);
    }
  }

  /** Null as long as it is being done. */
  private @Nullable LocalMemory register(Domain opened) {
    CompletableFuture<LocalMemory> begun = registering;
    if (begun == null) {
      begun = Futures.of(() -> opened.register(new HostMemory(notes), Access.REMOTE_WRITE));
      registering = begun;
      var _ = begun.whenComplete((_, _) -> doorbell.ring());
    }
    if (!begun.isDone()) {
      return null;
    }
    LocalMemory done = begun.join();
    hasWarned = false;
    return done;
  }

  private void refused(Throwable why) {
    refusal = Failure.of("the NIC for memory of accelerators cannot be opened: ", why);
    refusedNanos = nanoTime.getAsLong();
    registering = null;
    opening = domain == null ? null : opening;
    if (!hasWarned) {
      hasWarned = true;
      LOG.warn(
          "{}; until it can, writes to accelerators over it are refused, here and at peers; it is"
              + " tried again when one is asked for, every second at most",
          refusal.text());
    }
  }

  /** Why it cannot be used now; null as long as it may be. */
  @Nullable Failure failure() {
    return failure == null ? refusal : failure;
  }

  /** It does nothing more. */
  void fail(Failure why) {
    failure = failure == null ? why : failure;
  }

  /** Open. */
  Domain domain() {
    return Futures.present(domain);
  }

  /** The opened one, also one that is being prepared; null if there is none. */
  @Nullable Domain domainIfAny() {
    return domain;
  }

  /** The most bytes of a piece that goes by it, which is known when it is open. */
  int mostPieceBytes() {
    return mostPieceBytes;
  }

  /** What acknowledgements are written from, and to. */
  LocalMemory notes() {
    return Futures.present(registered);
  }

  /**
   * Closes it. One that is being opened is waited for, so that nothing of it is left when this
   * returns; if that takes too long, it is closed when it is open.
   */
  void close() {
    CompletableFuture<? extends Domain> begun = opening;
    if (begun == null) {
      return;
    }
    boolean isEnded = false;
    try {
      isEnded = isEnded(begun);
    } finally {
      if (!isEnded) { // also if the waiting itself has failed
        closeLater(begun);
      }
    }
    if (isEnded && !begun.isCompletedExceptionally()) {
      begun.join().close();
    }
  }

  private static void closeLater(CompletableFuture<? extends Domain> begun) {
    var _ =
        begun
            .thenAccept(Domain::close)
            .exceptionally(late -> {
              LOG.warn("a NIC that was opened behind its engine's end failed", Futures.why(late));
              return null;
            });
  }

  /** Whether it has been opened, or cannot be; waits for it. */
  private boolean isEnded(CompletableFuture<? extends Domain> begun) {
    try {
      var _ = begun.get(Math.min(MOST_WAIT_NANOS, patienceNanos), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | CancellationException | TimeoutException e) {
      return begun.isDone();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return begun.isDone();
  }
}
