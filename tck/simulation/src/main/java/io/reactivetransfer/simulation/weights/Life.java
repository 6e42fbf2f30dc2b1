package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.weights.version.RankState;
import io.reactivetransfer.weights.version.RankStatus;
import io.reactivetransfer.weights.version.UpdateMode;
import io.reactivetransfer.weights.version.UpdateNumber;
import io.reactivetransfer.weights.version.VersionLease;
import io.reactivetransfer.weights.version.WeightsRank;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One life of an inference rank, from when it is opened until it is closed or its process dies. */
final class Life {

  final Serving serving;
  final WeightsRank rank;
  private final Set<UpdateNumber> flipped = new HashSet<>();
  private RankState state = RankState.EMPTY;
  private UpdateNumber has = UpdateNumber.NONE;
  private boolean gives;
  private UpdateNumber update = UpdateNumber.NONE;
  private int buffer;
  private boolean isClosed;
  private int readings;

  Life(Serving serving, WeightsRank rank) {
    this.serving = serving;
    this.rank = rank;
  }

  /** Looks at what has changed. */
  void look() {
    RankStatus status = rank.status();
    if (!status.update().equals(has)) {
      has = status.update();
      if (!has.equals(UpdateNumber.NONE)) {
        flipped.add(has);
        serving.world.laboratory().flipped(this, has);
      }
    }
    boolean gave = gives;
    UpdateNumber gaveOf = update;
    VersionLease lease = rank.tryLease();
    gives = lease != null;
    if (lease != null) {
      update = lease.update();
      buffer = lease.buffer();
      if (!gave || !gaveOf.equals(update)) {
        serving.verify(lease, "serves");
        flipped.add(update);
      }
      lease.close();
    }
    boolean changed = gave != gives || !gaveOf.equals(update);
    if (state != status.state() || changed) {
      serving.world.referee().note(serving.node.index(), status.state().name(), status.version());
      state = status.state();
      serving.world.laboratory().looked(this);
    }
  }

  /** Nothing is served any more, nor will be. */
  void closed() {
    isClosed = true;
    gives = false;
  }

  boolean isOver() {
    return isClosed || serving.node.isGone();
  }

  RankState state() {
    return state;
  }

  boolean hasFlipped(UpdateNumber to) {
    return flipped.contains(to);
  }

  /** Whether leases are given of what that update has not written. */
  boolean givesOtherThan(UpdateNumber than) {
    return gives && !update.equals(than);
  }

  /** Which buffer an update is written to. */
  int bufferOf(@Nullable UpdateMode mode) {
    return mode == UpdateMode.IN_PLACE ? buffer : 1 - buffer;
  }

  /** Whether leases of a buffer are given now. */
  boolean gives(int of) {
    return gives && buffer == of;
  }

  /** Whether somebody reads the buffer of which no leases are given. */
  boolean isOtherBufferRead() {
    VersionLease lease = rank.tryLease();
    if (lease == null) {
      return false;
    }
    int other = 1 - lease.buffer();
    lease.close();
    return serving.leases(other) > 0;
  }

  void readingBegan() {
    readings++;
  }

  void readingEnded() {
    readings--;
    serving.settle();
  }

  boolean isRead() {
    return readings > 0;
  }

  @Override
  public String toString() {
    return serving.toString();
  }
}
