package io.reactivetransfer.tcp;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is sent when the worker's present turn is over: what it has written on a connection and what
 * it has settled of it, together.
 */
final class TurnEnd {

  /** With more, who has little to say waits too long for who has much. */
  private static final int MOST_READS = 8;

  private final TcpLoop loop;
  private final Runnable send = this::send;
  private List<Link> due = new ArrayList<>();
  private List<Link> sending = new ArrayList<>();
  private boolean someoneWaits;
  private boolean queued;
  private boolean putOff;
  private int busy;

  TurnEnd(TcpLoop loop) {
    this.loop = loop;
  }

  /**
   * Has the link send all then.
   *
   * @param link null if it was said before
   * @param waits whether someone waits for it, while an acknowledgement only makes room
   */
  void send(@Nullable Link link, boolean waits) {
    if (link != null) {
      due.add(link);
    }
    someoneWaits |= waits;
    if (!queued) {
      queued = true;
      loop.execute(send);
    }
  }

  /**
   * How often one connection may be read in a turn: as often as there are connections that had
   * something to say in the one before, for with one alone each read is to be acknowledged at once.
   */
  int mostReads() {
    return Math.clamp(busy, 1, MOST_READS);
  }

  private void send() {
    if (!someoneWaits && !putOff) {
      // What has arrived may be answered in the turn that is queued behind this.
      putOff = true;
      loop.execute(send);
      return;
    }
    queued = false;
    putOff = false;
    someoneWaits = false;
    List<Link> now = due;
    busy = now.size();
    due = sending; // what is due again by then is for the next time
    sending = now;
    for (int i = 0; i < now.size(); i++) {
      now.get(i).sendAll();
    }
    now.clear();
  }
}
