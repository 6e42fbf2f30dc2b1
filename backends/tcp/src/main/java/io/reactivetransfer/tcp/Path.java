package io.reactivetransfer.tcp;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * From one NIC of this engine to one of another and back: the connection that either side has made,
 * which both write on. If both have made one, then both are read, and each side writes on that of
 * the engine with the smaller id, once all that it has written on the other one is settled: so the
 * order of its writes stays. The other one is there in case that ends.
 */
final class Path {

  /** How long the peer is left alone after a connection of this side has ended. */
  private static final long BACK_OFF_MILLIS = 50;

  /** Between which NICs: one path of a NIC for each. */
  record Key(EngineId engine, int nic) {}

  private final TcpDomain domain;
  private final Key key;
  private final boolean prefersDialled;

  /** Made by this side, or about to be. */
  private @Nullable DialledLink dialled;

  /** Made by the other side; open. */
  private @Nullable AcceptedLink accepted;

  /** The open one that is to be written on. */
  private @Nullable Link preferred;

  /** The open one that is written on. */
  private @Nullable Link current;

  /** Whether a connection of which this side would be told has ended while another one was open. */
  private boolean wasOurs;

  private int backOffs;
  private boolean refused;
  private boolean gone;

  Path(TcpDomain domain, Key key) {
    this.domain = domain;
    this.key = key;
    this.prefersDialled = domain.engine().compareTo(key.engine()) < 0;
  }

  Key key() {
    return key;
  }

  /** Whether it was forgotten, and another one may be in its place. */
  boolean isGone() {
    return gone;
  }

  /** What is written on, if one is open. */
  @Nullable Link current() {
    return current;
  }

  /** Has the open connection take the write over; if there is none, makes one. */
  PostResult post(TcpMemory source, TcpRemoteMemory target, Operation op) {
    if (current == null || !current.hasInFlight()) {
      current = preferred;
    }
    Link link = current;
    if (link != null && link.post(source, target, op)) {
      return PostResult.TAKEN;
    }
    if (link == null && key.engine().equals(domain.engine())) {
      domain.events().add(new Event.Failed(op.token(), toItself(), true));
      return PostResult.TAKEN;
    }
    refused = true;
    if (link == null && dialled == null && backOffs == 0) {
      DialledLink dial = new DialledLink(domain, this, target.peer().address());
      dials(dial);
      dial.connect();
    }
    return PostResult.PEER_BUSY;
  }

  /** NICs prove themselves in the session of two engines, which one alone does not have. */
  private static Failure toItself() {
    return ErrorCode.WRONG_ENGINE.because(
        "expected memory of another engine, got some of this engine itself; copy it in memory");
  }

  /** What was refused may be taken now. */
  void offerRoom() {
    if (refused) {
      refused = false;
      domain.doorbell().ring();
    }
  }

  /** This side makes a connection. */
  void dials(DialledLink link) {
    dialled = link;
  }

  /** The connection that this side has made is open. */
  void began() {
    choose();
  }

  /** The other side has made a connection; if that is a second one, it has given up the first. */
  void began(AcceptedLink link) {
    AcceptedLink replaced = accepted;
    accepted = link;
    choose();
    if (replaced != null) {
      replaced.end(
          ErrorCode.REPLACED.because(
              link.where() + " made a new connection; did the network hold the old one up?"));
    }
  }

  private void choose() {
    Link own = dialled != null && dialled.isOpen() ? dialled : null;
    preferred = accepted == null || (own != null && prefersDialled) ? own : accepted;
    if (current == null || !current.isOpen()) {
      current = preferred;
    }
    offerRoom();
  }

  /**
   * A connection has ended.
   *
   * @param backOff whether the peer is to be left alone for a while
   */
  void ended(Link link, boolean backOff) {
    dialled = link == dialled ? null : dialled;
    accepted = link == accepted ? null : accepted;
    if (backOff) {
      backOffs++;
      domain.loop().schedule(this::endBackOff, TimeUnit.MILLISECONDS.toNanos(BACK_OFF_MILLIS));
    }
    choose();
    forgetIfUnused();
  }

  private void endBackOff() {
    backOffs--;
    offerRoom();
    forgetIfUnused();
  }

  private void forgetIfUnused() {
    if (dialled == null && accepted == null && backOffs == 0) {
      gone = true;
      domain.forget(this);
    }
  }

  /**
   * Whether the way is lost with this connection: with writes of this side; or it is the last one,
   * and this side has made or written on it, or one that has ended before it.
   */
  boolean isLostWith(Link link, boolean isOurs) {
    wasOurs |= isOurs;
    boolean hasOther =
        (accepted != null && accepted != link)
            || (dialled != null && dialled != link && dialled.isOpen());
    boolean lost = link.hasInFlight() || (wasOurs && !hasOther);
    wasOurs &= !lost;
    return lost;
  }

  /** Ends its connections, and tells the other side why. */
  void endWith(Failure why, Failure farewell) {
    if (dialled != null) {
      dialled.endWith(why, farewell);
    }
    if (accepted != null) {
      accepted.endWith(why, farewell);
    }
  }

  /** Ends what this side has made, because it closes. */
  void close(Failure why) {
    if (dialled != null) {
      dialled.close(why);
    }
  }
}
