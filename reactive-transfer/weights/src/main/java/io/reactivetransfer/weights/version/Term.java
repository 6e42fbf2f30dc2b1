package io.reactivetransfer.weights.version;

/**
 * The time in which one controller decides. Ranks obey the greatest that they have heard of and
 * refuse all others, so of two controllers one finds out that it is replaced.
 *
 * @param round rises with each controller that takes over
 * @param controller drawn at random by each, so that two that take over at once differ
 */
record Term(long round, long controller) implements Comparable<Term> {

  /** Before all others. */
  static final Term NONE = new Term(0, 0);

  @Override
  public int compareTo(Term other) {
    int byRound = Long.compare(round, other.round);
    return byRound != 0 ? byRound : Long.compareUnsigned(controller, other.controller);
  }

  @Override
  public String toString() {
    return round + "." + Long.toHexString(controller);
  }
}
