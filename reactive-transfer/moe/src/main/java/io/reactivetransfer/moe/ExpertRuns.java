package io.reactivetransfer.moe;

/** Whoever is told where the tokens of an expert lie, some that follow each other at a time. */
@FunctionalInterface
public interface ExpertRuns {

  /**
   * So many tokens of one group of ranks lie one behind the other, and so do their results.
   *
   * @param group from which they come
   * @param count 1 or more
   * @param tokens where the first one begins, in bytes from the beginning of {@link
   *     ExpertBatch#memory()}; each next one is {@link ExpertBatch#tokenStride()} behind
   * @param results where the result of the first one goes, likewise; each next one is {@link
   *     ExpertBatch#resultStride()} behind
   */
  void run(int group, int count, long tokens, long results);
}
