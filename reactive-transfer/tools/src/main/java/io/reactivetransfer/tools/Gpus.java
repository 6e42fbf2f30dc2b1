package io.reactivetransfer.tools;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.Device;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Devices;

/** The GPUs that there are. */
public final class Gpus {

  /** What the fake of the driver says that its devices are. */
  private static final String FAKE = "Fake CUDA device";

  private static final String LOUDLY = "A FAKE OF THE DRIVER, NO GPU";

  private Gpus() {}

  /**
   * A device is there.
   *
   * @param isFake whether it has to be one that the fake of the driver has
   * @throws BackendUnavailableException if not; says why, and how to mend it
   */
  public static void requireAvailable(Device device, boolean isFake) {
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

  /**
   * What a device is.
   *
   * @throws BackendUnavailableException if it is not there; says why, and how to mend it
   */
  public static String describe(Device device) {
    try {
      return Devices.find().access(device).describe(device);
    } catch (BackendException e) {
      throw new BackendUnavailableException("--device " + device + ": " + e.getMessage());
    }
  }

  /** In a table: that memory is there on both sides, and loudly if that is no GPU. */
  public static String line(Device device) {
    return line(device, "on both sides");
  }

  /** The same of others than two sides. */
  public static String line(Device device, String where) {
    String what = describe(device);
    return device
        + " "
        + where
        + ": "
        + (what.startsWith(FAKE) ? LOUDLY + ": its figures say nothing; " : "")
        + what;
  }

  /** The same in a word or two, for a title. */
  public static String name(Device device) {
    return describe(device).startsWith(FAKE) ? device + " (" + LOUDLY + ")" : device.toString();
  }
}
