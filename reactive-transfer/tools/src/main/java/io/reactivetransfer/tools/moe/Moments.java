package io.reactivetransfer.tools.moe;

/** Is told when things were done in a step, in nanoseconds of {@link System#nanoTime()}. */
public interface Moments {

  /** Nobody wants to know. */
  Moments NONE = (exchange, begun, enqueued, turn, first, last) -> {};

  /**
   * The writes of an exchange were posted.
   *
   * @param begun before the caller's {@code subscribe}
   * @param enqueued after it
   * @param turn when the NIC's thread began the turn in which it posted the first of them
   * @param first when the NIC had taken the first
   * @param last when it had taken the last
   */
  void posted(
      OneRank.Exchange exchange, long begun, long enqueued, long turn, long first, long last);
}
