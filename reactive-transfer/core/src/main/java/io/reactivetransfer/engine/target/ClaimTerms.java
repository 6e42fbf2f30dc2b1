package io.reactivetransfer.engine.target;

import io.reactivetransfer.Memory;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.peers.PeerLink;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What all claims of one counter have in common.
 *
 * @param claims what they are given
 * @param imm what they count
 * @param bound the peers whose loss ends them
 * @param patienceNanos how long each may wait, in nanoseconds; 0 for ever
 * @param ended whether the lease of the immediate is closed; asked on the NIC thread
 * @param word what is raised by each that is met, and may be told of those that fail, or null; the
 *     last one of several
 */
record ClaimTerms(
    Claims claims,
    int imm,
    List<PeerLink> bound,
    long patienceNanos,
    BooleanSupplier ended,
    @Nullable RaisedWord word) {

  ClaimTerms boundTo(List<PeerLink> peers) {
    return new ClaimTerms(claims, imm, peers, patienceNanos, ended, word);
  }

  ClaimTerms within(long nanos) {
    return new ClaimTerms(claims, imm, bound, nanos, ended, word);
  }

  ClaimTerms raising(Memory next, @Nullable Long failed) {
    RaisedWord raised = RaisedWord.of(next, failed, claims.devices(), word);
    return new ClaimTerms(claims, imm, bound, patienceNanos, ended, raised);
  }

  /** A claim is met: raises the words, if there are any. Says what prevents it, or null. */
  @Nullable TransferRejectedException raise() {
    return word == null ? null : word.raise();
  }

  /** A claim fails: says so in the words that are for that, if there are any. */
  void fail() {
    if (word != null) {
      word.fail();
    }
  }

  /** What a claim has got, and nobody was told of: for the next one. On the NIC thread. */
  void giveBack(long writes) {
    if (!ended.getAsBoolean()) { // or the immediate may be somebody else's by now
      claims.imms().giveBack(imm, writes);
    }
  }

  /** Why nobody may count under the immediate any more, or null. On the NIC thread. */
  @Nullable TransferRejectedException refusal() {
    return ended.getAsBoolean()
        ? new TransferRejectedException(
            "expected a counter of an open lease, got one of immediate "
                + imm
                + ", whose lease was closed; lease another one")
        : null;
  }
}
