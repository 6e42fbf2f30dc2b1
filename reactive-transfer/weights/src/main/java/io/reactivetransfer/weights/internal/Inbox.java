package io.reactivetransfer.weights.internal;

import io.reactivetransfer.Message;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Reads the messages of one channel. No message, whoever sent it, can stop the reading.
 *
 * @param <T> what they say
 */
public final class Inbox<T> extends BaseSubscriber<Message> {

  private static final Logger LOG = Loggers.getLogger(Inbox.class);

  /**
   * What is done with messages. Called by one thread at a time.
   *
   * @param <T> what messages say
   */
  public interface Handler<T> {

    /** A message that could be read. */
    void received(Peer sender, T message);

    /** Somebody speaks another version of the protocol; the message was dropped. */
    void otherVersion(Peer sender, String why);

    /** No message will come any more: the engine closed, or its messages are another's. */
    void ended();
  }

  private final Function<ByteBuffer, T> codec;
  private final Handler<T> handler;
  private final MessageChannel channel;
  private volatile @Nullable String end;

  private Inbox(MessageChannel channel, Function<ByteBuffer, T> codec, Handler<T> handler) {
    this.channel = channel;
    this.codec = codec;
    this.handler = handler;
  }

  /** Begins to read. */
  public static <T> Inbox<T> open(
      TransferEngine engine,
      MessageChannel channel,
      Function<ByteBuffer, T> codec,
      Handler<T> handler) {
    Inbox<T> inbox = new Inbox<>(channel, codec, handler);
    engine.messages(channel).subscribe(inbox);
    return inbox;
  }

  /**
   * Refuses what was opened where no messages can be read.
   *
   * @param what for people: what was to be opened
   * @throws IllegalStateException if that is known already
   */
  public void requireOpen(String what) {
    String why = end;
    if (why != null) {
      throw new IllegalStateException(
          "expected an open engine with no other "
              + what
              + ", which reads message channel "
              + channel.number()
              + ", got: "
              + why);
    }
  }

  @Override
  protected void hookOnSubscribe(Subscription subscription) {
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  protected void hookOnNext(Message message) {
    Peer sender = message.sender();
    try {
      handler.received(sender, codec.apply(message.bytes()));
    } catch (MessageFormatException bad) {
      LOG.debug("dropped a message of {}: {}", sender.address(), bad.getMessage());
      if (bad.isOtherVersion) {
        handler.otherVersion(sender, String.valueOf(bad.getMessage()));
      }
    }
  }

  @Override
  protected void hookOnError(Throwable failure) {
    LOG.debug("reads no messages of weights any more: {}", failure.toString());
    end = String.valueOf(failure.getMessage());
    handler.ended();
  }

  @Override
  protected void hookOnComplete() {
    end = "the engine is closed";
    handler.ended();
  }
}
