package io.reactivetransfer.spi;

import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.Device;
import java.util.Objects;
import java.util.Set;

/**
 * What an opened NIC can do. Declared, never worked around: the conformance kit skips, visibly,
 * what is said to be impossible, and demands the rest. What is not declared is not promised, so a
 * driver says what it can do, and nothing else.
 */
public final class Capabilities {

  private final Builder set;

  private Capabilities(Builder set) {
    this.set = set;
  }

  /**
   * Begins with a NIC that promises nothing: writes are done when their source is free, come in any
   * order, from host memory, and a lost peer is not kept out.
   *
   * @param maxWriteBytes the longest write, at least 1; the engine cuts longer ones
   * @param queueDepth operations that may be in flight, at least 1; the engine never has more
   */
  public static Builder builder(long maxWriteBytes, int queueDepth) {
    return new Builder().maxWriteBytes(maxWriteBytes).queueDepth(queueDepth);
  }

  /** Begins with what these are: for what stands before a NIC and changes something. */
  public Builder toBuilder() {
    return set.copy();
  }

  /** What {@link CompletionSink#written} means. */
  public CompletionLevel completion() {
    return set.completion;
  }

  /** The longest write, at least 1; the engine cuts longer ones. */
  public long maxWriteBytes() {
    return set.maxWriteBytes;
  }

  /** Operations that may be in flight, at least 1; the engine never has more. */
  public int queueDepth() {
    return set.queueDepth;
  }

  /**
   * Whose memory can be registered: {@link Device#HOST}, and each accelerator that the NIC reaches
   * by itself, or a driver serves by copying. The engine asks for no other.
   */
  public Set<Device> devices() {
    return set.devices;
  }

  /**
   * Which kinds of operation it can do, as the one who begins and as the one whose memory is
   * concerned. The engine posts no others, and uses no NIC without {@link Operation.Kind#WRITE}.
   */
  public Set<Operation.Kind> operations() {
    return set.operations;
  }

  /**
   * The most rows of one operation, at least 1: see {@link Operation#rows()}. The engine gives a
   * NIC no more, and posts what has more as several operations; so a driver that does not know of
   * rows says nothing, and stays as it is. The NICs of one engine should say the same, for what is
   * cut for one of them can go over another.
   */
  public int maxRows() {
    return set.maxRows;
  }

  /**
   * The most rows of one operation that are {@linkplain Operation#isGathered() gathered} from
   * anywhere in the local memory, 1 to {@link #maxRows()}; 1 is a NIC that gathers none. The engine
   * posts what has more as several operations.
   */
  public int maxGather() {
    return Math.min(set.maxGather, set.maxRows);
  }

  /**
   * Whether nothing that a peer has posted lands any more once it was reported lost, or {@link
   * Domain#disconnect} has returned, though its process may go on some day.
   */
  public boolean fencesLostPeers() {
    return set.fencesLostPeers;
  }

  @Override
  public String toString() {
    return completion()
        + ", writes of up to "
        + maxWriteBytes()
        + " bytes in up to "
        + maxRows()
        + " rows, of which it gathers up to "
        + maxGather()
        + ", "
        + queueDepth()
        + " in flight, memory of "
        + devices()
        + ", "
        + operations();
  }

  /** Sets what a NIC promises. */
  public static final class Builder {
    private CompletionLevel completion = CompletionLevel.SOURCE_FREE;
    private long maxWriteBytes;
    private int queueDepth;
    private Set<Device> devices = Set.of(Device.HOST);
    private Set<Operation.Kind> operations = Set.of(Operation.Kind.WRITE);
    private int maxRows = 1;
    private int maxGather = 1;
    private boolean fencesLostPeers;

    private Builder() {}

    private Builder copy() {
      Builder copy = new Builder();
      copy.completion = completion;
      copy.maxWriteBytes = maxWriteBytes;
      copy.queueDepth = queueDepth;
      copy.devices = devices;
      copy.operations = operations;
      copy.maxRows = maxRows;
      copy.maxGather = maxGather;
      copy.fencesLostPeers = fencesLostPeers;
      return copy;
    }

    /** See {@link Capabilities#completion()}. */
    public Builder completion(CompletionLevel completion) {
      this.completion = Objects.requireNonNull(completion, "completion");
      return this;
    }

    /** See {@link Capabilities#maxWriteBytes()}. */
    public Builder maxWriteBytes(long maxWriteBytes) {
      this.maxWriteBytes = maxWriteBytes;
      return this;
    }

    /** See {@link Capabilities#queueDepth()}. */
    public Builder queueDepth(int queueDepth) {
      this.queueDepth = queueDepth;
      return this;
    }

    /** See {@link Capabilities#devices()}; at least one, copied. */
    public Builder devices(Set<Device> devices) {
      this.devices = Set.copyOf(devices);
      return this;
    }

    /** See {@link Capabilities#operations()}; copied. */
    public Builder operations(Set<Operation.Kind> operations) {
      this.operations = Set.copyOf(operations);
      return this;
    }

    /** See {@link Capabilities#maxRows()}; 1 if it is not said. */
    public Builder maxRows(int maxRows) {
      this.maxRows = maxRows;
      return this;
    }

    /** See {@link Capabilities#maxGather()}; 1 if it is not said. */
    public Builder maxGather(int maxGather) {
      this.maxGather = maxGather;
      return this;
    }

    /** See {@link Capabilities#fencesLostPeers()}. */
    public Builder fencesLostPeers(boolean fencesLostPeers) {
      this.fencesLostPeers = fencesLostPeers;
      return this;
    }

    /**
     * The capabilities.
     *
     * @throws IllegalArgumentException if a bound is not positive, or there is no device
     */
    public Capabilities build() {
      if (maxWriteBytes < 1 || queueDepth < 1 || maxRows < 1 || maxGather < 1) {
        throw new IllegalArgumentException(
            "expected bounds of 1 or more, got maxWriteBytes "
                + maxWriteBytes
                + ", queueDepth "
                + queueDepth
                + ", maxRows "
                + maxRows
                + ", maxGather "
                + maxGather);
      }
      if (devices.isEmpty()) {
        throw new IllegalArgumentException("expected at least one device, got none");
      }
      return new Capabilities(copy());
    }
  }
}
