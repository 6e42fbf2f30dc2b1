package io.reactivetransfer.ibverbs;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.ibverbs.ffi.Verbs;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.DeviceAccess.DmaBuf;
import java.util.function.LongConsumer;

/**
 * Gives a NIC the memory of an accelerator, to read and write it by itself. Safe from any thread.
 */
final class DevicePinning {

  private DevicePinning() {}

  /**
   * Registers memory with a NIC: as a dma-buf, or else by its address, which a module of the kernel
   * may know.
   *
   * @param device reaches it
   * @param named by which address own and others' writes name the first byte
   * @param registered told of the registration before anything else may fail
   * @throws BackendException if neither can be done
   */
  static long pin(
      OpenDevice nic,
      DeviceAccess device,
      DeviceMemory memory,
      long named,
      int access,
      LongConsumer registered) {
    BackendException refusal;
    try (DmaBuf exported = device.exportDmaBuf(memory)) {
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
}
