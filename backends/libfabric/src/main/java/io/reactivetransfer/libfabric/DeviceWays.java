package io.reactivetransfer.libfabric;

import io.reactivetransfer.Device;
import io.reactivetransfer.libfabric.ffi.FiInfo;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.DeviceWay;
import io.reactivetransfer.spi.Devices;
import java.util.List;

/** How a NIC of libfabric comes at memory of an accelerator. */
final class DeviceWays {

  private DeviceWays() {}

  /**
   * Through the host, unless its provider reaches the accelerator: then that of EFA asks for a
   * dma-buf where it can be had, and that of verbs goes by the address.
   */
  static DeviceWay of(FiInfo info, Device device, DeviceAccess access) {
    if (!info.reachesDevices() || !DeviceKind.known(Devices.of(List.of(access))).contains(device)) {
      return DeviceWay.STAGED;
    }
    boolean isVerbs = info.provider().startsWith("verbs");
    return !isVerbs && access.waysForNics(device).contains(DeviceWay.DMA_BUF)
        ? DeviceWay.DMA_BUF
        : DeviceWay.PEER_MEMORY;
  }
}
