package io.reactivetransfer.tools.perf;

/**
 * How either side's memory is divided for one size: into slots, each with room for one operation.
 *
 * @param size bytes of one part
 * @param parts parts of one operation
 * @param outstanding operations in flight
 * @param memory bytes that operations go over, 0 for what those in flight need
 */
record Layout(long size, int parts, int outstanding, long memory) {

  /** Above this, operations in flight share slots, whose content is the same. */
  static final long MAX_BYTES = 64L << 20;

  /** What operations can be asked to go over. */
  static final long MAX_MEMORY = 4L << 30;

  /** Slots for each of which an operation is prepared. */
  static final int MAX_SLOTS = 1 << 16;

  static Layout of(Plan plan, long size) {
    return new Layout(size, plan.parts(), plan.outstanding(), plan.memory());
  }

  /** What the size needs that needs most: a smaller one may fill more of the memory. */
  static long mostBytes(Plan plan) {
    return plan.sizes().stream().mapToLong(size -> of(plan, size).bytes()).max().orElseThrow();
  }

  long operationBytes() {
    return size * parts;
  }

  int slots() {
    return memory == 0
        ? Math.clamp(MAX_BYTES / operationBytes(), 1, outstanding)
        : Math.clamp(memory / operationBytes(), 1, MAX_SLOTS);
  }

  /** Operations to prepare: as many as are in flight, and one for each slot. */
  int prepared() {
    return Math.max(outstanding, slots());
  }

  long bytes() {
    return operationBytes() * slots();
  }

  /** Where the slot of an operation begins. */
  long offset(long operation) {
    return operation % slots() * operationBytes();
  }

  /** Bytes that so many operations have covered: they take the slots in turn. */
  long covered(long operations) {
    return Math.min(operations, slots()) * operationBytes();
  }
}
