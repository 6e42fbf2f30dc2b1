package io.reactivetransfer.engine.target;

import io.reactivetransfer.Imm;
import io.reactivetransfer.engine.peers.AbortFrame;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.engine.peers.FrameHandler;
import io.reactivetransfer.engine.peers.PeerLink;
import io.reactivetransfer.spi.PeerText;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Takes what origins say of what they gave up. Each abort has a number, so that one which is said
 * again after a loss is taken note of once. Belongs to the NIC thread.
 */
public final class HeardAborts implements FrameHandler {

  /** More than a peer can have counted here in any time. */
  private static final long MAX_SHARES = 1L << 56;

  /** Where an abort says to whom, behind its kind. */
  private static final int EPOCH_AT = 2 * Integer.BYTES + Long.BYTES + 1;

  private final ImmTable imms;

  public HeardAborts(ImmTable imms) {
    this.imms = imms;
  }

  /** An origin tells what it gave up; false if it says otherwise. */
  @Override
  public boolean received(PeerLink peer, ByteBuffer bytes) {
    int at = bytes.position() + EPOCH_AT;
    int epoch = bytes.remaining() < ControlFrame.ABORT_BYTES ? 0 : bytes.getInt(at);
    AbortFrame abort = read(bytes);
    if (abort == null) {
      return false;
    }
    if (epoch != 0 && epoch != peer.mail.epoch()) {
      return true; // said to who we were to it: it says so again, or what is in doubt
    }
    Inbound inbound = Inbound.from(peer);
    boolean asks = isQuestion(abort);
    boolean clear = asks ? !imms.isInDoubt(abort.imm()) : !imms.isInDoubt(abort.imm(), peer.id());
    if (inbound.isNews(abort.seq()) && !(asks && clear)) {
      imms.aborted(peer.id(), abort);
      if (AbortFrame.takesBack(abort.shares(), abort.flags())) {
        peer.traffic().abortReceived();
      }
    } else if (abort.has(ControlFrame.DOUBT)
        && inbound.toBeCleared() < AbortFrame.MAX_DOUBTFUL // of more the origin will ask again
        && clear) {
      inbound.cleared(abort.imm()); // the word was lost
    }
    peer.mail.list();
    return true;
  }

  /**
   * Whether it only asks if a doubt that it has told before was cleared. It may have been told to
   * who this engine was to it before: what was discarded since is not to be in doubt again.
   */
  private static boolean isQuestion(AbortFrame abort) {
    return abort.imm() >= 0
        && abort.has(ControlFrame.DOUBT)
        && !abort.has(ControlFrame.FAILS)
        && abort.shares() == 0
        && abort.text().isEmpty();
  }

  /** What it says, or null if it is malformed. */
  private static @Nullable AbortFrame read(ByteBuffer bytes) {
    if (bytes.remaining() < ControlFrame.ABORT_BYTES) {
      return null;
    }
    int seq = bytes.getInt();
    int imm = bytes.getInt();
    long shares = bytes.getLong();
    int flags = bytes.get();
    bytes.getInt(); // the epoch
    boolean known = imm == ControlFrame.ALL_IMMS || (imm >= 0 && imm <= Imm.MAX_VALUE);
    boolean possible = known && (flags & ~ControlFrame.ABORT_FLAGS) == 0;
    if (!possible || shares < 0 || shares > MAX_SHARES) {
      return null;
    }
    return new AbortFrame(seq, imm, shares, flags, PeerText.of(bytes));
  }
}
