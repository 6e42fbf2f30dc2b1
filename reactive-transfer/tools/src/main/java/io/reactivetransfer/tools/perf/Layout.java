package io.reactivetransfer.tools.perf;

/**
 * How either side's memory is divided for one size: into slots, each with room for one operation.
 *
 * @param size bytes of one part
 * @param parts parts of one operation
 * @param outstanding operations in flight
 */
record Layout(long size, int parts, int outstanding) {

  /** Above this, operations in flight share slots, whose content is the same. */
  static final long MAX_BYTES = 64L << 20;

  static Layout of(Plan plan, long size) {
    return new Layout(size, plan.parts(), plan.outstanding());
  }

  long operationBytes() {
    return size * parts;
  }

  int slots() {
    return Math.clamp(MAX_BYTES / operationBytes(), 1, outstanding);
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
