package io.reactivetransfer.loopback;

import io.reactivetransfer.Device;
import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.DeviceWay;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.WorkerLoop;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Engines within one JVM. Needs nothing, so it is what tests and first steps use; a write costs one
 * copy, made by the thread of the target's NIC.
 *
 * <p>Queues are bounded and refuse; writes complete when their bytes are in the target's memory. A
 * target that closes is reported to everyone it had to do with, as a closed connection would be.
 */
public final class LoopbackBackend implements Backend {

  private final LoopbackSettings settings;
  private final int defaultNics;
  private final @Nullable Supplier<WorkerLoop> loop;

  /** With the defaults, as the service loader makes it; see {@link Builder}. */
  public LoopbackBackend() {
    this(new Builder());
  }

  private LoopbackBackend(Builder builder) {
    settings =
        new LoopbackSettings(
            builder.network,
            builder.queueDepth,
            builder.maxWriteBytes,
            builder.maxCopyBytesPerPoll,
            builder.reorderSeed);
    defaultNics = builder.defaultNics;
    loop = builder.loop;
  }

  /** Begins with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public String name() {
    return "loopback";
  }

  @Override
  public Availability availability() {
    return Availability.available();
  }

  @Override
  public List<Nic> nics() {
    return nics(defaultNics);
  }

  @Override
  public List<Nic> nics(int count) {
    if (count < 1 || count > Nic.MAX_PER_ENGINE) {
      throw new BackendException(0, "expected 1 to " + Nic.MAX_PER_ENGINE + " NICs, got " + count);
    }
    return IntStream.range(0, count).mapToObj(index -> Nic.named(name() + index)).toList();
  }

  @Override
  public DeviceWay wayTo(Nic nic, Device device, DeviceAccess access) {
    return DeviceWay.STAGED;
  }

  /** None, unless the builder was given one: then the engine's worker runs on that. */
  @Override
  public @Nullable WorkerLoop newLoop() {
    return loop == null ? null : loop.get();
  }

  @Override
  public CompletionStage<ControlChannel> openControl(ControlContext context) {
    try {
      return CompletableFuture.completedFuture(new LoopbackControl(settings.network(), context));
    } catch (BackendException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public CompletionStage<Domain> open(Nic nic, OpenContext context) {
    if (!nics(Nic.MAX_PER_ENGINE).contains(nic)) {
      return CompletableFuture.failedFuture(
          new BackendException(0, "expected a NIC of loopback, got " + nic.name()));
    }
    try {
      return CompletableFuture.completedFuture(new LoopbackDomain(settings, context));
    } catch (BackendException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Sets what differs from the defaults: the {@linkplain LoopbackNetwork#shared() shared} network,
   * one NIC, 256 writes in flight on each, writes of up to 1 GiB, 1 MiB copied per poll, served in
   * order, no loop.
   */
  public static final class Builder {
    private LoopbackNetwork network = LoopbackNetwork.shared();
    private int defaultNics = 1;
    private int queueDepth = 256;
    private long maxWriteBytes = 1L << 30;
    private long maxCopyBytesPerPoll = 1L << 20;
    private OptionalLong reorderSeed = OptionalLong.empty();
    private @Nullable Supplier<WorkerLoop> loop;

    private Builder() {}

    /** What joins the engines; those on different networks cannot reach each other. */
    public Builder network(LoopbackNetwork network) {
      this.network = network;
      return this;
    }

    /** NICs that an engine gets when it does not say how many, 1 to 8. */
    public Builder defaultNics(int count) {
      this.defaultNics = (int) within("defaultNics", count, 1, Nic.MAX_PER_ENGINE);
      return this;
    }

    /** Writes in flight on one NIC, and places in its inbox, 1 to 65,536. */
    public Builder queueDepth(int writes) {
      this.queueDepth = (int) within("queueDepth", writes, 1, 1 << 16);
      return this;
    }

    /** The longest write, at least 1 byte. A small one makes engines cut. */
    public Builder maxWriteBytes(long bytes) {
      this.maxWriteBytes = within("maxWriteBytes", bytes, 1, Long.MAX_VALUE);
      return this;
    }

    /** A poll returns after so many copied bytes, at least 1, and goes on in the next. */
    public Builder maxCopyBytesPerPoll(long bytes) {
      this.maxCopyBytesPerPoll = within("maxCopyBytesPerPoll", bytes, 1, Long.MAX_VALUE);
      return this;
    }

    /** Serves each inbox out of order, the same way whenever the seed is the same. */
    public Builder reorder(long seed) {
      this.reorderSeed = OptionalLong.of(seed);
      return this;
    }

    /** Where engines run their workers; asked once for each engine. */
    public Builder loop(Supplier<WorkerLoop> supplier) {
      this.loop = supplier;
      return this;
    }

    /** The backend. */
    public LoopbackBackend build() {
      return new LoopbackBackend(this);
    }

    private static long within(String name, long value, long min, long max) {
      if (value < min || value > max) {
        throw new IllegalArgumentException(
            "expected " + name + " of " + min + " to " + max + ", got " + value);
      }
      return value;
    }
  }
}
