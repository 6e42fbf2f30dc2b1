package io.reactivetransfer.spi;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a backend gets to open the control channel of one engine with. Made by engines, and by tests
 * of channels.
 */
public final class ControlContext {

  private final Builder set;

  private ControlContext(Builder set) {
    this.set = set;
  }

  /**
   * Begins with messages of 32 KiB, 10 s for a session, and no loop.
   *
   * @param identity see {@link #identity()}
   * @param backend see {@link #backend()}
   * @param doorbell see {@link #doorbell()}
   */
  public static Builder builder(EngineIdentity identity, String backend, Doorbell doorbell) {
    return new Builder(identity, backend, doorbell);
  }

  /** Begins with what this is: for what stands before a channel and changes something. */
  public Builder toBuilder() {
    return set.copy();
  }

  /** Who the engine is, and how it proves that. */
  public EngineIdentity identity() {
    return set.identity;
  }

  /** Name of the backend; engines of different ones do not talk with each other. */
  public String backend() {
    return set.backend;
  }

  /** To be rung when a poll would find something, or what was refused may be tried again. */
  public Doorbell doorbell() {
    return set.doorbell;
  }

  /** The loop that {@link Backend#newLoop()} made for this engine, or null. */
  public @Nullable WorkerLoop loop() {
    return set.loop;
  }

  /** The longest message that the engine will send. */
  public int maxMessageBytes() {
    return set.maxMessageBytes;
  }

  /** How long a session may take to come about. */
  public Duration connectTimeout() {
    return set.connectTimeout;
  }

  /** Sets what an engine gives. */
  public static final class Builder {
    private final EngineIdentity identity;
    private final String backend;
    private Doorbell doorbell;
    private @Nullable WorkerLoop loop;
    private int maxMessageBytes = 32 << 10;
    private Duration connectTimeout = Duration.ofSeconds(10);

    private Builder(EngineIdentity identity, String backend, Doorbell doorbell) {
      this.identity = Objects.requireNonNull(identity, "identity");
      this.backend = Objects.requireNonNull(backend, "backend");
      this.doorbell = Objects.requireNonNull(doorbell, "doorbell");
    }

    private Builder copy() {
      return new Builder(identity, backend, doorbell)
          .loop(loop)
          .maxMessageBytes(maxMessageBytes)
          .connectTimeout(connectTimeout);
    }

    /** See {@link ControlContext#doorbell()}. */
    public Builder doorbell(Doorbell doorbell) {
      this.doorbell = Objects.requireNonNull(doorbell, "doorbell");
      return this;
    }

    /** See {@link ControlContext#loop()}. */
    public Builder loop(@Nullable WorkerLoop loop) {
      this.loop = loop;
      return this;
    }

    /** See {@link ControlContext#maxMessageBytes()}. */
    public Builder maxMessageBytes(int maxMessageBytes) {
      this.maxMessageBytes = maxMessageBytes;
      return this;
    }

    /** See {@link ControlContext#connectTimeout()}. */
    public Builder connectTimeout(Duration connectTimeout) {
      this.connectTimeout = Objects.requireNonNull(connectTimeout, "connectTimeout");
      return this;
    }

    /** The context. */
    public ControlContext build() {
      return new ControlContext(copy());
    }
  }
}
