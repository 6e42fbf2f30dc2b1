package io.reactivetransfer.libfabric;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.spi.LocalMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory. Reading it and having it written are registered apart, so that revoking the
 * one leaves alone what runs of the other.
 *
 * @param scope ends when the application frees it, which it may do although it is registered; of an
 *     accelerator, when that has failed
 * @param device whose memory it is
 * @param address of its first byte
 * @param length in bytes
 * @param access what it was registered for
 * @param token what others name it by
 * @param source the registration for own writes, or 0 where the provider needs none
 * @param desc what own writes name it by
 * @param target the registration for others, or null if they may not write
 */
record FabricMemory(
    MemorySegment.Scope scope,
    Device device,
    long address,
    long length,
    Access access,
    Token token,
    long source,
    long desc,
    @Nullable Target target)
    implements LocalMemory {

  @Override
  public byte[] key() {
    return token.encode();
  }

  /** What a write fails with whose source was freed. */
  static final String SOURCE_FREED =
      "the source's memory was freed before the write was done; close its region first";

  /** What a write is denied with whose target was freed. */
  static final String TARGET_FREED =
      "the target's memory was freed although it is registered, or its accelerator has failed;"
          + " close its region first";

  /** Whether there still is something at its address. */
  boolean isAlive() {
    return scope.isAlive();
  }

  /** The registration that lets others write, and where they do. */
  static final class Target {
    /** 0 once it is closed: the provider may give its number to what is registered next. */
    long registration;

    final long key;

    /** What offsets are added to, from outside. */
    final long base;

    /** Opened when the first peer asks for it. */
    @Nullable Landing landing;

    Target(long registration, long key, long base) {
      this.registration = registration;
      this.key = key;
      this.base = base;
    }
  }
}
