package io.reactivetransfer.simulation.weights;

import java.lang.foreign.MemorySegment;

/** One region of a role. */
final class Strip {

  final Role role;

  /** Which buffer of an inference rank; 0 of a trainer. */
  final int buffer;

  /** Which region of it. */
  final int region;

  final MemorySegment memory;

  Strip(Role role, int buffer, int region, long bytes) {
    this.role = role;
    this.buffer = buffer;
    this.region = region;
    this.memory = role.world.ground().take(this, Math.toIntExact(bytes));
  }

  @Override
  public String toString() {
    return "region " + region + " of buffer " + buffer + " of " + role;
  }
}
