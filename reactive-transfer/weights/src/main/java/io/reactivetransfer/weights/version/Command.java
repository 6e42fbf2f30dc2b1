package io.reactivetransfer.weights.version;

import io.reactivetransfer.TraceContext;
import java.util.List;

/**
 * What a controller says to a rank. Every one may come twice, late, or not at all: they say what is
 * to be, and the rank answers with how it is.
 */
sealed interface Command {

  /** In whose time it was said. */
  Term term();

  /** The incarnation of the rank that is meant; 0 for whoever it is. */
  long incarnation();

  /**
   * Asks how it is. Whoever answers obeys no older controller any more.
   *
   * @param question is repeated in the answer
   */
  record Query(Term term, long question) implements Command {
    @Override
    public long incarnation() {
      return 0;
    }
  }

  /** What concerns one update. */
  sealed interface OfUpdate extends Command {
    UpdateNumber update();
  }

  /**
   * Begins an update: the buffer is to be made free.
   *
   * @param arrivals how many writes fill it
   * @param hasSums whether all who write say checksums, for which the rank may wait
   * @param members all ranks of this update, so that another controller knows whom to ask
   * @param traceContext what the tracer of the controller sends along
   */
  record Prepare(
      Term term,
      long incarnation,
      UpdateNumber update,
      long version,
      UpdateMode mode,
      long arrivals,
      boolean hasSums,
      List<MemberId> members,
      TraceContext traceContext)
      implements OfUpdate {

    public Prepare {
      members = List.copyOf(members);
    }
  }

  /** All ranks are prepared: the buffer is to be opened to writes. */
  record Open(Term term, long incarnation, UpdateNumber update) implements OfUpdate {}

  /** All ranks have all bytes: give no leases any more, and vote. */
  record Hold(Term term, long incarnation, UpdateNumber update) implements OfUpdate {}

  /** All ranks have voted: serve it. */
  record Commit(Term term, long incarnation, UpdateNumber update) implements OfUpdate {}

  /**
   * Drop it.
   *
   * @param discard nobody knows whether others serve it: the rank is to serve nothing until another
   *     update
   * @param reason for people
   */
  record Abort(Term term, long incarnation, UpdateNumber update, boolean discard, String reason)
      implements OfUpdate {}
}
