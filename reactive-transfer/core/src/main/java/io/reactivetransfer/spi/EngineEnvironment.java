package io.reactivetransfer.spi;

import io.reactivetransfer.EngineId;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ServiceLoader;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What an engine takes from outside, so that a test can take its place: time, identity, affinity.
 *
 * @param nanoClock monotonic time in nanoseconds
 * @param ids draws the id of a new engine, never twice the same
 * @param pinning ties the NIC thread to a CPU
 * @param waits lets the NIC thread wait for NICs that can be waited for
 */
public record EngineEnvironment(
    LongSupplier nanoClock, Supplier<EngineId> ids, CpuPinning pinning, NicWaits waits) {

  /** Without {@link NicWaits}: an idle NIC thread polls. */
  public EngineEnvironment(LongSupplier nanoClock, Supplier<EngineId> ids, CpuPinning pinning) {
    this(nanoClock, ids, pinning, new NoWaits());
  }

  /**
   * The machine's clock, random ids, and the pinning and the waits that are on the class path, if
   * any.
   */
  public static EngineEnvironment system() {
    SecureRandom random = new SecureRandom();
    CpuPinning pinning = ServiceLoader.load(CpuPinning.class).findFirst().orElseGet(NoPinning::new);
    NicWaits waits = ServiceLoader.load(NicWaits.class).findFirst().orElseGet(NoWaits::new);
    return new EngineEnvironment(System::nanoTime, () -> drawId(random), pinning, waits);
  }

  private static EngineId drawId(SecureRandom random) {
    byte[] bytes = new byte[EngineId.BYTES];
    random.nextBytes(bytes);
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new EngineId(buffer.getLong(), buffer.getLong());
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
