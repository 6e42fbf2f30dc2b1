package io.reactivetransfer.moe;

import io.reactivetransfer.Imm;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferRejectedException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * How ranks find together: each tells all others where its memory is, again and again until it has
 * heard as much of them, and answers whoever asks. Only in turns.
 */
final class Joining {

  private static final Duration AGAIN = Duration.ofMillis(100);

  private final Group group;
  private final Half<MoeGroup> half;
  private final MoeNode node;
  private final long digest;
  private final String ranks;

  /** Which other epoch each rank that is missing has spoken of last, or null. */
  private final @Nullable Long[] otherEpoch;

  private final boolean[] isTelling;

  /** What waits for others to join; nothing does when all have, or the group has failed. */
  private final Disposable.Swap again = Disposables.swap();

  private final Disposable.Swap deadline = Disposables.swap();

  Joining(Group group, Half<MoeGroup> half, MoeNode node) {
    this.group = group;
    this.half = half;
    this.digest = group.ranks.digest(group.shape.digest());
    this.node = node;
    this.ranks = group.ranks.toString();
    this.otherEpoch = new Long[group.ranks.count()];
    this.isTelling = new boolean[group.ranks.count()];
  }

  void begin() {
    group.losses.watch();
    if (half.isOver() || group.failure() != null) {
      return; // the last one that was missing, or the end, was heard of before this
    }
    if (group.ranks.haveAllJoined()) {
      joined();
    } else {
      group.add(again);
      group.add(deadline);
      tellMissing();
      deadline.update(group.after(group.options.joinDeadline(), this::tooLate));
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
    again.update(group.after(AGAIN, this::tellMissing));
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
        if (otherEpoch[rank] != null) {
          missing.append(", which joins epoch ").append(otherEpoch[rank]);
        }
      }
    }
    String why =
        "has not joined within " + group.options.joinDeadline() + "; missing are: " + missing;
    group.fail(first, why, null, true);
  }

  private MoeMessage.Join own(boolean wantsAnswer) {
    return new MoeMessage.Join(
        group.id,
        group.ranks.own(),
        wantsAnswer,
        digest,
        group.shape.toString(),
        ranks,
        group.lease.imm(0).value(),
        group.region.descriptor());
  }

  /** A rank has said where its memory is. */
  void heard(int rank, MoeMessage.Join join) {
    if (group.failure() != null || group.departures.isGone(rank)) {
      return; // it is about a group to come, which will ask again
    }
    if (!group.ranks.hasJoined(rank)) {
      String problem = take(rank, join);
      if (problem != null) {
        group.fail(rank, problem, null, true);
        return;
      }
    } else if (group.ranks.firstImm(rank) != join.imm()) {
      group.fail(rank, "joins again, and what it was known for before is over", null, true);
      return;
    }
    if (join.wantsAnswer()) {
      group.mail.send(rank, own(false), () -> {});
    }
    if (group.ranks.haveAllJoined() && !half.isOver()) {
      joined();
    }
  }

  /** Somebody joins a group of this name and epoch that this rank knows as one without it. */
  void heardStranger(Peer sender, MoeMessage.Join join) {
    if (join.wantsAnswer()) {
      group.mail.refuse(
          sender, join, "is none of the ranks of group " + group.id + ", which are " + ranks);
    }
  }

  /** Somebody joins another epoch: who is behind is told, and who goes on has left this one. */
  void heardOfOtherEpoch(Peer sender, MoeMessage.Join join) {
    int rank = group.ranks.of(sender.id());
    long epoch = join.group().epoch();
    String why =
        "expected epoch "
            + group.id.epoch()
            + " of group "
            + group.id.shownName()
            + ", got "
            + epoch;
    if (rank >= 0) {
      otherEpoch[rank] = epoch;
    }
    if (epoch < group.id.epoch()) {
      if (join.wantsAnswer()) {
        group.mail.refuse(sender, join, why);
      }
    } else if (rank >= 0 && rank != group.ranks.own()) {
      group.departures.goesOn(rank, why);
    }
  }

  private @Nullable String take(int rank, MoeMessage.Join join) {
    if (join.rank() != rank) {
      return "takes itself for rank " + join.rank() + "; all must list the ranks in one order";
    }
    if (join.digest() != digest) {
      String here = group.shape.toString();
      if (!here.equals(join.shape())) {
        return "has another shape: " + join.shape() + "; here it is " + here;
      }
      return ranks.equals(join.ranks())
          ? "has another placement, other groups or other ranks than are agreed on here"
          : "lists other ranks: " + join.ranks() + "; here they are " + ranks;
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
    again.dispose();
    deadline.dispose();
    group.begin();
    MoeGroup joined = new MoeGroup(group, node);
    group.recording.opened(joined);
    half.complete(joined);
  }
}
