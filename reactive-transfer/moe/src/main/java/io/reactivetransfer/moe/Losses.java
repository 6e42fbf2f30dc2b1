package io.reactivetransfer.moe;

import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/** Watches whether the other ranks can be reached, from when this one begins to join. */
final class Losses {

  private final Group group;
  private final Disposable.Composite watches = Disposables.composite();

  // In turns
  private final boolean[] isKnown;

  /** What others were lost with, as far as is known now, or null. */
  private final List<@Nullable PeerUnreachableException> losses = new ArrayList<>();

  Losses(Group group) {
    this.group = group;
    isKnown = new boolean[group.ranks.count()];
    for (int rank = 0; rank < isKnown.length; rank++) {
      losses.add(null);
    }
  }

  /** From now on the loss of a rank ends the group. */
  void watch() {
    for (int rank = 0; rank < isKnown.length; rank++) {
      if (rank != group.ranks.own()) {
        int of = rank;
        watches.add(
            Listener.of(
                group.ranks.peer(rank).state(),
                state -> group.turns.run(() -> heardOf(of, state)),
                () -> group.turns.run(group::engineClosed),
                e -> group.turns.run(group::engineClosed)));
      }
    }
  }

  void stop() {
    watches.dispose();
  }

  private void heardOf(int rank, PeerState state) {
    boolean isFirst = !isKnown[rank];
    isKnown[rank] = true;
    PeerUnreachableException loss = state.lossCause();
    losses.set(rank, loss);
    if (loss != null && isFirst) {
      // It was lost before this group, and may be back: it is being asked.
      watches.add(group.after(group.engine.options().livenessDeadline(), () -> tellLoss(rank)));
    } else {
      tellLoss(rank);
    }
  }

  private void tellLoss(int rank) {
    PeerUnreachableException loss = losses.get(rank);
    if (loss != null) {
      group.departures.lost(rank, loss);
    }
  }
}
