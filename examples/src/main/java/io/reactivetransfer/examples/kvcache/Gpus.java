package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.Device;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Devices;

/** The GPUs that there are. */
final class Gpus {

  /** What the fake of the driver says that its devices are. */
  private static final String FAKE = "Fake CUDA device";

  private Gpus() {}

  /**
   * A device is there.
   *
   * @param isFake whether it has to be one that the fake of the driver has
   * @throws BackendUnavailableException if not; says why, and how to mend it
   */
  static void requireAvailable(Device device, boolean isFake) {
    if (device.equals(Device.HOST)) {
      return;
    }
    String what = describe(device);
    if (isFake && !what.startsWith(FAKE)) {
      throw new BackendUnavailableException(
          "--fake-cuda: expected the fake of the driver, which examples/run compiles with gcc, got "
              + what);
    }
  }

  /** What a device is. */
  static String describe(Device device) {
    try {
      return Devices.find().access(device).describe(device);
    } catch (BackendException e) {
      throw new BackendUnavailableException("--device " + device + ": " + e.getMessage());
    }
  }

  /** In a table: where the pages are, and loudly if that is no GPU. */
  static String line(Device device) {
    String what = describe(device);
    return device
        + " on both sides: "
        + (what.startsWith(FAKE) ? "A FAKE OF THE DRIVER, NO GPU: its figures say nothing; " : "")
        + what;
  }
}
