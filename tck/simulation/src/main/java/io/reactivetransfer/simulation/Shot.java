package io.reactivetransfer.simulation;

/**
 * One range that a transfer writes.
 *
 * @param plot where
 * @param revision which of its descriptors it was written under
 * @param stamp of the reservation of its range
 * @param offset first byte
 * @param bytes what must be there when it is done
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Shot(Plot plot, int revision, int stamp, int offset, byte[] bytes) {

  /** Whether its owner may have told that this is no target any more. */
  boolean isRevoked() {
    return plot.changing || plot.node.isClosing() || revision != plot.revision();
  }

  /** Whether the model of the plot still speaks of it. */
  boolean isCurrent() {
    return revision == plot.revision()
        && !plot.isFreed()
        && !plot.node.isKilled()
        && plot.isStamped(offset, bytes.length, stamp);
  }
}
