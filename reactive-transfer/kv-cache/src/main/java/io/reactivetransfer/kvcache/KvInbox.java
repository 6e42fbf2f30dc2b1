package io.reactivetransfer.kvcache;

import io.reactivetransfer.Message;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Reads the messages of one side. No message, whoever sent it, can stop the reading, nor can what
 * anybody throws who gets one.
 */
final class KvInbox {

  /** What decode says to prefill, and prefill to decode: so one engine can be both. */
  static final MessageChannel TO_PREFILL = new MessageChannel(16);

  static final MessageChannel TO_DECODE = new MessageChannel(17);

  private static final Logger LOG = Loggers.getLogger(KvInbox.class);

  /** What one side does with the messages of the other. Called by one thread at a time. */
  interface Handler {

    void received(Peer sender, OldMessage message);

    /** No message will come any more: the engine closed, or its messages are another's. */
    void ended(@Nullable Throwable failure);
  }

  private KvInbox() {}

  static Disposable open(TransferEngine engine, MessageChannel channel, Handler handler) {
    return engine
        .messages(channel)
        .subscribe(message -> read(message, handler), handler::ended, () -> handler.ended(null));
  }

  private static void read(Message message, Handler handler) {
    try {
      handler.received(message.sender(), OldCodec.decode(message.bytes()));
    } catch (Throwable e) {
      // A missing class too is the end of this message only: everybody's come this way.
      Bulkhead.said(
          () -> LOG.warn("dropped a message of {}: {}", message.sender().address(), e.toString()));
    }
  }
}
