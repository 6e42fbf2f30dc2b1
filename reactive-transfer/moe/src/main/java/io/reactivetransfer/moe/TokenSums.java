package io.reactivetransfer.moe;

import java.lang.foreign.MemorySegment;

/**
 * The weighted sum of the results of one token, in the order in which its experts were named: each
 * product and each sum is rounded to 32 bits, so the bits of the sum do not depend on who was
 * first, nor on how it is computed.
 */
abstract class TokenSums {

  final FloatType from;
  final FloatType to;
  final int topK;

  /** Where each result begins, in bytes. */
  final long[] at;

  final float[] weights;

  TokenSums(FloatType from, FloatType to, int topK) {
    this.from = from;
    this.to = to;
    this.topK = topK;
    at = new long[topK];
    weights = new float[topK];
  }

  /** Says where one of the results of the next sum lies, and its weight. */
  final void result(int number, long at, float weight) {
    this.at[number] = at;
    weights[number] = weight;
  }

  /**
   * Sums up so many numbers of each result.
   *
   * @param results in which all of them lie: what is known of one memory is not asked for each
   *     number
   * @param sums where the sums go, from this offset in bytes on
   */
  abstract void sum(MemorySegment results, int numbers, MemorySegment sums, long offset);
}
