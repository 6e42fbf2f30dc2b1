package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Message;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.simulation.ForwardingCalls;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32C;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What is wrong with the messages. */
final class KvMessageSaboteurs {

  private static final int SOMETIMES = 5;
  private static final byte CANCEL = 4;
  private static final byte END = 5;
  private static final byte REFUSED = 1;
  private static final int ID_AT = 2;
  private static final int OUTCOME_AT = 10;
  private static final int QUIET_AT = 11;
  private static final int ARRIVALS_AT = 12;
  private static final MessageChannel REQUESTS = new MessageChannel(16);
  private static final MessageChannel ANSWERS = new MessageChannel(17);

  private KvMessageSaboteurs() {}

  private static ByteBuffer copy(ByteBuffer message) {
    return ByteBuffer.allocate(message.remaining()).put(message.duplicate()).flip();
  }

  private static ByteBuffer sealed(ByteBuffer message) {
    int end = message.remaining() - Integer.BYTES;
    CRC32C checksum = new CRC32C();
    checksum.update(message.slice(0, end));
    return message.putInt(end, (int) checksum.getValue());
  }

  /** Says that it was sent, and does not. */
  static final class ForgetsCancels implements Tampering {
    @Override
    public TransferEngine engine(TransferEngine sound) {
      return ForwardingCalls.of(
          TransferEngine.class,
          sound,
          "send",
          args ->
              args.length == 3 && ((ByteBuffer) args[2]).get(1) == CANCEL
                  ? Mono.empty()
                  : sound.send((Peer) args[0], (MessageChannel) args[1], (ByteBuffer) args[2]));
    }
  }

  /** Refuses in silence. */
  static final class RefusesInSilence implements Tampering {
    @Override
    public TransferEngine engine(TransferEngine sound) {
      return ForwardingCalls.of(
          TransferEngine.class,
          sound,
          "send",
          args -> {
            ByteBuffer message = (ByteBuffer) args[2];
            return message.get(1) == END && message.get(OUTCOME_AT) == REFUSED
                ? Mono.empty()
                : sound.send((Peer) args[0], (MessageChannel) args[1], message);
          });
    }
  }

  /** A prefill node that does not know what it has posted says that all of it has landed. */
  static final class Vouches implements Tampering {
    @Override
    public TransferEngine engine(TransferEngine sound) {
      return ForwardingCalls.of(
          TransferEngine.class,
          sound,
          "send",
          args ->
              sound.send((Peer) args[0], (MessageChannel) args[1], vouched((ByteBuffer) args[2])));
    }

    private static ByteBuffer vouched(ByteBuffer message) {
      if (message.get(1) != END || message.getLong(ARRIVALS_AT) >= 0) {
        return message;
      }
      return sealed(copy(message).put(QUIET_AT, (byte) 1));
    }
  }

  /** A refusal ends the next request, too. */
  static final class RefusesAnotherToo implements Tampering {
    @Override
    public TransferEngine engine(TransferEngine sound) {
      return ForwardingCalls.of(
          TransferEngine.class,
          sound,
          "messages",
          args -> {
            MessageChannel channel = (MessageChannel) args[0];
            Flux<Message> messages = sound.messages(channel);
            return channel.equals(ANSWERS) ? messages.concatMapIterable(this::all) : messages;
          });
    }

    private Iterable<Message> all(Message message) {
      ByteBuffer bytes = message.bytes();
      if (bytes.get(1) != END || bytes.get(OUTCOME_AT) != REFUSED) {
        return List.of(message);
      }
      ByteBuffer next = copy(bytes);
      next.putLong(ID_AT, bytes.getLong(ID_AT) + 1);
      return List.of(message, new Message(message.sender(), sealed(next)));
    }
  }

  static final class Busy implements Tampering {
    private int requests;

    @Override
    public TransferEngine engine(TransferEngine sound) {
      return ForwardingCalls.of(
          TransferEngine.class,
          sound,
          "messages",
          args -> {
            MessageChannel channel = (MessageChannel) args[0];
            Flux<Message> messages = sound.messages(channel);
            return channel.equals(REQUESTS)
                ? messages.filter(message -> !refuses(sound, message))
                : messages;
          });
    }

    private boolean refuses(TransferEngine engine, Message message) {
      if (++requests % SOMETIMES != 0) {
        return false;
      }
      byte[] text = "busy".getBytes(StandardCharsets.UTF_8);
      ByteBuffer end = ByteBuffer.allocate(28 + text.length);
      end.put((byte) 4).put((byte) 5).putLong(message.bytes().getLong(2));
      end.put((byte) 1).put((byte) 1).putLong(0).putInt(text.length).put(text);
      CRC32C checksum = new CRC32C();
      checksum.update(end.slice(0, end.position()));
      end.putInt((int) checksum.getValue()).flip();
      engine.send(message.sender(), ANSWERS, end).subscribe();
      return true;
    }
  }

  /** Each opening gives its orders the numbers of the one before: it does not know the engine. */
  static final class SameNumbers implements Tampering {
    @Override
    public TransferEngine engine(TransferEngine sound) {
      EngineId equal = new EngineId(sound.id().high(), sound.id().low());
      return ForwardingCalls.of(TransferEngine.class, sound, "id", args -> equal);
    }
  }
}
