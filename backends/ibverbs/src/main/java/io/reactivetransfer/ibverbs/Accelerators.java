package io.reactivetransfer.ibverbs;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.ibverbs.ffi.Verbs;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.DeviceAccess.DmaBuf;
import io.reactivetransfer.spi.Devices;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * The accelerators whose memory one NIC reads and writes by itself. Safe from any thread, but for
 * {@link #flush}, {@link #takeFailure} and {@link #close}, which are the NIC's thread's.
 */
final class Accelerators {

  private static final Logger LOG = Loggers.getLogger(Accelerators.class);
  private static final Device[] NONE = {};

  private final Devices devices;

  /** Each lives until it fails: then its memory is as good as freed. */
  private final Map<Device, Arena> lives = new ConcurrentHashMap<>();

  /** Those of which others may have been let write to some memory. */
  private volatile Device[] written = NONE;

  /** Whether one has failed since {@link #takeFailure}. */
  private boolean hasFailed;

  Accelerators(Devices devices) {
    this.devices = devices;
  }

  /**
   * Ends when the accelerator has failed.
   *
   * @throws BackendException if it cannot be reached
   */
  MemorySegment.Scope scope(Device device) {
    DeviceAccess _ = devices.access(device);
    return lives.computeIfAbsent(device, each -> Arena.ofShared()).scope();
  }

  /**
   * Registers memory with a NIC: as a dma-buf, or else by its address, which a module of the kernel
   * may know.
   *
   * @param named by which address own and others' writes name the first byte
   * @param registered told of the registration before anything else may fail
   * @throws BackendException if neither can be done
   */
  long pin(OpenDevice nic, DeviceMemory memory, long named, int access, LongConsumer registered) {
    BackendException refusal;
    try (DmaBuf exported = devices.access(memory.device()).exportDmaBuf(memory)) {
      long mr =
          nic.verbs.ibv_reg_dmabuf_mr(
              nic.pd(), exported.offset(), memory.length(), named, exported.descriptor(), access);
      if (mr >= 0) {
        registered.accept(mr);
        return mr;
      }
      refusal = VerbsLibrary.failure("ibv_reg_dmabuf_mr", mr);
    } catch (BackendException e) {
      refusal = e;
    }
    return pinByAddress(nic.verbs, nic.pd(), memory, named, access, registered, refusal);
  }

  private static long pinByAddress(
      Verbs verbs,
      long pd,
      DeviceMemory memory,
      long named,
      int access,
      LongConsumer registered,
      BackendException asDmaBuf) {
    long mr = verbs.ibv_reg_mr_iova2(pd, memory.address(), memory.length(), named, access);
    if (mr >= 0) {
      registered.accept(mr);
      return mr;
    }
    BackendException byAddress = VerbsLibrary.failure("ibv_reg_mr_iova2", mr);
    BackendException refusal =
        new BackendException(
            byAddress.code(),
            "expected memory of "
                + memory.device()
                + " that this NIC can be given, got a refusal as a dma-buf: "
                + asDmaBuf.getMessage()
                + "; and by its address: "
                + byAddress.getMessage()
                + "; of NVIDIA's GPUs, install the driver's open kernel modules, or load"
                + " nvidia-peermem; or use a backend that copies through the host, such as tcp",
            byAddress);
    refusal.addSuppressed(asDmaBuf);
    throw refusal;
  }

  /**
   * Others may write to memory of it from now on.
   *
   * @throws BackendException if it cannot be made to see what is written
   */
  void opened(Device device) {
    devices.access(device).flush(device);
    synchronized (lives) {
      if (Arrays.asList(written).contains(device)) {
        return;
      }
      Device[] more = Arrays.copyOf(written, written.length + 1);
      more[written.length] = device;
      written = more;
    }
  }

  /** Whether {@link #flush} is to be called before arrivals are reported. */
  boolean areWritten() {
    return written.length > 0;
  }

  /**
   * What was written into accelerators by now is seen there afterwards. One that refuses has
   * failed: nobody sees what is in it, and it is closed to others; arrivals do not say where their
   * bytes are, so they count all the same, for those that are elsewhere.
   */
  void flush() {
    for (Device device : written) {
      try {
        devices.access(device).flush(device);
      } catch (BackendException e) {
        failed(device, e);
      }
    }
  }

  private void failed(Device device, BackendException why) {
    synchronized (lives) {
      written = Arrays.stream(written).filter(each -> !each.equals(device)).toArray(Device[]::new);
    }
    Arena life = lives.get(device);
    if (life != null && life.scope().isAlive()) {
      life.close();
    }
    hasFailed = true;
    LOG.error(
        "{} does not see any more what a NIC writes there, so its memory is closed to others: {}",
        device,
        why.getMessage());
  }

  /** Whether one has failed since the last call; on the NIC's thread. */
  boolean takeFailure() {
    boolean failed = hasFailed;
    hasFailed = false;
    return failed;
  }

  /** Nothing is registered any more. */
  void close() {
    for (Arena life : lives.values()) {
      if (life.scope().isAlive()) {
        life.close();
      }
    }
  }
}
