package io.reactivetransfer.tcp;

import java.util.ArrayList;
import java.util.List;

/**
 * What is sent when the worker's present turn is over: what it has written, together; and after
 * that what it has settled. Someone waits for what was written, while an acknowledgement only makes
 * room.
 */
final class TurnEnd {

  private final TcpLoop loop;
  private final Runnable send = this::send;
  private final List<OutboundLink> toFlush = new ArrayList<>();
  private final List<InboundLink> toAcknowledge = new ArrayList<>();
  private boolean queued;
  private boolean putOff;

  TurnEnd(TcpLoop loop) {
    this.loop = loop;
  }

  /** Flushes the link then, once. */
  void flush(OutboundLink link) {
    toFlush.add(link);
    queue();
  }

  /** Has the link acknowledge then what it has settled. */
  void acknowledge(InboundLink link) {
    toAcknowledge.add(link);
    queue();
  }

  private void queue() {
    if (!queued) {
      queued = true;
      loop.execute(send);
    }
  }

  private void send() {
    if (toFlush.isEmpty() && !putOff) {
      // What has arrived may be answered in the turn that is queued behind this.
      putOff = true;
      loop.execute(send);
      return;
    }
    queued = false;
    putOff = false;
    for (int i = 0; i < toFlush.size(); i++) {
      toFlush.get(i).flush();
    }
    toFlush.clear();
    for (int i = 0; i < toAcknowledge.size(); i++) {
      toAcknowledge.get(i).acknowledge();
    }
    toAcknowledge.clear();
  }
}
