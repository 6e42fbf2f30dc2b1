package io.reactivetransfer.moe;

import io.reactivetransfer.Imm;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferRejectedException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How ranks find together: each tells all others where its memory is, again and again until it has
 * heard as much of them, and answers whoever asks. Only in turns.
 */
final class Joining {

  private static final Duration AGAIN = Duration.ofMillis(100);

  private final Group group;
  private final Half<MoeGroup> half;
  private final long digest;
  private final boolean[] isTelling;

  Joining(Group group, Half<MoeGroup> half) {
    this.group = group;
    this.half = half;
    this.digest = group.ranks.digest(group.shape.digest());
    this.isTelling = new boolean[group.ranks.count()];
  }

  void begin() {
    if (group.ranks.haveAllJoined()) {
      joined();
    } else {
      tellMissing();
      group.after(group.options.joinDeadline(), this::tooLate);
    }
  }

  private void tellMissing() {
    if (group.failure() != null || group.ranks.haveAllJoined()) {
      return;
    }
    for (int rank = 0; rank < isTelling.length; rank++) {
      if (!group.ranks.hasJoined(rank) && !isTelling[rank]) {
        int to = rank;
        isTelling[rank] = true;
        group.mail.send(rank, own(true), () -> isTelling[to] = false);
      }
    }
    group.after(AGAIN, this::tellMissing);
  }

  private void tooLate() {
    if (group.ranks.haveAllJoined()) {
      return;
    }
    StringBuilder missing = new StringBuilder();
    int first = -1;
    for (int rank = 0; rank < isTelling.length; rank++) {
      if (!group.ranks.hasJoined(rank)) {
        first = first < 0 ? rank : first;
        missing.append(missing.isEmpty() ? "" : ", ").append(group.ranks.name(rank));
      }
    }
    String why =
        "has not joined within " + group.options.joinDeadline() + "; missing are: " + missing;
    group.fail(first, why, null, true);
  }

  private MoeMessage.Join own(boolean wantsAnswer) {
    return new MoeMessage.Join(
        group.name,
        group.ranks.own(),
        wantsAnswer,
        digest,
        group.shape.toString(),
        group.lease.imm(0).value(),
        group.region.descriptor());
  }

  /** A rank has said where its memory is. */
  void heard(int rank, MoeMessage.Join join) {
    if (group.failure() != null || group.isGone(rank)) {
      return; // it is about a group to come, which will ask again
    }
    if (!group.ranks.hasJoined(rank)) {
      String problem = take(rank, join);
      if (problem != null) {
        group.fail(rank, problem, null, true);
        return;
      }
    }
    if (join.wantsAnswer()) {
      group.mail.send(rank, own(false), () -> {});
    }
    if (group.ranks.haveAllJoined() && !half.isOver()) {
      joined();
    }
  }

  private @Nullable String take(int rank, MoeMessage.Join join) {
    if (join.rank() != rank) {
      return "takes itself for rank " + join.rank() + "; all must list the ranks in one order";
    }
    if (join.digest() != digest) {
      String here = group.shape.toString();
      return here.equals(join.shape())
          ? "has another placement, other groups or other ranks than are agreed on here"
          : "has another shape: " + join.shape() + "; here it is " + here;
    }
    long lastImm = join.imm() + (long) group.shape.lanes() * Ranks.IMMS_PER_LANE - 1;
    if (lastImm > Imm.MAX_VALUE) {
      return "names immediates up to " + lastImm + ", beyond the greatest";
    }
    try {
      RemoteRegion region = group.engine.remote(join.descriptor());
      if (group.ranks.of(region.peer().id()) != rank) {
        return "names memory of " + region.peer().address();
      }
      long bytes = group.shape.memory(rank).bytes();
      if (region.length() != bytes) {
        return "names memory of " + region.length() + " bytes, expected " + bytes;
      }
      group.ranks.joined(rank, region, join.imm());
      return null;
    } catch (TransferRejectedException e) {
      return "names memory that cannot be written to: " + e.getMessage();
    }
  }

  private void joined() {
    group.begin();
    half.complete(new MoeGroup(group));
  }
}
