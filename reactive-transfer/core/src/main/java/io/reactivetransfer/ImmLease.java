package io.reactivetransfer;

/**
 * Immediates that nobody else on this engine uses until the lease is closed: for libraries that
 * share an engine with others. Tell their values to those who write here. Made by {@link
 * TransferEngine#lease()}; safe from any thread.
 */
public interface ImmLease {

  /** How many, at least 1; their values follow each other. */
  int size();

  /**
   * One of them.
   *
   * @param index 0 to {@code size() - 1}
   * @throws IndexOutOfBoundsException if it is another number
   */
  Imm imm(int index);

  /** The only one, or the first. */
  default Imm imm() {
    return imm(0);
  }

  /** Counts what comes under one of them. */
  ImmCounter counter(int index);

  /** Counts what comes under the only one, or the first. */
  default ImmCounter counter() {
    return counter(0);
  }

  /**
   * Gives them back. Claims that wait under them fail with a {@link TransferRejectedException}, as
   * does all that is asked of its counters from then on; arrivals, aborts and doubts that nobody
   * has claimed are dropped, and so is what still comes late. Each is leased again only after all
   * others, so that meets nobody. Closing again does nothing; does not block.
   */
  void close();
}
