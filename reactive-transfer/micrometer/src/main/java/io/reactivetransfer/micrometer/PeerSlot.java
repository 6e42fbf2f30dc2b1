package io.reactivetransfer.micrometer;

import io.micrometer.core.instrument.Tags;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.TrafficStats;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The peers that have one name, as one: a process that was restarted at the same place is another
 * peer. What they did while they were here stays counted when they leave, so that no counter falls.
 * They are held weakly, or the engine could not forget them. From any thread.
 */
final class PeerSlot {

  /** Behind the figures: how many parts of transfers have waited, and for how many nanoseconds. */
  private static final int QUEUED = Figure.ALL.length;

  private static final int QUEUED_NANOS = QUEUED + 1;
  private static final int SIZE = QUEUED_NANOS + 1;

  /** What it had done when it came, and when it was last looked at. */
  private static final class Member {
    private final WeakReference<Peer> peer;
    private final long[] before = new long[SIZE];
    private final long[] last = new long[SIZE];

    Member(Peer peer) {
      this.peer = new WeakReference<>(peer);
    }

    @Nullable Peer look() {
      Peer present = peer.get();
      if (present != null) {
        read(present, last);
      }
      return present;
    }

    static void read(Peer peer, long[] into) {
      TrafficStats stats = peer.stats();
      for (int i = 0; i < QUEUED; i++) {
        into[i] = Figure.ALL[i].of.applyAsLong(stats);
      }
      into[QUEUED] = stats.transfersQueued();
      into[QUEUED_NANOS] = stats.timeQueued().toNanos();
    }
  }

  private final Meters meters;
  private final List<Member> members = new ArrayList<>();
  private final long[] ofThoseGone = new long[SIZE];

  PeerSlot(Meters meters) {
    this.meters = meters;
    for (int i = 0; i < QUEUED; i++) {
      Figure each = Figure.ALL[i];
      int at = i;
      meters.counter(
          "peer." + each.meter,
          Tags.empty(),
          each.unit,
          each.description,
          this,
          slot -> slot.total(at));
    }
    meters.timer(
        "peer.queue",
        "parts of transfers that have waited to be posted to it, and for how long",
        this,
        slot -> slot.total(QUEUED),
        slot -> slot.total(QUEUED_NANOS));
    gauge(
        "peer.transfers.waiting",
        "parts of transfers that wait to be posted to it",
        peer -> peer.stats().transfersWaiting());
    gauge(
        "peer.messages.waiting",
        "messages that wait for the peer to take those before them, or to greet",
        peer -> peer.stats().messagesWaiting());
    gauge(
        "peer.writes.active",
        "pieces that were posted to it and not reported",
        peer -> peer.stats().writesInFlight());
    gauge(
        "peer.up",
        "1 if it was heard lately, or 0; of several with one name, how many were",
        peer -> isAlive(peer) ? 1 : 0);
  }

  static boolean isAlive(Peer peer) {
    return peer.present() instanceof PeerState.Alive;
  }

  private void gauge(String name, String description, ToLongFunction<Peer> figure) {
    meters.gauge(name, Tags.empty(), description, this, slot -> slot.sum(figure));
  }

  /**
   * It belongs here.
   *
   * @param moved whether it comes from another one, where what it did so far is counted
   */
  synchronized void add(Peer peer, boolean moved) {
    Member member = new Member(peer);
    if (moved) {
      Member.read(peer, member.before);
    }
    members.add(member);
  }

  /** Takes out all but these, and says who is left. */
  synchronized List<Peer> keep(Predicate<Peer> these) {
    List<Peer> left = new ArrayList<>();
    members.removeIf(member -> {
      Peer peer = member.look();
      if (peer != null && these.test(peer)) {
        left.add(peer);
        return false;
      }
      for (int i = 0; i < SIZE; i++) {
        ofThoseGone[i] += Math.max(0, member.last[i] - member.before[i]);
      }
      return true;
    });
    return left;
  }

  private synchronized long total(int at) {
    long total = ofThoseGone[at];
    for (Member member : members) {
      member.look();
      total += Math.max(0, member.last[at] - member.before[at]);
    }
    return total;
  }

  private synchronized long sum(ToLongFunction<Peer> figure) {
    long sum = 0;
    for (Member member : members) {
      Peer peer = member.peer.get();
      sum += peer == null ? 0 : figure.applyAsLong(peer);
    }
    return sum;
  }

  /** Whether nobody here is alive, and nothing is to be done. */
  boolean isGone() {
    return sum(peer -> {
      TrafficStats stats = peer.stats();
      return (isAlive(peer) ? 1 : 0)
          + stats.transfersWaiting()
          + stats.messagesWaiting()
          + stats.writesInFlight();
    })
        == 0;
  }

  void remove() {
    meters.remove();
  }
}
