package io.reactivetransfer.engine.origin;

/**
 * What has become of the transfers of one stream so far. Belongs to the NIC thread, and is reused.
 */
final class StreamCount {

  private long beginNanos;
  private long postedNanos;
  private boolean posted;
  private long transfers;
  private long bytes;
  private long notDone;

  /** Begins anew. */
  void begin(long nowNanos) {
    beginNanos = nowNanos;
    posted = false;
    transfers = 0;
    bytes = 0;
    notDone = 0;
  }

  /** Something of it is posted; the first time counts. */
  void posted(long nowNanos) {
    if (!posted) {
      posted = true;
      postedNanos = nowNanos;
    }
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

  boolean isPosted() {
    return posted;
  }

  /** When the first of it was posted, or, if nothing was, this time. */
  long postedNanos(long nowNanos) {
    return posted ? postedNanos : nowNanos;
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
