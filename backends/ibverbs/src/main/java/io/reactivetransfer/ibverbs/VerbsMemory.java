package io.reactivetransfer.ibverbs;

import io.reactivetransfer.Access;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.LocalMemory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory. Reading it and having it written are registered apart, so that revoking the
 * one leaves alone what runs of the other.
 *
 * @param memory of the host, or of an accelerator
 * @param scope of memory that the application may free although it is registered, or of an
 *     accelerator that may fail
 * @param access what it was registered for
 * @param source the registration for own writes
 * @param lkey what own writes name it by
 * @param target the registration for others, or null if they may not write
 */
record VerbsMemory(
    Memory memory,
    MemorySegment.Scope scope,
    Access access,
    long source,
    int lkey,
    @Nullable Target target)
    implements LocalMemory {

  /** What a write fails with whose source was freed. */
  static final String SOURCE_FREED =
      "the source's memory was freed, or the file that it maps was cut off, before the write was"
          + " done, or its accelerator has failed; close its region first";

  /** The registration that lets others write. */
  static final class Target {
    private final long mr;
    private final Key key;
    private volatile boolean closed;

    Target(long mr, Key key) {
      this.mr = mr;
      this.key = key;
    }

    long mr() {
      return mr;
    }

    Key key() {
      return key;
    }

    boolean isClosed() {
      return closed;
    }

    void closed() {
      closed = true;
    }
  }

  /** Of its first byte. */
  long address() {
    return switch (memory) {
      case HostMemory host -> host.segment().address();
      case DeviceMemory device -> device.address();
    };
  }

  /** In bytes. */
  long length() {
    return memory.length();
  }

  /** What NICs of others name it by; without a target, nothing opens it. */
  @Override
  public byte[] key() {
    return (target == null ? new Key(0, 0) : target.key()).encode();
  }

  /** The same memory, open to others under another key. */
  VerbsMemory withTarget(@Nullable Target other) {
    return new VerbsMemory(memory, scope, access, source, lkey, other);
  }

  /** What the CPU reads; null if it cannot. */
  @Nullable MemorySegment segment() {
    return memory instanceof HostMemory host ? host.segment() : null;
  }

  /** Whether there still is something at its address. */
  boolean isAlive() {
    return scope.isAlive();
  }

  /** Memory is told apart by what it is, not by what it says. */
  @Override
  public String toString() {
    return "VerbsMemory[" + length() + " bytes, " + access + "]";
  }

  /**
   * What is told of memory.
   *
   * @param address where offsets begin, for NICs of others: not where the memory lies
   * @param rkey what the owner's NIC knows it by
   */
  record Key(long address, int rkey) {

    private static final int BYTES = Long.BYTES + Integer.BYTES;

    byte[] encode() {
      return ByteBuffer.allocate(BYTES).putLong(address).putInt(rkey).array();
    }

    static Key decode(byte[] bytes) {
      if (bytes.length != BYTES) {
        throw new BackendException(
            0, "not a key of verbs memory: expected " + BYTES + " bytes, got " + bytes.length);
      }
      ByteBuffer in = ByteBuffer.wrap(bytes);
      return new Key(in.getLong(), in.getInt());
    }

    /** Says nothing: who knows a key may write. */
    @Override
    public String toString() {
      return "Key[hidden]";
    }
  }
}
