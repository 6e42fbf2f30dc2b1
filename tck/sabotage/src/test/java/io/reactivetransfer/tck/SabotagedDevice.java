package io.reactivetransfer.tck;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.DeviceAccess;
import java.time.Duration;

/** The rules about devices as they run on a saboteur, or on none; not a test by itself. */
class SabotagedDevice extends DeviceConformance {

  /**
   * A run of the rules, which is made on one thread.
   *
   * @param saboteur on what
   * @param signalTimeout how long something is waited for
   */
  record Run(DeviceSaboteur saboteur, Duration signalTimeout) {}

  private static final ThreadLocal<Run> RUN = new ThreadLocal<>();

  private final Run run = RUN.get();

  /** The runs of this thread are on this saboteur from now on. */
  static void next(Run run) {
    RUN.set(run);
  }

  @Override
  protected DeviceAccess access() {
    return run.saboteur().access().apply(new FakeCards());
  }

  @Override
  protected DeviceMemory allocate(Device device, long bytes) {
    return FakeCards.card(device).allocate((int) bytes);
  }

  @Override
  protected void free(DeviceMemory memory) {
    FakeCards.card(memory.device()).free(memory);
  }

  @Override
  protected void write(DeviceMemory memory, byte[] bytes) {
    FakeCards.card(memory.device()).write(memory, bytes);
  }

  @Override
  protected byte[] read(DeviceMemory memory) {
    return FakeCards.card(memory.device()).read(memory);
  }

  @Override
  protected Runnable keepBusy(Device device) {
    return FakeCards.keepBusy();
  }

  @Override
  protected Profile profile() {
    return Profile.defaults()
        .withSignalTimeout(run.signalTimeout())
        .withSilence(Duration.ofMillis(15));
  }
}
