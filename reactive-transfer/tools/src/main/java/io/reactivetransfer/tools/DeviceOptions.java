package io.reactivetransfer.tools;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.Device;
import picocli.CommandLine.Option;

/** The options of a command that say in whose memory its bytes lie; a mixin of picocli. */
public final class DeviceOptions {

  @Option(
      names = "--device",
      paramLabel = "DEVICE",
      converter = DeviceConverter.class,
      description =
          "In whose memory the bytes lie, on all sides: host, or a GPU, such as cuda or cuda:1, see"
              + " 'doctor'. Default: host.")
  private Device device = Device.HOST;

  @Option(
      names = "--fake-cuda",
      description =
          "There is no GPU: examples/run compiles the fake of NVIDIA's driver that the tests have,"
              + " and starts this with it.")
  private boolean fakeCuda;

  /** The host, unless another one is given. */
  public DeviceOptions() {}

  /** In whose memory. */
  public Device device() {
    return device;
  }

  /**
   * Checks that the options fit each other.
   *
   * @throws IllegalArgumentException if not
   */
  public void requireConsistent() {
    if (fakeCuda && device.equals(Device.HOST)) {
      throw new IllegalArgumentException("expected --fake-cuda with --device cuda, got it alone");
    }
  }

  /**
   * Checks that the bytes lie in the host, as another option needs them.
   *
   * @param other that option
   * @throws IllegalArgumentException if not
   */
  public void requireHost(String other) {
    if (!device.equals(Device.HOST)) {
      throw new IllegalArgumentException(
          "expected " + other + " in the host's memory, got --device " + device);
    }
  }

  /**
   * Checks that the device is there, and that it is the fake's if that was asked for.
   *
   * @throws BackendUnavailableException if not; says why, and how to mend it
   */
  public void requireAvailable() {
    Gpus.requireAvailable(device, fakeCuda);
  }
}
