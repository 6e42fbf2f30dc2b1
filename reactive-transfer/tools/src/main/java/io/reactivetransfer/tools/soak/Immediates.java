package io.reactivetransfer.tools.soak;

import io.reactivetransfer.Imm;
import io.reactivetransfer.TransferEngine;
import java.util.ArrayDeque;

/**
 * Which immediate the next round of a stream takes. After a failure some writes may have been
 * counted and others not, and an immediate counts without saying which: so every round takes a
 * fresh one. What is left of one that failed is discarded some rounds later, when nothing can be on
 * its way any more.
 */
final class Immediates {

  /** So many of the 29 bits tell rounds of one stream apart. */
  private static final int ROUND_BITS = 22;

  private static final int ROUNDS_UNTIL_DISCARDED = 16;

  private final TransferEngine engine;
  private final Await await;
  private final Where where;
  private final ArrayDeque<Imm> failed = new ArrayDeque<>();

  Immediates(TransferEngine engine, Await await, Where where) {
    this.engine = engine;
    this.await = await;
    this.where = where;
  }

  /** For a round. */
  Imm of(Round round) {
    int low = round.number() & (1 << ROUND_BITS) - 1;
    return Imm.of(where.stream() << ROUND_BITS | low);
  }

  /** The barriers' own, for even and odd rounds. */
  static Imm ofBarriers(int parity) {
    return Imm.of(Imm.MAX_VALUE - parity);
  }

  /** The round came to nothing, or not as a whole. */
  void failed(Imm imm) throws InterruptedException {
    failed.add(imm);
    if (failed.size() > ROUNDS_UNTIL_DISCARDED) {
      await.value(engine.counter(failed.remove()).discard(), "discard", where);
    }
  }
}
