package io.reactivetransfer.libfabric;

import io.reactivetransfer.Device;
import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Devices;
import java.util.Set;
import java.util.TreeSet;

/** What libfabric calls accelerators. See fi_mr(3) on {@code fi_mr_attr}, its field iface. */
final class DeviceKind {

  private static final String CUDA = "cuda";

  private DeviceKind() {}

  /**
   * Its constant.
   *
   * @throws BackendException if it has none
   */
  static int of(Device device) {
    if (device.kind().equals(CUDA)) {
      return Fi.FI_HMEM_CUDA;
    }
    throw new BackendException(
        0, "expected memory of the host or of a GPU of NVIDIA's, got memory of " + device);
  }

  /** The host, and those of these that are open to NICs and that libfabric knows. */
  static Set<Device> known(Devices devices) {
    Set<Device> known = new TreeSet<>(devices.openToNicsAndHost());
    known.removeIf(device -> !device.equals(Device.HOST) && !device.kind().equals(CUDA));
    return known;
  }
}
