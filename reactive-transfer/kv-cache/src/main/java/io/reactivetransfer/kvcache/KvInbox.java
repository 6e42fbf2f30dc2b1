package io.reactivetransfer.kvcache;

import io.reactivetransfer.Message;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Reads an engine's messages and sorts them. No message, whoever sent it, can stop the reading, nor
 * can what anybody throws who gets one.
 */
final class KvInbox {

  private static final Logger LOG = Loggers.getLogger(KvInbox.class);

  /** What one side does with the messages of the other. Called by one thread at a time. */
  interface Handler {

    void received(Peer sender, KvMessage message);

    /** No message will come any more: the engine closed, or its messages are another's. */
    void ended(@Nullable Throwable failure);
  }

  private KvInbox() {}

  static Disposable open(TransferEngine engine, Handler handler, Consumer<Message> others) {
    return engine
        .messages()
        .subscribe(
            message -> sort(message, handler, others), handler::ended, () -> handler.ended(null));
  }

  private static void sort(Message message, Handler handler, Consumer<Message> others) {
    try {
      if (KvCodec.claims(message.bytes())) {
        handler.received(message.sender(), KvCodec.decode(message.bytes()));
      } else {
        others.accept(message);
      }
    } catch (Throwable e) {
      // A missing class too is the end of this message only: everybody's come this way.
      Bulkhead.said(
          () -> LOG.warn("dropped a message of {}: {}", message.sender().address(), e.toString()));
    }
  }

  /** For whoever expects no other messages. */
  static void drop(Message message) {
    LOG.warn(
        "dropped a message of {}: {} bytes that are not of the KV-cache protocol",
        message.sender().address(),
        message.bytes().remaining());
  }
}
