package io.reactivetransfer.engine;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.spi.PeerText;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Takes what peers say of what was given up. Each abort has a number, so that one which is said
 * again after a loss is taken note of once. Belongs to the worker.
 */
final class AbortMail {

  /** More than a peer can have counted here in any time. */
  private static final long MAX_SHARES = 1L << 56;

  /** Where an abort says to whom, behind its kind. */
  private static final int EPOCH_AT = 2 * Integer.BYTES + Long.BYTES + 1;

  private final Worker worker;
  private final Mailroom mailroom;

  AbortMail(Worker worker, Mailroom mailroom) {
    this.worker = worker;
    this.mailroom = mailroom;
  }

  /** An origin tells what it gave up. */
  void told(EngineId sender, @Nullable PeerLink peer, ByteBuffer bytes) {
    int at = bytes.position() + EPOCH_AT;
    int epoch = bytes.remaining() < ControlFrame.ABORT_BYTES ? 0 : bytes.getInt(at);
    AbortFrame abort = peer == null ? null : read(bytes);
    if (peer == null || abort == null) {
      mailroom.malformed(sender);
      return;
    }
    Mail mail = peer.mail;
    if (epoch != 0 && epoch != mail.epoch()) {
      return; // said to who we were to it: it says so again, or what is in doubt
    }
    if (abort.seq() - mail.abortsHeard > 0) {
      mail.abortsHeard = abort.seq();
      worker.imms().aborted(sender, abort);
    } else if (abort.has(ControlFrame.DOUBT)
        && mail.cleared.size() < GivenUp.MAX_DOUBTFUL // of more the origin will ask again
        && !worker.imms().isInDoubt(abort.imm(), sender)) {
      mail.cleared.add(abort.imm()); // the word was lost
    }
    mail.abortsHeardDue = true;
    mailroom.list(mail);
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

  /** A target has taken note of what it was told. */
  void acknowledged(EngineId sender, @Nullable PeerLink peer, ByteBuffer bytes) {
    if (peer == null || bytes.remaining() != Integer.BYTES) {
      mailroom.malformed(sender);
      return;
    }
    worker.flights().released(peer.givenUp.acknowledged(bytes.getInt()));
    mailroom.list(peer.mail);
  }

  /** A target's application has dropped what was in doubt. */
  void cleared(EngineId sender, @Nullable PeerLink peer, ByteBuffer bytes) {
    if (peer == null || bytes.remaining() != 2 * Integer.BYTES) {
      mailroom.malformed(sender);
      return;
    }
    peer.givenUp.cleared(bytes.getInt(), bytes.getInt());
  }
}
