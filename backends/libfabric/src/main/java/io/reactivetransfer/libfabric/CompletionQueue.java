package io.reactivetransfer.libfabric;

/** A completion queue. */
final class CompletionQueue {

  private final long fid;
  private final int descriptor;
  private boolean ending;

  /**
   * An opened queue.
   *
   * @param descriptor what becomes readable when something is in it, or -1
   */
  CompletionQueue(long fid, int descriptor) {
    this.fid = fid;
    this.descriptor = descriptor;
  }

  long fid() {
    return fid;
  }

  int descriptor() {
    return descriptor;
  }

  boolean hasDescriptor() {
    return descriptor >= 0;
  }

  /** Its only endpoint was closed: what is in it is still read, then it is closed. */
  void end() {
    ending = true;
  }

  boolean isEnding() {
    return ending;
  }
}
