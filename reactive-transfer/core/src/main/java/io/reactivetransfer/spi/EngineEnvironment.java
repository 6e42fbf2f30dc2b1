package io.reactivetransfer.spi;

import java.util.ServiceLoader;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What an engine takes from outside, so that a test can take its place: time, identity, affinity.
 *
 * @param nanoClock monotonic time in nanoseconds
 * @param identities draws the identity of a new engine, never twice the same
 * @param pinning ties the NIC thread to a CPU
 * @param waits lets the NIC thread wait for NICs that can be waited for
 */
public record EngineEnvironment(
    LongSupplier nanoClock,
    Supplier<EngineIdentity> identities,
    CpuPinning pinning,
    NicWaits waits) {

  /** Without {@link NicWaits}: an idle NIC thread polls. */
  public EngineEnvironment(
      LongSupplier nanoClock, Supplier<EngineIdentity> identities, CpuPinning pinning) {
    this(nanoClock, identities, pinning, new NoWaits());
  }

  /**
   * The machine's clock, random identities, and the pinning and the waits that are on the class
   * path, if any.
   */
  public static EngineEnvironment system() {
    CpuPinning pinning = ServiceLoader.load(CpuPinning.class).findFirst().orElseGet(NoPinning::new);
    NicWaits waits = ServiceLoader.load(NicWaits.class).findFirst().orElseGet(NoWaits::new);
    return new EngineEnvironment(System::nanoTime, EngineIdentity::draw, pinning, waits);
  }

  private static final class NoPinning implements CpuPinning {
    @Override
    public Availability availability() {
      return Availability.unavailable(
          "no CpuPinning is on the class path", "add the artifact reactive-transfer-ffm");
    }

    @Override
    public void pinCurrentThread(int cpu) {
      throw new BackendException(
          0,
          "cannot pin to CPU "
              + cpu
              + ": no CpuPinning is on the class path; add the artifact reactive-transfer-ffm");
    }
  }

  private static final class NoWaits implements NicWaits {
    @Override
    public Availability availability() {
      return Availability.unavailable(
          "no NicWaits is on the class path", "add the artifact reactive-transfer-ffm");
    }

    @Override
    public NicWait open() {
      throw new BackendException(
          0,
          "cannot wait for NICs: no NicWaits is on the class path; add the artifact"
              + " reactive-transfer-ffm");
    }
  }
}
