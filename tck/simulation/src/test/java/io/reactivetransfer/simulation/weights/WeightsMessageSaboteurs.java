package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.simulation.ForwardingCalls;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32C;
import reactor.core.publisher.Mono;

/** What is wrong with messages. */
final class WeightsMessageSaboteurs {

  private static final int GATHER = 19;
  private static final int REPORTS = 21;
  private static final int ANSWERS = 23;
  private static final int SUMS = 24;

  /** Where a grant says where the temporary begins. */
  private static final int OFFSET_OF_GRANT = 18;

  private static final int GRANT = 3;
  private static final int DONE = 6;

  private WeightsMessageSaboteurs() {}

  /** A rank does not say that it has voted. */
  static WeightsTampering reportsNothing() {
    AtomicInteger said = new AtomicInteger();
    return new WeightsTampering() {
      @Override
      public TransferEngine rank(TransferEngine sound) {
        boolean isSilent = said.incrementAndGet() % 3 == 0;
        return isSilent ? without(sound, REPORTS, kind -> true) : sound;
      }
    };
  }

  /** A trainer does not say that it is done, however often it is asked. */
  static WeightsTampering neverSaysDone() {
    return new WeightsTampering() {
      @Override
      public TransferEngine trainer(TransferEngine sound) {
        return without(sound, ANSWERS, kind -> kind == DONE);
      }
    };
  }

  /** A trainer tells ranks no sums. */
  static WeightsTampering saysNoSums() {
    return new WeightsTampering() {
      @Override
      public TransferEngine trainer(TransferEngine sound) {
        return without(sound, SUMS, kind -> true);
      }
    };
  }

  /** A trainer takes each barrier for passed when it comes there. */
  static WeightsTampering waitsAtNoBarrier() {
    return new WeightsTampering() {
      @Override
      public TransferEngine trainer(TransferEngine sound) {
        return ForwardingCalls.of(
            TransferEngine.class, sound, "barrier", args -> Mono.<Void>empty());
      }
    };
  }

  /** Who prepares has what is gathered written where its temporaries begin. */
  static WeightsTampering grantsOnePlace() {
    return new WeightsTampering() {
      @Override
      public TransferEngine trainer(TransferEngine sound) {
        return sending(sound, GATHER, WeightsMessageSaboteurs::toTheBeginning);
      }
    };
  }

  private static ByteBuffer toTheBeginning(ByteBuffer message) {
    if (message.get(1) != GRANT) {
      return message;
    }
    byte[] bytes = new byte[message.remaining()];
    message.duplicate().get(bytes);
    ByteBuffer changed = ByteBuffer.wrap(bytes).putLong(OFFSET_OF_GRANT, 0);
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, bytes.length - Integer.BYTES);
    return changed.putInt(bytes.length - Integer.BYTES, (int) crc.getValue());
  }

  private static TransferEngine without(TransferEngine sound, int channel, IntPredicate kind) {
    return ForwardingCalls.of(
        TransferEngine.class,
        sound,
        "send",
        args -> {
          MessageChannel on = (MessageChannel) args[1];
          ByteBuffer message = (ByteBuffer) args[2];
          return on.equals(new MessageChannel(channel)) && kind.test(message.get(1))
              ? Mono.empty()
              : sound.send((Peer) args[0], on, message);
        });
  }

  private static TransferEngine sending(
      TransferEngine sound, int channel, UnaryOperator<ByteBuffer> change) {
    return ForwardingCalls.of(
        TransferEngine.class,
        sound,
        "send",
        args -> {
          MessageChannel on = (MessageChannel) args[1];
          ByteBuffer message = (ByteBuffer) args[2];
          return sound.send(
              (Peer) args[0],
              on,
              on.equals(new MessageChannel(channel)) ? change.apply(message) : message);
        });
  }
}
