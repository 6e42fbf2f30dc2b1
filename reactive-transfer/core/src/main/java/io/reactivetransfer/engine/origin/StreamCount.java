package io.reactivetransfer.engine.origin;

/**
 * What has become of the transfers of one stream so far. Belongs to the NIC thread, and is reused.
 */
final class StreamCount {

  private long beginNanos;
  private long transfers;
  private long bytes;
  private long notDone;

  /** Begins anew. */
  void begin(long nowNanos) {
    beginNanos = nowNanos;
    transfers = 0;
    bytes = 0;
    notDone = 0;
  }

  void done(int count, long length) {
    transfers += count;
    bytes += length;
  }

  void notDone(long count) {
    notDone += count;
  }

  long beginNanos() {
    return beginNanos;
  }

  long transfers() {
    return transfers;
  }

  long bytes() {
    return bytes;
  }

  long notDone() {
    return notDone;
  }
}
