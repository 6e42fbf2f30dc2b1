package io.reactivetransfer.staging;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.StagingBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A buffer of the host for one piece and its {@link Frame}; of an accelerator, or of nobody. */
final class Pinned {

  /**
   * The most bytes of a piece: an accelerator copies that in about the time in which it is sent.
   */
  static final int MOST_BYTES = 256 << 10;

  private static final int BYTES = Frame.BYTES + MOST_BYTES;

  private final Device device;
  private final @Nullable StagingBuffer buffer;
  private final MemorySegment memory;
  private final @Nullable Doubts doubts;
  private boolean broken;
  private @Nullable CompletableFuture<LocalMemory> atMain;
  private @Nullable CompletableFuture<LocalMemory> atSecond;

  private Pinned(
      Device device,
      @Nullable StagingBuffer buffer,
      MemorySegment memory,
      @Nullable Doubts doubts) {
    this.device = device;
    this.buffer = buffer;
    this.memory = memory;
    this.doubts = doubts;
  }

  /** For memory of the host. */
  static Pinned ofHost() {
    return new Pinned(Device.HOST, null, Arena.ofAuto().allocate(BYTES, Frame.BYTES), null);
  }

  /**
   * For memory of an accelerator.
   *
   * @throws BackendException if that refuses
   */
  static Pinned of(Nics nics, Device device) {
    StagingBuffer buffer = nics.devices().access(device).stagingBuffer(device, BYTES);
    return new Pinned(device, buffer, buffer.memory(), nics.doubts());
  }

  Device device() {
    return device;
  }

  MemorySegment memory() {
    return memory;
  }

  /** Whether a copy has failed, so that it is to be closed and nothing else. */
  boolean isBroken() {
    return broken;
  }

  /** Whether it is known that no copy goes on, if one has failed. */
  boolean isOver() {
    return buffer == null || buffer.isOver();
  }

  /** Begins to bring bytes of the accelerator, behind the frame. */
  void fetch(DeviceMemory source, long offset, int length) {
    if (buffer == null) {
      throw new IllegalStateException("expected a buffer of " + source.device());
    }
    buffer.fetch(source, offset, Frame.BYTES, length);
  }

  /** Begins to take bytes from behind the frame to the accelerator. */
  void store(DeviceMemory target, long offset, int length) {
    if (buffer == null) {
      throw new IllegalStateException("expected a buffer of " + target.device());
    }
    buffer.store(Frame.BYTES, target, offset, length);
  }

  /** As a source of the engine's NIC. */
  CompletableFuture<LocalMemory> atMain(Nics nics) {
    CompletableFuture<LocalMemory> registration = atMain;
    if (registration == null) {
      registration = Futures.of(() -> nics.main().register(new HostMemory(memory), Access.LOCAL));
      var _ = registration.whenComplete((_, _) -> nics.doorbell().ring());
      atMain = registration;
    }
    return registration;
  }

  /** As a source of the second NIC, or as a target, too. */
  CompletableFuture<LocalMemory> atSecond(Nics nics, Access access) {
    CompletableFuture<LocalMemory> registration = atSecond;
    if (registration == null) {
      registration =
          Futures.of(() -> nics.second().domain().register(new HostMemory(memory), access));
      var _ = registration.whenComplete((_, _) -> nics.doorbell().ring());
      atSecond = registration;
    }
    return registration;
  }

  /** What was refused is tried again for the next use. */
  void forgetRefusals() {
    atMain = atMain != null && atMain.isCompletedExceptionally() ? null : atMain;
    atSecond = atSecond != null && atSecond.isCompletedExceptionally() ? null : atSecond;
  }

  /** Whether no registration is being made. */
  boolean isSettled() {
    return (atMain == null || atMain.isDone()) && (atSecond == null || atSecond.isDone());
  }

  /** Ends what it is registered as, which is settled; complete when no NIC touches it any more. */
  CompletableFuture<Void> deregister(Nics nics) {
    CompletableFuture<Void> main = deregister(nics.main(), atMain);
    Domain domain = nics.second().domainIfAny();
    CompletableFuture<Void> ended =
        domain == null ? main : CompletableFuture.allOf(main, deregister(domain, atSecond));
    atMain = null;
    atSecond = null;
    var _ = ended.whenComplete((_, _) -> nics.doorbell().ring());
    return ended;
  }

  private static CompletableFuture<Void> deregister(
      Domain nic, @Nullable CompletableFuture<LocalMemory> registration) {
    return registration == null || registration.isCompletedExceptionally()
        ? CompletableFuture.completedFuture(null)
        : Futures.of(() -> nic.deregister(registration.join()));
  }

  /** Waits for what was begun. */
  @Nullable BackendException await() {
    if (buffer == null || broken) {
      return null;
    }
    try {
      buffer.await();
      return null;
    } catch (BackendException e) {
      broken = true;
      if (doubts != null && !buffer.isOver()) {
        doubts.add(e);
      }
      return e;
    }
  }

  /** Of no more use; no NIC touches it any more. */
  void close() {
    if (buffer != null) {
      try {
        buffer.close();
      } catch (BackendException e) {
        // The access keeps it, or has lost it; what needed it has failed for that.
      }
    }
  }
}
