package io.reactivetransfer.engine.peers;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Message;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Answer;
import io.reactivetransfer.engine.base.Chain;
import java.nio.ByteBuffer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Messages of the application, channel by channel. A sender holds credit for every message that it
 * may send, and for its bytes; the receiver grants it when a session begins, and again as its
 * application takes messages. Belongs to the NIC thread.
 */
final class Messages {

  private static final int MAX_CHANNEL = MessageChannel.MAX_NUMBER;

  /** More credit than this is not believed. */
  private static final int MAX_CREDITS = 1 << 16;

  /** So many bytes to one peer may wait, or one message. */
  private static final long MAX_WAITING_BYTES = 64L << 20;

  private final EngineOptions options;
  private final int maxCredits;
  private final long maxCreditBytes;
  private final InboxRoom room;
  private final Inbox[] inboxes;

  Messages(EngineOptions options, InboxRoom room, Inbox[] inboxes) {
    this.options = options;
    this.maxCredits = options.messageCredits();
    this.maxCreditBytes = 2L * options.maxMessageBytes();
    this.room = room;
    this.inboxes = inboxes;
  }

  /** Takes a message over, to be sent when there is credit; how it can be withdrawn. */
  Runnable send(Mail mail, MessageChannel channel, ByteBuffer frames, Answer<Void> answer) {
    PeerLink peer = mail.peer;
    ChannelMail.Outgoing message = new ChannelMail.Outgoing(frames, answer);
    int max = options.maxWaitingMessages();
    boolean fits =
        mail.waitingBytes == 0 || mail.waitingBytes + message.length() <= MAX_WAITING_BYTES;
    if (mail.waiting >= max || !fits) {
      answer.error(
          new TransferRejectedException(
              "expected at most "
                  + max
                  + " messages (maxWaitingMessages of the EngineOptions), and "
                  + MAX_WAITING_BYTES
                  + " bytes of them, that wait for "
                  + peer
                  + " to take them, got one more; send it again when one of them is sent",
              Origin.peer(peer.id()),
              null));
      return () -> {};
    }
    peer.used(); // or nobody would look whether it lives
    ChannelMail own = mail.channel(channel.number());
    own.outgoing.add(message.place);
    waits(mail, message, 1);
    mail.list();
    return () -> {
      if (!own.hasBegun(message)) {
        remove(mail, own, message);
      }
    };
  }

  private static void waits(Mail mail, ChannelMail.Outgoing message, int change) {
    mail.waiting += change;
    mail.waitingBytes += (long) change * message.length();
  }

  private static void remove(Mail mail, ChannelMail own, ChannelMail.Outgoing message) {
    if (own.outgoing.remove(message.place)) {
      waits(mail, message, -1);
    }
  }

  /** Sends what there is credit for, a frame of each channel in turn; how many were taken over. */
  int flush(Mail mail, Predicate<ByteBuffer> post) {
    int sent = 0;
    int idle = 0;
    while (idle < mail.channels().size()) {
      ChannelMail own = mail.channelInTurn();
      ChannelMail.Outgoing message = nextOf(mail, own);
      if (message != null) {
        if (!post.test(own.next(message))) {
          return sent; // it is its turn still
        }
        sent++;
        if (own.sent(message)) {
          waits(mail, message, -1);
          message.answer.success();
        }
      }
      idle = message == null ? idle + 1 : 0;
      mail.endTurn();
    }
    return sent;
  }

  /** The first that may go; what the peer will never take fails. */
  private static ChannelMail.@Nullable Outgoing nextOf(Mail mail, ChannelMail own) {
    Chain.Link<ChannelMail.Outgoing> first;
    while ((first = own.outgoing.first()) != null && first.member().length() > mail.longest) {
      remove(mail, own, first.member());
      first
          .member()
          .answer
          .error(
              new TransferRejectedException(
                  "expected a message of at most "
                      + mail.longest
                      + " bytes, which is what "
                      + mail.peer
                      + " takes (maxMessageBytes of its EngineOptions), got "
                      + first.member().length(),
                  Origin.peer(mail.peer.id()),
                  null));
    }
    return first != null && own.canSend() ? first.member() : null;
  }

  /** All that waits for a peer fails. */
  static void fail(Mail mail, RuntimeException reason) {
    for (ChannelMail own : mail.channels()) {
      Chain.Link<ChannelMail.Outgoing> message;
      while ((message = own.outgoing.first()) != null) {
        remove(mail, own, message.member());
        message.member().answer.error(reason);
      }
    }
  }

  /** The peer lets this engine send more; false if it says anything else. */
  boolean credited(Mail mail, ByteBuffer frame) {
    if (frame.remaining() != ControlFrame.CREDIT_BYTES) {
      return false;
    }
    int epoch = frame.getInt();
    int channel = frame.get();
    int messages = frame.getInt();
    int bytes = frame.getInt();
    if (messages < 0 || bytes < 0 || channel < ControlFrame.ALL_CHANNELS || channel > MAX_CHANNEL) {
      return false;
    }
    if (epoch != mail.epoch()) {
      return true; // granted to who we were to it before we forgot it
    }
    if (channel == ControlFrame.ALL_CHANNELS) {
      mail.creditAll(messages, bytes, MAX_CREDITS);
    } else {
      mail.channel(channel).credit(messages, bytes, MAX_CREDITS);
    }
    mail.list();
    return true;
  }

  /** A part of a message has come; false if none may. */
  boolean received(Mail mail, ByteBuffer frame) {
    int channel = frame.remaining() < ControlFrame.MESSAGE_HEADER_BYTES - 1 ? -1 : frame.get();
    if (channel < 0 || channel > MAX_CHANNEL) {
      return false;
    }
    byte[] message;
    try {
      message = mail.channel(channel).received(frame.getInt(), frame);
    } catch (IllegalArgumentException e) {
      return false;
    }
    if (message != null) {
      room.put(message.length);
      inboxes[channel].put(new Message(mail.peer, ByteBuffer.wrap(message)));
    }
    return true;
  }

  /** The application has taken a message of so many bytes: its sender may send another one. */
  void taken(PeerLink peer, int channel, int bytes) {
    ChannelMail own = peer.mail.channel(channel);
    own.taken(bytes);
    room.take(bytes).forEach(this::owe);
    if (!peer.mail.isOpen()) {
      return; // what it may send in its next session is said when that begins
    }
    if (room.isFull()) {
      room.owe(peer.mail);
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

  /** The peer is let send what there is room for, on all channels. */
  private void owe(Mail mail) {
    mail.creditDue = Mail.ALL_CHANNELS;
    mail.list();
  }

  /** Tells a peer what it may send, of the first channel of those that are due, or of all. */
  boolean flushCredit(Mail mail, Predicate<ByteBuffer> post) {
    if (room.isFull()) {
      room.owe(mail);
      mail.creditDue = 0;
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
}
