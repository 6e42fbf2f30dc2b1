package io.reactivetransfer.ibverbs;

import io.reactivetransfer.spi.CompletionSink;

/**
 * What becomes of a NIC that can do nothing any more, though its device may still acknowledge what
 * peers write to it: first the connections by which they write are ended, and nobody is taken in;
 * what arrives until then is counted. Then it is told, behind which nothing is counted: whoever has
 * written to the NIC may rely on it.
 */
final class BrokenNic {

  /** Whoever waits for its failure does so for no longer than this. */
  static final long MOST_SHUTTING_NANOS = 500_000_000;

  private final OpenDevice device;
  private final CompletionReader reader;
  private final Connections connections;
  private final long mostShuttingNanos;
  private boolean hasBegun;
  private boolean isTold;
  private long sinceNanos;

  BrokenNic(
      OpenDevice device, CompletionReader reader, Connections connections, long mostShuttingNanos) {
    this.device = device;
    this.reader = reader;
    this.connections = connections;
    this.mostShuttingNanos = mostShuttingNanos;
  }

  /** Whether it was found out that the NIC can do nothing any more. */
  boolean hasBegun() {
    return hasBegun;
  }

  /** Whether that was found out and is not told yet. */
  boolean isBeingShut() {
    return hasBegun && !isTold;
  }

  /** Goes on with it; returns whether there was something to do, as 0 or 1. */
  int settle(CompletionSink sink, long now) {
    Failure why = reader.broken();
    if (why == null || isTold) {
      return 0;
    }
    if (!hasBegun) {
      hasBegun = true;
      sinceNanos = now;
      reader.holdFailures();
      connections.shut(why.text());
    }
    if (mayArrive() && now - sinceNanos < mostShuttingNanos) {
      return 0;
    }
    isTold = true;
    reader.readTheLast(sink, connections.outgoing());
    sink.nicFailed(why.code(), why.text());
    connections.portDown(why.text());
    return 1;
  }

  /** Whether something can still be acknowledged that can be counted. */
  private boolean mayArrive() {
    return !device.isGone() && reader.isReadable() && connections.haveIncoming();
  }
}
