package io.reactivetransfer.ibverbs.ffi;

/**
 * How much the queues of a card have room for, at most.
 *
 * @param sends work requests that a send queue can have
 * @param receives work requests that a shared receive queue can have
 * @param completions entries that a completion queue can have
 */
public record FakeLimits(int sends, int receives, int completions) {

  /** More than any driver asks for. */
  public static final FakeLimits LARGE = new FakeLimits(16_384, 16_384, 1 << 20);

  /**
   * Of a card that has little memory: a send queue of this many is shorter than the NIC's depth.
   */
  public static FakeLimits small(int sends) {
    return new FakeLimits(sends, 10, 100);
  }
}
