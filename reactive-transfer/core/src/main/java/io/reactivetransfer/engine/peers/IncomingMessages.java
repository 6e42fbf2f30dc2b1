package io.reactivetransfer.engine.peers;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Message;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.engine.base.Admission;
import io.reactivetransfer.engine.base.Commands;
import io.reactivetransfer.engine.base.SignalScheduler;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Messages of the application on their way in, channel by channel. A sender is granted credit when
 * a session begins, and again as the application takes messages. Belongs to the NIC thread.
 */
public final class IncomingMessages implements PeerEvents, FrameHandler {

  private static final int MAX_CHANNEL = MessageChannel.MAX_NUMBER;

  private final int maxCredits;
  private final long maxCreditBytes;
  private final int longest;
  private final Commands commands;
  private final Peers peers;
  private final Liveness liveness;
  private final InboxRoom room = new InboxRoom(IncomingMessages::owe);
  private final Inbox[] inboxes = new Inbox[MAX_CHANNEL + 1];
  private boolean closed;

  /** For one engine. */
  public IncomingMessages(
      EngineOptions options,
      Commands commands,
      Peers peers,
      Liveness liveness,
      SignalScheduler signals,
      Admission admission) {
    this.maxCredits = options.messageCredits();
    this.longest = options.maxMessageBytes();
    this.maxCreditBytes = 2L * options.maxMessageBytes();
    this.commands = commands;
    this.peers = peers;
    this.liveness = liveness;
    Arrays.setAll(inboxes, channel -> new Inbox(signals, admission, taken(channel)));
  }

  private BiConsumer<PeerLink, Integer> taken(int channel) {
    return (sender, bytes) -> commands.execute(() -> taken(sender, channel, bytes));
  }

  /** Where those of a channel wait for the application. */
  public Inbox inbox(MessageChannel channel) {
    return inboxes[channel.number()];
  }

  InboxRoom room() {
    return room;
  }

  /** A part of a message has come; false if none may. */
  @Override
  public boolean received(PeerLink peer, ByteBuffer frame) {
    assert commands.owner().isCurrent();
    Mail mail = peer.mail;
    int channel = frame.remaining() < ControlFrame.MESSAGE_HEADER_BYTES - 1 ? -1 : frame.get();
    if (channel < 0 || channel > MAX_CHANNEL) {
      return false;
    }
    if (closed) {
      return true; // nobody gets it
    }
    byte[] message;
    int left = frame.getInt();
    int bytes = frame.remaining();
    mail.arrived(bytes);
    ChannelMail own = mail.channel(channel);
    if (!own.mayCome(left, bytes, longest)) {
      return false;
    }
    if (!hasRoom(peer, own.growth(bytes))) {
      return true;
    }
    try {
      message = own.received(left, frame, room);
    } catch (OutOfMemoryError e) {
      liveness.giveUp(peer, "there is no memory for a message of it");
      return true;
    }
    if (message != null) {
      peer.traffic().messageReceived(message.length);
      inboxes[channel].put(new Message(mail.peer, ByteBuffer.wrap(message)));
    }
    return true;
  }

  /** Whether what this one sends can be taken; else its session is over. */
  private boolean hasRoom(PeerLink sender, int bytes) {
    if (room.isTooMuch(bytes) && sender.equals(giveUpWhoHasMost())) {
      return false;
    }
    if (!room.isBeyond(bytes)) {
      return true;
    }
    liveness.giveUp(
        sender,
        "messages that nobody has read take "
            + room.waitingBytes()
            + " bytes, and with "
            + bytes
            + " more of this sender they would take more than "
            + room.mostBytes()
            + ", three quarters of the heap");
    return false;
  }

  /**
   * What it has left unread stays, but what else it was granted does not come any more. If whoever
   * has most has no session, nobody is given up: those who have less are not to blame for that.
   */
  private @Nullable PeerLink giveUpWhoHasMost() {
    @Nullable PeerLink[] most = {null};
    peers.forEachKnown(peer -> {
      if (most[0] == null || peer.mail.unreadBytes() > most[0].mail.unreadBytes()) {
        most[0] = peer;
      }
    });
    PeerLink first = most[0];
    PeerLink guilty =
        first != null && first.mail.hasGreeted() && room.isToBlame(first.mail.unreadBytes())
            ? first
            : null;
    if (guilty != null) {
      liveness.giveUp(
          guilty,
          "messages that nobody has read take "
              + room.waitingBytes()
              + " bytes, half of the heap, and "
              + guilty.mail.unreadBytes()
              + " of them are of this sender");
    }
    room.letLittleCome();
    return guilty;
  }

  /** The application has taken a message of so many bytes: its sender may send another one. */
  void taken(PeerLink peer, int channel, int bytes) {
    ChannelMail own = peer.mail.channel(channel);
    own.taken(bytes);
    room.take(channel, bytes);
    if (!peer.mail.hasGreeted()) {
      return; // what it may send in its next session is said when that begins
    }
    if (room.isFull(channel)) {
      room.owe(peer.mail, 1 << channel);
    } else if (isWorthSaying(own)) {
      peer.mail.creditDue |= 1 << channel;
      peer.mail.list();
    }
  }

  /**
   * In halves, so that not every message costs a frame, and never so that the sender waits for
   * ever: of what was not granted again, half is enough for the longest message.
   */
  private boolean isWorthSaying(ChannelMail own) {
    return 2L * messagesDue(own) >= maxCredits
        || 2 * bytesDue(own) >= maxCreditBytes
        || own.allowed == 0;
  }

  private int messagesDue(ChannelMail own) {
    return maxCredits - own.untaken - own.allowed;
  }

  private long bytesDue(ChannelMail own) {
    return maxCreditBytes - own.untakenBytes - own.allowedBytes;
  }

  /** The peer is let send what there is room for, on this channel. */
  private static void owe(Mail mail, int channel) {
    mail.creditDue |= 1 << channel;
    mail.list();
  }

  /** Tells a peer what it may send, of the first channel of those that are due, or of all. */
  boolean flushCredit(Mail mail, Predicate<ByteBuffer> post) {
    assert commands.owner().isCurrent();
    int held = mail.creditDue & room.full();
    if (held != 0) {
      room.owe(mail, held);
      mail.creditDue &= ~held;
      return true;
    }
    int epoch = mail.theirEpoch();
    if (mail.creditDue == Mail.ALL_CHANNELS && mail.isUnused()) {
      int all = ControlFrame.ALL_CHANNELS;
      if (!post.test(ControlFrame.credit(epoch, all, maxCredits, (int) maxCreditBytes))) {
        return false;
      }
      mail.allowAll(maxCredits, maxCreditBytes);
      mail.creditDue = 0;
      return true;
    }
    int channel = Integer.numberOfTrailingZeros(mail.creditDue);
    ChannelMail own = mail.channel(channel);
    int messages = Math.max(0, messagesDue(own));
    long bytes = Math.max(0, bytesDue(own));
    boolean says = messages > 0 || bytes > 0;
    if (says && !post.test(ControlFrame.credit(epoch, channel, messages, (int) bytes))) {
      return false;
    }
    own.allowed += messages;
    own.allowedBytes += bytes;
    mail.creditDue &= ~(1 << channel);
    return true;
  }

  @Override
  public void lost(PeerLink peer, PeerUnreachableException loss) {
    room.forgive(peer.mail);
  }

  @Override
  public void forgotten(PeerLink peer, PeerUnreachableException reason) {
    room.forgive(peer.mail);
  }

  /** There will be none any more. */
  void close() {
    closed = true;
    for (Inbox inbox : inboxes) {
      inbox.close();
    }
  }
}
