package io.reactivetransfer.engine.peers;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Admission;
import io.reactivetransfer.engine.base.Answer;
import io.reactivetransfer.engine.base.Chain;
import io.reactivetransfer.engine.base.Commands;
import java.nio.ByteBuffer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Messages of the application on their way out, channel by channel. There is credit for every
 * message that may be sent, and for its bytes. Belongs to the NIC thread.
 */
public final class OutgoingMessages {

  private static final int MAX_CHANNEL = MessageChannel.MAX_NUMBER;

  /** More credit than this is not believed. */
  private static final int MAX_CREDITS = 1 << 16;

  /** So many bytes to one peer may wait, or one message. */
  private static final long MAX_WAITING_BYTES = 64L << 20;

  private final EngineOptions options;
  private final Commands commands;
  private boolean closed;

  /** For one engine. */
  public OutgoingMessages(EngineOptions options, Commands commands) {
    this.options = options;
    this.commands = commands;
  }

  /** Takes a message over, to be sent when there is credit. */
  public void send(PeerLink peer, MessageChannel channel, ByteBuffer frames, Answer<Void> answer) {
    if (closed) {
      answer.error(Admission.closedError());
    } else if (!answer.isOver()) { // else withdrawn before it came here
      Runnable withdraw = send(peer.mail, channel, frames, answer);
      answer.onCancel(() -> commands.execute(withdraw));
    }
  }

  /** How it can be withdrawn. */
  private Runnable send(Mail mail, MessageChannel channel, ByteBuffer frames, Answer<Void> answer) {
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
    mail.peer.traffic().messagesWait(change);
    mail.waitingBytes += (long) change * message.length();
  }

  private static void remove(Mail mail, ChannelMail own, ChannelMail.Outgoing message) {
    if (own.outgoing.remove(message.place)) {
      waits(mail, message, -1);
    }
  }

  /** Sends what there is credit for, a frame of each channel in turn; how many were taken over. */
  int flush(Mail mail, Predicate<ByteBuffer> post) {
    assert commands.owner().isCurrent();
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
          mail.peer.traffic().messageSent(message.length());
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
    while ((first = own.outgoing.first()) != null
        && first.member().length() > mail.longest
        && !own.hasBegun(first.member())) {
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
  public boolean credited(PeerLink peer, ByteBuffer frame) {
    Mail mail = peer.mail;
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

  /** Takes none any more. */
  void close() {
    closed = true;
  }
}
