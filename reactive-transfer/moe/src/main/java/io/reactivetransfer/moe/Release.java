package io.reactivetransfer.moe;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** How a rank leaves a group, and gives back what was registered and leased. Only in turns. */
final class Release {

  private final Group group;
  private final End closed = new End();
  private final List<Consumer<@Nullable Throwable>> whenReleased = new ArrayList<>();
  private volatile boolean isClosing; // asked for from any thread
  private boolean isReleasing;
  private boolean isReleased;
  private @Nullable Throwable failure;

  Release(Group group, Consumer<Group> whenReleased) {
    this.group = group;
    this.whenReleased.add(e -> whenReleased.accept(group));
  }

  /** Whether this rank leaves. */
  boolean isClosing() {
    return isClosing;
  }

  /** Leaves, and gives everything back. */
  void close() {
    if (isClosing) {
      return;
    }
    MoeLane busy = group.busyLane();
    if (busy != null) {
      String why = "closes before all halves of a step of lane " + busy.index() + " have ended";
      group.fail(group.ranks.own(), why, null, true);
    }
    if (!group.hasBegun()) {
      group.fail(group.ranks.own(), "was closed while it joined", null, true);
    }
    isClosing = true;
    if (group.failure() == null) {
      group.mail.toAll(new MoeMessage.Leave(group.id, group.stepsOfLanes()));
      if (!group.departures.areAllGone()) {
        // What they wrote here last may not have been acknowledged yet, so they are waited for.
        group.departures.whenAllAreGone(this::left, group.options.closeTimeout());
        return;
      }
    }
    left();
  }

  private void left() {
    group.fail(group.ranks.own(), "was closed here", null, false);
    giveBack(e -> {
      if (e == null) {
        group.afterwards(closed::complete);
      } else {
        group.afterwards(() -> closed.fail(e));
      }
    });
  }

  /**
   * After a failure: gives back what was registered and leased, once, when nothing touches memory
   * any more and all others were told.
   *
   * @param then is told how that went, as everybody is who wants it
   */
  void giveBack(Consumer<@Nullable Throwable> then) {
    if (isReleased) {
      then.accept(failure);
      return;
    }
    whenReleased.add(then);
    if (!isReleasing) {
      isReleasing = true;
      group.whenQuiet(() -> group.mail.whenSent(this::release));
    }
  }

  private void release() {
    group.losses.stop();
    group.lease.close();
    Listener.ofEnd(
        group.region.close(),
        () -> group.turns.run(() -> released(null)),
        e -> group.turns.run(() -> released(e)));
  }

  private void released(@Nullable Throwable e) {
    isReleased = true;
    failure = e;
    group.recording.closed();
    whenReleased.forEach(then -> then.accept(e));
    whenReleased.clear();
  }

  /** From any thread: completes when all was given back. */
  Mono<Void> closed() {
    return closed;
  }
}
