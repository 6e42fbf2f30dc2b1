package io.reactivetransfer.ibverbs;

import static io.reactivetransfer.ibverbs.VerbsLibrary.require;

import io.reactivetransfer.ibverbs.ffi.DeviceInfo;
import io.reactivetransfer.ibverbs.ffi.Handles;
import io.reactivetransfer.ibverbs.ffi.Receives;
import io.reactivetransfer.ibverbs.ffi.Result;
import io.reactivetransfer.ibverbs.ffi.Verbs;
import io.reactivetransfer.spi.BackendException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An open device, with what one NIC needs of it once: a protection domain, a completion queue with
 * a channel to wait on, and a shared receive queue. The completion queue has room for each send and
 * each receive that can be out, so it cannot overrun.
 */
final class OpenDevice {

  /** Receives that are posted for immediates of all peers together. */
  private static final int RECEIVES = 2_048;

  /** Of those that were used so many are posted at once. */
  private static final int RECEIVES_AT_ONCE = 64;

  private static final int EIO = 5;

  /** The kernel may end what a device has before the NIC has read that the device is gone. */
  private static final long MOST_UNTIL_GONE_NANOS = 1_000_000_000;

  private static final long BETWEEN_LOOKS_NANOS = 1_000_000;

  /** What was opened, to be closed in the opposite order. */
  private record Closer(String call, IntSupplier close) {}

  final Verbs verbs;
  private final Deque<Closer> closers = new ArrayDeque<>();
  private final long context;
  private final long pd;
  private final long channel;
  private final long cq;
  private final long srq;
  private final int depth;
  private final int queueSends;
  private final int completions;
  private final Receives receives;
  private int toBePosted;
  private volatile boolean isGone;

  /**
   * Opens it.
   *
   * @param wantedDepth sends that may be out
   * @throws BackendException if something cannot be had; nothing stays open
   */
  OpenDevice(Verbs verbs, String name, int wantedDepth, Arena arena) {
    this.verbs = verbs;
    try {
      Long opened =
          PortFinder.withDevices(
              verbs,
              device ->
                  device.name().equals(name)
                      ? require("ibv_open_device", verbs.ibv_open_device(device.address()))
                      : null);
      if (opened == null) {
        throw new BackendException(0, "device " + name + " is gone");
      }
      context = opened;
      closers.push(new Closer("ibv_close_device", () -> verbs.ibv_close_device(opened)));
      Result<DeviceInfo> asked = DeviceInfo.of(verbs, context);
      DeviceInfo info = asked.value();
      if (info == null) {
        throw VerbsLibrary.failure("ibv_query_device", asked.error());
      }
      int most = Math.min(RECEIVES, info.maxReceives());
      depth = Math.max(1, Math.min(wantedDepth, info.maxCompletions() / 2));
      queueSends = Math.max(1, Math.min(depth, info.maxSends()));
      int receiveCount = Math.min(most, info.maxCompletions() - depth);
      completions = depth + receiveCount;
      pd =
          opened(
              "ibv_alloc_pd", verbs.ibv_alloc_pd(context), "ibv_dealloc_pd", verbs::ibv_dealloc_pd);
      channel =
          opened(
              "ibv_create_comp_channel",
              verbs.ibv_create_comp_channel(context),
              "ibv_destroy_comp_channel",
              verbs::ibv_destroy_comp_channel);
      require("fcntl", verbs.nonBlocking(Handles.descriptor(channel)));
      require("fcntl", verbs.nonBlocking(Handles.asyncDescriptor(context)));
      cq =
          opened(
              "ibv_create_cq",
              verbs.ibv_create_cq(context, completions, channel),
              "ibv_destroy_cq",
              verbs::ibv_destroy_cq);
      srq =
          opened(
              "ibv_create_srq",
              Handles.createSrq(verbs, pd, receiveCount),
              "ibv_destroy_srq",
              verbs::ibv_destroy_srq);
      receives = new Receives(verbs, arena, Math.min(RECEIVES_AT_ONCE, receiveCount));
      toBePosted = receiveCount;
      BackendException refusal = postAll();
      if (refusal != null) {
        throw refusal;
      }
    } catch (RuntimeException e) {
      try {
        close();
      } catch (BackendException refusal) {
        e.addSuppressed(refusal);
      }
      throw e;
    }
  }

  /** What closes what was opened. */
  private interface Close {
    int close(long handle);
  }

  private long opened(String open, long handle, String call, Close close) {
    require(open, handle);
    closers.push(new Closer(call, () -> close.close(handle)));
    return handle;
  }

  /**
   * Registers memory of the NIC's own to send from, until the device is closed.
   *
   * @return what own writes name it by
   */
  int register(MemorySegment memory) {
    long mr =
        opened(
            "ibv_reg_mr_iova2",
            verbs.ibv_reg_mr_iova2(pd, memory.address(), memory.byteSize(), memory.address(), 0),
            "ibv_dereg_mr",
            verbs::ibv_dereg_mr);
    return Handles.lkey(mr);
  }

  long context() {
    return context;
  }

  long pd() {
    return pd;
  }

  long cq() {
    return cq;
  }

  long srq() {
    return srq;
  }

  long channel() {
    return channel;
  }

  int asyncDescriptor() {
    return Handles.asyncDescriptor(context);
  }

  int channelDescriptor() {
    return Handles.descriptor(channel);
  }

  /** Sends that may be out. */
  int depth() {
    return depth;
  }

  /** Sends that may be out to one peer. */
  int queueSends() {
    return queueSends;
  }

  /** As many as the completion queue has room for. */
  int completions() {
    return completions;
  }

  /** A receive was used. */
  void received() {
    toBePosted++;
  }

  /**
   * Posts receives for those that were used, if there are enough of them.
   *
   * @return why that failed; null if it did not
   */
  @Nullable BackendException postReceives() {
    return toBePosted < receives.most() ? null : postAll();
  }

  private @Nullable BackendException postAll() {
    while (toBePosted > 0) {
      int count = Math.min(toBePosted, receives.most());
      int result = receives.post(srq, count);
      if (result < 0) {
        return VerbsLibrary.failure("ibv_post_srq_recv", result);
      }
      toBePosted -= count;
    }
    return null;
  }

  /**
   * Closes all of it.
   *
   * @throws BackendException if something cannot be closed; what that depends on stays open, too
   */
  void close() {
    for (Closer next = closers.poll(); next != null; next = closers.poll()) {
      int result = next.close().getAsInt();
      if (!isDone(result)) {
        throw VerbsLibrary.failure(next.call(), result);
      }
    }
  }

  /** The device has said that it is gone for good; from any thread. */
  void gone() {
    isGone = true;
  }

  boolean isGone() {
    return isGone;
  }

  /** Whether a call has ended something. Of a device that is gone the kernel has ended all. */
  boolean isDone(int result) {
    return result >= 0 || (isGone && result == -EIO);
  }

  /** The same, of a call that may wait until the device has said so, if it has to. */
  boolean isDoneSoon(int result) {
    long begin = System.nanoTime();
    while (result == -EIO && !isGone && System.nanoTime() - begin < MOST_UNTIL_GONE_NANOS) {
      LockSupport.parkNanos(BETWEEN_LOOKS_NANOS);
    }
    return isDone(result);
  }
}
