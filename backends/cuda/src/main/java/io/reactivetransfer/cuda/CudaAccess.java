package io.reactivetransfer.cuda;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.DeviceWay;
import io.reactivetransfer.spi.StagingBuffer;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reaches the memory of NVIDIA's GPUs, {@code cuda:0} and on. Engines find it by themselves when
 * this artifact is on the class path; an application has no need of it but to copy by itself, by
 * {@link #copyToHost} and {@link #copyFromHost}, which check no bounds.
 *
 * <p>Copies go through pinned memory of its own, in streams of its own that wait for no others. An
 * error of the driver is told by its name.
 */
public final class CudaAccess implements DeviceAccess {

  /** The module by which NICs pin addresses of GPUs, if it is loaded. */
  private static final Path PEER_MEMORY = Path.of("/sys/module/nvidia_peermem");

  /** Asks nothing yet. */
  public CudaAccess() {}

  @Override
  public Availability availability() {
    return CudaDriver.here().availability();
  }

  @Override
  public List<Device> devices() {
    return CudaDriver.here().gpus().stream().map(Gpu::device).toList();
  }

  @Override
  public String kind() {
    return CudaDriver.KIND;
  }

  @Override
  public String describe(Device device) {
    try {
      Gpu gpu = CudaDriver.here().gpu(device);
      return gpu.name()
          + " PCI "
          + Objects.requireNonNullElse(gpu.pciAddress(), "unknown")
          + ", CUDA "
          + CudaDriver.here().version()
          + (DmaBufs.canBeExported(gpu)
              ? ", NICs take it as dma-buf"
              : Files.exists(PEER_MEMORY)
                  ? ", NICs take it by nvidia-peermem"
                  : ", NICs do not take it: install the driver's open kernel modules, or load"
                      + " nvidia-peermem");
    } catch (CudaException e) {
      return "unknown: " + e.getMessage();
    }
  }

  @Override
  public @Nullable String pciAddress(Device device) {
    try {
      return CudaDriver.here().gpu(device).pciAddress();
    } catch (CudaException e) {
      return null;
    }
  }

  @Override
  public void copyToHost(
      DeviceMemory source,
      long sourceOffset,
      MemorySegment target,
      long targetOffset,
      long length) {
    copy(true, source, sourceOffset, target, targetOffset, length);
  }

  @Override
  public void copyFromHost(
      MemorySegment source,
      long sourceOffset,
      DeviceMemory target,
      long targetOffset,
      long length) {
    copy(false, target, targetOffset, source, sourceOffset, length);
  }

  /** Both ways in one, without a lambda: nothing is allocated for a copy. */
  private static void copy(
      boolean toHost,
      DeviceMemory memory,
      long offset,
      MemorySegment host,
      long hostOffset,
      long length) {
    boolean isOver = true;
    try {
      Gpu gpu = CudaDriver.here().gpu(memory.device());
      gpu.enter();
      try {
        CopyLane lane = gpu.lanes().take();
        boolean done = false;
        try {
          if (toHost) {
            lane.toHost(memory.address() + offset, host, hostOffset, length);
          } else {
            lane.fromHost(host, hostOffset, memory.address() + offset, length);
          }
          done = true;
        } finally {
          isOver = gpu.lanes().give(lane, done);
        }
      } finally {
        gpu.leave();
      }
    } catch (CudaException e) {
      throw refusal(e, isOver);
    }
  }

  @Override
  public void copy(
      DeviceMemory source, long sourceOffset, DeviceMemory target, long targetOffset, long length) {
    if (!source.device().equals(target.device())) {
      DeviceAccess.super.copy(source, sourceOffset, target, targetOffset, length);
      return;
    }
    boolean isOver = true;
    try {
      Gpu gpu = CudaDriver.here().gpu(source.device());
      gpu.enter();
      try {
        CopyLane lane = gpu.lanes().take();
        boolean done = false;
        try {
          lane.within(source.address() + sourceOffset, target.address() + targetOffset, length);
          done = true;
        } finally {
          isOver = gpu.lanes().give(lane, done);
        }
      } finally {
        gpu.leave();
      }
    } catch (CudaException e) {
      throw refusal(e, isOver);
    }
  }

  @Override
  public StagingBuffer stagingBuffer(Device device, long bytes) {
    try {
      return new LentBuffer(CudaDriver.here().gpu(device).buffers().take(bytes));
    } catch (CudaException e) {
      throw refusal(e);
    }
  }

  @Override
  public long peek(DeviceMemory memory, long offset) {
    try {
      Gpu gpu = CudaDriver.here().gpu(memory.device());
      gpu.enter();
      try {
        return peek(gpu, memory.address() + offset);
      } finally {
        gpu.leave();
      }
    } catch (CudaException e) {
      throw refusal(e);
    }
  }

  private static long peek(Gpu gpu, long address) {
    CopyLane lane = gpu.lanes().take();
    boolean done = false;
    try {
      long word = lane.word(address);
      done = true;
      return word;
    } finally {
      boolean _ = gpu.lanes().give(lane, done); // what looks writes nothing
    }
  }

  @Override
  public boolean isOpenToNics(Device device) {
    return !waysForNics(device).isEmpty();
  }

  @Override
  public Set<DeviceWay> waysForNics(Device device) {
    Set<DeviceWay> ways = EnumSet.noneOf(DeviceWay.class);
    try {
      if (DmaBufs.canBeExported(CudaDriver.here().gpu(device))) {
        ways.add(DeviceWay.DMA_BUF);
      }
    } catch (CudaException e) {
      return Set.of();
    }
    if (Files.exists(PEER_MEMORY)) {
      ways.add(DeviceWay.PEER_MEMORY);
    }
    return ways;
  }

  @Override
  public DmaBuf exportDmaBuf(DeviceMemory memory) {
    try {
      return DmaBufs.export(CudaDriver.here().gpu(memory.device()), memory);
    } catch (CudaException e) {
      throw refusal(e);
    }
  }

  @Override
  public void flush(Device device) {
    try {
      CudaDriver.here().gpu(device).flush();
    } catch (CudaException e) {
      throw refusal(e);
    }
  }

  /** Each reaches the same GPUs: those of this process. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CudaAccess;
  }

  @Override
  public int hashCode() {
    return CudaAccess.class.hashCode();
  }

  static BackendException refusal(CudaException e) {
    return refusal(e, true);
  }

  private static BackendException refusal(CudaException e, boolean isOver) {
    String text = String.valueOf(e.getMessage());
    return isOver
        ? new BackendException(e.code(), text, e)
        : BackendException.ofUnknownEnd(e.code(), text, e);
  }
}
