package io.reactivetransfer.spi;

import java.util.Objects;
import java.util.ServiceLoader;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What an engine takes from outside, so that a test can take its place: time, identity, affinity,
 * and what else only the machine has.
 */
public final class EngineEnvironment {

  private final Builder set;

  private EngineEnvironment(Builder set) {
    this.set = set;
  }

  /**
   * Begins with the machine's clock and random identities, and without anything that has to be
   * found: no pinning, no waits, so that an idle NIC thread polls, and no accelerators.
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * The machine's clock, random identities, and the pinning, the waits and the accelerators that
   * are on the class path, if any.
   */
  public static EngineEnvironment system() {
    return builder()
        .pinning(ServiceLoader.load(CpuPinning.class).findFirst().orElseGet(NoPinning::new))
        .waits(ServiceLoader.load(NicWaits.class).findFirst().orElseGet(NoWaits::new))
        .devices(Devices.find())
        .build();
  }

  /** Begins with what this is. */
  public Builder toBuilder() {
    return set.copy();
  }

  /** Monotonic time in nanoseconds. */
  public LongSupplier nanoClock() {
    return set.nanoClock;
  }

  /** Draws the identity of a new engine, never twice the same. */
  public Supplier<EngineIdentity> identities() {
    return set.identities;
  }

  /** Ties the NIC thread to a CPU. */
  public CpuPinning pinning() {
    return set.pinning;
  }

  /** Lets the NIC thread wait for NICs that can be waited for. */
  public NicWaits waits() {
    return set.waits;
  }

  /** The accelerators, whose memory drivers reach by these. */
  public Devices devices() {
    return set.devices;
  }

  /** Where PCI devices are, from which it follows which NICs are near to an accelerator. */
  public PciTree pci() {
    return set.pci;
  }

  /** Sets what is not the machine's. */
  public static final class Builder {
    private LongSupplier nanoClock = System::nanoTime;
    private Supplier<EngineIdentity> identities = EngineIdentity::draw;
    private CpuPinning pinning = new NoPinning();
    private NicWaits waits = new NoWaits();
    private Devices devices = Devices.none();
    private PciTree pci = PciTree.system();

    private Builder() {}

    private Builder copy() {
      return new Builder()
          .nanoClock(nanoClock)
          .identities(identities)
          .pinning(pinning)
          .waits(waits)
          .devices(devices)
          .pci(pci);
    }

    /** See {@link EngineEnvironment#nanoClock()}. */
    public Builder nanoClock(LongSupplier nanoClock) {
      this.nanoClock = Objects.requireNonNull(nanoClock, "nanoClock");
      return this;
    }

    /** See {@link EngineEnvironment#identities()}. */
    public Builder identities(Supplier<EngineIdentity> identities) {
      this.identities = Objects.requireNonNull(identities, "identities");
      return this;
    }

    /** See {@link EngineEnvironment#pinning()}. */
    public Builder pinning(CpuPinning pinning) {
      this.pinning = Objects.requireNonNull(pinning, "pinning");
      return this;
    }

    /** See {@link EngineEnvironment#waits()}. */
    public Builder waits(NicWaits waits) {
      this.waits = Objects.requireNonNull(waits, "waits");
      return this;
    }

    /** See {@link EngineEnvironment#devices()}. */
    public Builder devices(Devices devices) {
      this.devices = Objects.requireNonNull(devices, "devices");
      return this;
    }

    /** See {@link EngineEnvironment#pci()}. */
    public Builder pci(PciTree pci) {
      this.pci = Objects.requireNonNull(pci, "pci");
      return this;
    }

    /** The environment. */
    public EngineEnvironment build() {
      return new EngineEnvironment(copy());
    }
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
