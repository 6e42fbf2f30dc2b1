package io.reactivetransfer.spi;

import io.reactivetransfer.EngineId;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a backend gets to open a NIC with. Made by engines, and by tests of backends. */
public final class OpenContext {

  private final Builder set;

  private OpenContext(Builder set) {
    this.set = set;
  }

  /**
   * Begins with 256 operations in flight, 10 s for a connection, no loop and no accelerators.
   *
   * @param engine see {@link #engine()}
   * @param nicIndex see {@link #nicIndex()}
   * @param doorbell see {@link #doorbell()}
   */
  public static Builder builder(EngineId engine, int nicIndex, Doorbell doorbell) {
    return new Builder(engine, nicIndex, doorbell);
  }

  /** Begins with what this is: for what stands before a NIC and changes something. */
  public Builder toBuilder() {
    return set.copy();
  }

  /** Id of the engine, by which others know it. */
  public EngineId engine() {
    return set.engine;
  }

  /** Index of this NIC among those of the engine. */
  public int nicIndex() {
    return set.nicIndex;
  }

  /** To be rung when a poll would find something. */
  public Doorbell doorbell() {
    return set.doorbell;
  }

  /** The loop that {@link Backend#newLoop()} made for this engine, or null. */
  public @Nullable WorkerLoop loop() {
    return set.loop;
  }

  /** How many operations the engine will have in flight on this NIC at most. */
  public int nicDepth() {
    return set.nicDepth;
  }

  /** How long a connection may take to come about. */
  public Duration connectTimeout() {
    return set.connectTimeout;
  }

  /** The accelerators that there are, and how their memory is reached. */
  public Devices devices() {
    return set.devices;
  }

  /** Sets what an engine gives. */
  public static final class Builder {
    private final EngineId engine;
    private final int nicIndex;
    private Doorbell doorbell;
    private @Nullable WorkerLoop loop;
    private int nicDepth = 256;
    private Duration connectTimeout = Duration.ofSeconds(10);
    private Devices devices = Devices.none();

    private Builder(EngineId engine, int nicIndex, Doorbell doorbell) {
      this.engine = Objects.requireNonNull(engine, "engine");
      this.nicIndex = nicIndex;
      this.doorbell = Objects.requireNonNull(doorbell, "doorbell");
    }

    private Builder copy() {
      return new Builder(engine, nicIndex, doorbell)
          .loop(loop)
          .nicDepth(nicDepth)
          .connectTimeout(connectTimeout)
          .devices(devices);
    }

    /** See {@link OpenContext#doorbell()}. */
    public Builder doorbell(Doorbell doorbell) {
      this.doorbell = Objects.requireNonNull(doorbell, "doorbell");
      return this;
    }

    /** See {@link OpenContext#loop()}. */
    public Builder loop(@Nullable WorkerLoop loop) {
      this.loop = loop;
      return this;
    }

    /** See {@link OpenContext#nicDepth()}. */
    public Builder nicDepth(int nicDepth) {
      this.nicDepth = nicDepth;
      return this;
    }

    /** See {@link OpenContext#connectTimeout()}. */
    public Builder connectTimeout(Duration connectTimeout) {
      this.connectTimeout = Objects.requireNonNull(connectTimeout, "connectTimeout");
      return this;
    }

    /** See {@link OpenContext#devices()}. */
    public Builder devices(Devices devices) {
      this.devices = Objects.requireNonNull(devices, "devices");
      return this;
    }

    /** The context. */
    public OpenContext build() {
      return new OpenContext(copy());
    }
  }
}
