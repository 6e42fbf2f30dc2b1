package io.reactivetransfer.ibverbs;

/**
 * How switches and cards are asked to treat packets.
 *
 * @param serviceLevel 0 to 15: over InfiniBand what it maps to virtual lanes, over Ethernet what
 *     the card may map to a priority
 * @param trafficClass 0 to 255: over RoCE v2 the IP header's byte of DSCP and ECN
 */
record Priority(int serviceLevel, int trafficClass) {

  static final Priority DEFAULT = new Priority(0, 0);

  /** Checks both. */
  Priority {
    if (serviceLevel < 0 || serviceLevel > 15) {
      throw new IllegalArgumentException(
          "expected a service level of 0 to 15, got " + serviceLevel);
    }
    if (trafficClass < 0 || trafficClass > 255) {
      throw new IllegalArgumentException(
          "expected a traffic class of 0 to 255, got " + trafficClass);
    }
  }
}
