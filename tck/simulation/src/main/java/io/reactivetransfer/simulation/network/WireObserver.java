package io.reactivetransfer.simulation.network;

import io.reactivetransfer.EngineId;
import java.lang.foreign.MemorySegment;

/** Is told what a {@link SimulatedNetwork} does, as it does it. All methods do nothing at first. */
public interface WireObserver {

  /** Bytes of registered memory are about to be read, as the source of a write. */
  default void reading(MemorySegment memory, long offset, long length) {}

  /** Bytes of registered memory are about to be changed, as the target of a write. */
  default void writing(MemorySegment memory, long offset, long length) {}

  /** What is on its way over a link between NICs of two engines may not arrive. */
  default void wayLost(EngineId one, EngineId other) {}

  /** The session of two engines breaks: messages may not arrive, and each may lose the other. */
  default void disturbed(EngineId one, EngineId other) {}

  /**
   * An engine has a sound NIC end the link to a sound one of a peer. What that ends is told after.
   */
  default void gaveUpWay(EngineId engine, EngineId peer, String reason) {}

  /** An engine ends the session with a peer. What that disturbs is told after this. */
  default void gaveUp(EngineId engine, EngineId peer, String reason) {}

  /** A write was failed. */
  default void failed(FailedWrite write) {}

  /** A write with an immediate was failed, and its origin cannot know whether it has arrived. */
  default void doubted(EngineId origin, EngineId target, int imm) {}

  /** An engine does what the SPI does not allow. */
  default void misused(EngineId engine, String what) {}

  /**
   * Something happened that belongs into a trace.
   *
   * @param what a constant
   * @param engine where
   * @param detail a number that tells it from others
   */
  default void happened(String what, EngineId engine, long detail) {}
}
