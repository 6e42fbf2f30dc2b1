package io.reactivetransfer.tcp.faults;

/** Of the two that go through a {@link Cable}, as seen from who connects. */
public enum Direction {
  TO_TARGET,
  TO_ORIGIN
}
