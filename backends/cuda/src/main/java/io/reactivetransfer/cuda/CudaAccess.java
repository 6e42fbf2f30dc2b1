package io.reactivetransfer.cuda;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Reaches the memory of NVIDIA's GPUs, {@code cuda:0} and on. Engines find it by themselves when
 * this artifact is on the class path; an application has no need of it.
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
          + gpu.pciAddress()
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
          gpu.lanes().give(lane, done);
        }
      } finally {
        gpu.leave();
      }
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
      gpu.lanes().give(lane, done);
    }
  }

  @Override
  public boolean isOpenToNics(Device device) {
    try {
      return DmaBufs.canBeExported(CudaDriver.here().gpu(device)) || Files.exists(PEER_MEMORY);
    } catch (CudaException e) {
      return false;
    }
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

  private static BackendException refusal(CudaException e) {
    return new BackendException(e.code(), String.valueOf(e.getMessage()), e);
  }
}
