package io.reactivetransfer.staging;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.Doorbell;
import io.reactivetransfer.spi.LocalMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The NIC by which pieces go to accelerators of peers and come from them, opened when there are
 * some: its immediates are all ours, whereas the engine may use any on its own.
 */
final class SecondNic {

  private final Supplier<? extends CompletionStage<? extends Domain>> opener;
  private final Doorbell doorbell;

  /** What acknowledgements are written from, and to: they have no bytes. */
  private final MemorySegment notes = Arena.ofAuto().allocate(Frame.BYTES, Frame.BYTES);

  private @Nullable CompletableFuture<? extends Domain> opening;
  private @Nullable CompletableFuture<LocalMemory> registering;
  private @Nullable Domain domain;
  private @Nullable LocalMemory registered;
  private @Nullable Failure failure;

  SecondNic(Supplier<? extends CompletionStage<? extends Domain>> opener, Doorbell doorbell) {
    this.opener = opener;
    this.doorbell = doorbell;
  }

  /** Begins to open it, if that was not done; the doorbell rings when it is. */
  void open() {
    if (opening == null && failure == null) {
      opening = Futures.of(opener);
      var _ = opening.whenComplete((_, _) -> doorbell.ring());
    }
  }

  /** Whether it can be used; it is looked whether it has been opened meanwhile. */
  boolean isOpen() {
    CompletableFuture<? extends Domain> begun = opening;
    if (failure != null || begun == null || !begun.isDone()) {
      return false;
    }
    if (registered != null) {
      return true;
    }
    try {
      Domain opened = begun.join();
      domain = opened;
      if (registering == null) {
        registering = Futures.of(() -> opened.register(new HostMemory(notes), Access.REMOTE_WRITE));
        var _ = registering.whenComplete((_, _) -> doorbell.ring());
      }
      if (registering.isDone()) {
        registered = registering.join();
      }
    } catch (RuntimeException e) {
      failure = Failure.of("the NIC for memory of accelerators cannot be opened: ", Futures.why(e));
    }
    return registered != null;
  }

  /** Why it cannot be opened; null as long as it may be. */
  @Nullable Failure failure() {
    return failure;
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

  /** What acknowledgements are written from, and to. */
  LocalMemory notes() {
    return Futures.present(registered);
  }

  /** Closes it; at once if it is open, else when it is. */
  void close() {
    CompletableFuture<? extends Domain> begun = opening;
    if (begun == null) {
      return;
    }
    if (begun.isDone() && !begun.isCompletedExceptionally()) {
      begun.join().close();
    } else {
      var _ = begun.thenAccept(Domain::close);
    }
  }
}
