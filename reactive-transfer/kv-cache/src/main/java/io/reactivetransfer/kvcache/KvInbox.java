package io.reactivetransfer.kvcache;

import io.reactivetransfer.Message;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Reads the messages of one channel. No message, whoever sent it, can stop the reading, nor can
 * what anybody throws who gets one.
 */
final class KvInbox extends BaseSubscriber<Message> {

  /** Requests of decode, taken as they are served: who sends more than that waits for credit. */
  static final MessageChannel REQUESTS = new MessageChannel(16);

  /** What prefill says to decode. */
  static final MessageChannel ANSWERS = new MessageChannel(17);

  /** What decode says to prefill that must not wait behind requests: cancels and questions. */
  static final MessageChannel URGENT = new MessageChannel(18);

  private static final Logger LOG = Loggers.getLogger(KvInbox.class);

  /** Characters that are shown of why a message was dropped: a part of it comes from its sender. */
  private static final int MAX_LOGGED = 500;

  /** What is done with the messages of a channel. Called by one thread at a time. */
  interface Handler {

    /**
     * What to do with a message.
     *
     * @param bytes how long it is
     * @return whether there is no room for another one, and {@link KvInbox#request} is called when
     *     there is; otherwise another one is taken at once
     */
    boolean received(Peer sender, KvMessage message, int bytes);

    /**
     * Somebody speaks another version of the protocol; the message was dropped.
     *
     * @param id by which he knows what he has sent
     */
    void otherVersion(Peer sender, long id, KvFormatException why);

    /** No message will come any more: the engine closed, or its messages are another's. */
    void ended(@Nullable Throwable failure);
  }

  private final LogLimit warnings = new LogLimit(LOG);
  private final Handler handler;
  private final long first;

  private KvInbox(Handler handler, long first) {
    this.handler = handler;
    this.first = first;
  }

  /**
   * Begins to read.
   *
   * @param first how many messages are taken; each that is not the last one has another one taken
   */
  static KvInbox open(TransferEngine engine, MessageChannel channel, long first, Handler handler) {
    KvInbox inbox = new KvInbox(handler, first);
    engine.messages(channel).subscribe(inbox);
    return inbox;
  }

  @Override
  protected void hookOnSubscribe(Subscription subscription) {
    subscription.request(first);
  }

  @Override
  protected void hookOnNext(Message message) {
    if (!isLast(message)) {
      request(1);
    }
  }

  private boolean isLast(Message message) {
    Peer sender = message.sender();
    try {
      int bytes = message.bytes().remaining();
      return handler.received(sender, KvCodec.decode(message.bytes()), bytes);
    } catch (KvFormatException bad) {
      dropped(sender, bad);
      notUnderstood(message, bad);
    } catch (Throwable e) {
      // A missing class too is the end of this message only: everybody's come this way.
      dropped(sender, e);
    }
    return false;
  }

  private void notUnderstood(Message message, KvFormatException why) {
    try {
      ByteBuffer bytes = message.bytes().slice();
      if (isOtherVersion(bytes)) {
        handler.otherVersion(message.sender(), bytes.getLong(2), why);
      }
    } catch (Throwable e) {
      dropped(message.sender(), e);
    }
  }

  private void dropped(Peer sender, Throwable why) {
    warnings.warn(() -> "dropped a message of " + sender.address() + ": " + shown(why.toString()));
  }

  /** As much of a text as is logged. */
  static String shown(String text) {
    return text.length() <= MAX_LOGGED ? text : text.substring(0, MAX_LOGGED) + "...";
  }

  /**
   * All versions begin with one byte for it, one for the kind, and the number, and end with the
   * checksum; what is anything else is dropped and concerns nobody.
   */
  private static boolean isOtherVersion(ByteBuffer bytes) {
    int end = bytes.remaining() - KvCodec.CHECKSUM_BYTES;
    if (end < KvCodec.HEADER_BYTES || bytes.get(0) == KvCodec.VERSION) {
      return false;
    }
    CRC32C checksum = new CRC32C();
    checksum.update(bytes.slice(0, end));
    return bytes.getInt(end) == (int) checksum.getValue();
  }

  @Override
  protected void hookOnError(Throwable failure) {
    handler.ended(failure);
  }

  @Override
  protected void hookOnComplete() {
    handler.ended(null);
  }
}
