package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Message;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.kvcache.KvCacheOptions;
import io.reactivetransfer.kvcache.KvLayout;
import io.reactivetransfer.kvcache.Recount;
import io.reactivetransfer.simulation.ForwardingCalls;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** What is wrong with whose turn it is, how much waits, and for what was asked. */
final class KvTurnSaboteurs {

  private static final MessageChannel REQUESTS = new MessageChannel(16);
  private static final MessageChannel ANSWERS = new MessageChannel(17);
  private static final byte VERSION = 4;

  private KvTurnSaboteurs() {}

  private static TransferEngine messages(
      TransferEngine sound, MessageChannel of, UnaryOperator<Flux<Message>> otherwise) {
    return ForwardingCalls.of(
        TransferEngine.class,
        sound,
        "messages",
        args -> {
          MessageChannel channel = (MessageChannel) args[0];
          Flux<Message> messages = sound.messages(channel);
          return channel.equals(of) ? otherwise.apply(messages) : messages;
        });
  }

  /** Nodes grant something else than they say. */
  static Tampering grants(UnaryOperator<KvCacheOptions.Builder> otherwise) {
    return new Tampering() {
      @Override
      public KvCacheOptions.Builder grants(KvCacheOptions.Builder sound) {
        return otherwise.apply(sound);
      }
    };
  }

  /** All targets ask the same one. */
  static Tampering first() {
    return new Tampering() {
      @Override
      public Peer replica(List<Peer> replicas, int targetRank) {
        return replicas.getFirst();
      }
    };
  }

  /** What others ask for than the first one that ever did waits for a while. */
  static final class HoldsBack implements Tampering {
    private static final Duration LATER = Duration.ofMillis(1);
    private Scheduler clock = Schedulers.immediate(); // before there is one

    @Override
    public Scheduler timers(Scheduler sound) {
      clock = sound;
      return sound;
    }

    @Override
    public TransferEngine engine(TransferEngine sound) {
      Scheduler own = clock;
      return messages(sound, REQUESTS, messages -> held(messages, own));
    }

    private static Flux<Message> held(Flux<Message> messages, Scheduler clock) {
      return messages
          .groupBy(message -> message.sender().id())
          .index()
          .flatMap(
              each ->
                  each.getT1() == 0
                      ? each.getT2()
                      : each.getT2()
                          .concatMap(message -> Mono.delay(LATER, clock).thenReturn(message)),
              Integer.MAX_VALUE);
    }
  }

  /** What is said in other versions is not heard. */
  static final class HearsOneVersion implements Tampering {
    @Override
    public TransferEngine engine(TransferEngine sound) {
      return messages(
          sound,
          ANSWERS,
          messages -> messages.filter(message -> message.bytes().get(0) == VERSION));
    }
  }

  /** Takes what was counted for other layouts as if it had been counted for its own. */
  static final class Recounts implements Tampering {
    private final Map<EngineId, Map<String, KvLayout>> served = new HashMap<>();

    @Override
    public void opens(EngineId engine, String model, KvLayout layout) {
      served.computeIfAbsent(engine, any -> new HashMap<>()).put(model, layout);
    }

    @Override
    public TransferEngine engine(TransferEngine sound) {
      return messages(
          sound, REQUESTS, messages -> messages.map(message -> recounted(sound.id(), message)));
    }

    private Message recounted(EngineId engine, Message message) {
      Map<String, KvLayout> models = served.getOrDefault(engine, Map.of());
      return new Message(message.sender(), Recount.of(message.bytes(), models::get));
    }
  }
}
