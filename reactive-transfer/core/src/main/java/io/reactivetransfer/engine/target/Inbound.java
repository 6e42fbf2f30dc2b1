package io.reactivetransfer.engine.target;

import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.engine.peers.PeerLink;
import io.reactivetransfer.engine.peers.PeerShare;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Predicate;

/** What one peer has told of what it gave up, and has yet to be told of that. */
public final class Inbound implements PeerShare {

  /** Immediates that the peer left in doubt, and that were discarded here: it is to be told. */
  private final Set<Integer> cleared = new LinkedHashSet<>();

  /** The number of the last abort of the peer that was taken note of. */
  private int heard;

  /** Whether the peer is to be told that. */
  private boolean due;

  /** Whether it is to be told that when it is heard again, because it may not have been. */
  private boolean inDoubt;

  /** What comes from this peer. */
  static Inbound from(PeerLink link) {
    return (Inbound) link.inbound();
  }

  /** An abort has come: whether it is news. */
  boolean isNews(int seq) {
    boolean news = seq - heard > 0;
    heard = news ? seq : heard;
    due = true;
    return news;
  }

  /** The peer is to be told that an immediate is in doubt no more. */
  void cleared(int imm) {
    cleared.add(imm);
  }

  /** Of how many immediates it is to be told that. */
  int toBeCleared() {
    return cleared.size();
  }

  @Override
  public boolean isDue() {
    return due || !cleared.isEmpty();
  }

  @Override
  public boolean tell(int theirEpoch, Predicate<ByteBuffer> post) {
    if (due) {
      due = !post.test(ControlFrame.aborted(heard));
      return !due;
    }
    Iterator<Integer> first = cleared.iterator();
    if (!post.test(ControlFrame.cleared(first.next(), heard))) {
      return false;
    }
    first.remove();
    return true;
  }

  @Override
  public void heard() {
    due |= inDoubt;
    inDoubt = false;
  }

  @Override
  public void interrupted() {
    inDoubt |= heard != 0;
  }

  @Override
  public void unreachable() {
    due = false;
    cleared.clear(); // the peer asks again when it needs to know
  }

  @Override
  public void begunAnew() {
    heard = 0;
  }

  @Override
  public void renewed() {
    heard = 0;
    due = false;
    inDoubt = false;
    cleared.clear();
  }
}
