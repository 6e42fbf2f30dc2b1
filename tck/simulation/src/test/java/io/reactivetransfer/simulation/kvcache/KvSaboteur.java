package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Message;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.simulation.Saboteur;
import io.reactivetransfer.spi.Backend;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** What a hand-over must not do, each done now and then. */
enum KvSaboteur {
  FREES_PAGES_TOO_EARLY(EarlyQuiet::new),
  FREES_PAGES_TWICE(() -> quiet(2)),
  NEVER_FREES_PAGES(() -> quiet(0)),
  NEVER_ENDS_AN_ORDER(NoTimers::new),
  ENDS_AN_ORDER_TWICE(EndsTwice::new),
  COUNTS_BEFORE_THE_BYTES_ARE_THERE(() ->
      new Tampering() {
        @Override
        public Backend backend(Backend sound) {
          return Saboteur.COUNTS_BEFORE_THE_BYTES_ARE_THERE.apply(sound);
        }
      }),
  FORGETS_A_CANCEL(ForgetsCancels::new),
  LETS_A_LOST_NODE_WRITE_ON(ClosesLate::new),
  COUNTS_OTHERWISE_THAN_DECODE(LeavesOut::new),
  REFUSES_BECAUSE_IT_IS_BUSY(Busy::new),
  BEGINS_AT_ONE_AGAIN(SameNumbers::new);

  private static final int SOMETIMES = 5;
  private static final byte CANCEL = 4;
  private static final AtomicLong IDS = new AtomicLong();

  @SuppressWarnings("ImmutableEnumChecker") // only method references and lambdas
  private final Supplier<Tampering> tampering;

  KvSaboteur(Supplier<Tampering> tampering) {
    this.tampering = tampering;
  }

  KvSimulation simulation() {
    return new KvSimulation(tampering.get());
  }

  private static Tampering quiet(int times) {
    return new Tampering() {
      private int calls;

      @Override
      public Runnable whenQuiet(Runnable sound) {
        int now = ++calls % SOMETIMES == 0 ? times : 1;
        return () -> {
          for (int i = 0; i < now; i++) {
            sound.run();
          }
        };
      }
    };
  }

  /** Takes for landed what has left its source. */
  private static final class EarlyQuiet implements Tampering {
    @Override
    public TransferEngine engine(TransferEngine sound) {
      return ForwardingCalls.of(
          TransferEngine.class, sound, "completionLevel", args -> CompletionLevel.DELIVERED);
    }
  }

  private static final class NoTimers implements Tampering {
    @Override
    public Scheduler timers(Scheduler sound) {
      return new Scheduler() {
        @Override
        public Disposable schedule(Runnable task) {
          return sound.schedule(task);
        }

        @Override
        public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
          return Disposables.disposed();
        }

        @Override
        public long now(TimeUnit unit) {
          return sound.now(unit);
        }

        @Override
        public Worker createWorker() {
          return sound.createWorker();
        }
      };
    }
  }

  private static final class EndsTwice implements Tampering {
    @Override
    public <T> Mono<T> received(Mono<T> sound) {
      return new Mono<>() {
        @Override
        public void subscribe(CoreSubscriber<? super T> actual) {
          sound.subscribe(new Twice<>(actual));
        }
      };
    }
  }

  private record Twice<T>(CoreSubscriber<? super T> actual) implements CoreSubscriber<T> {
    @Override
    public void onSubscribe(Subscription subscription) {
      actual.onSubscribe(subscription);
    }

    @Override
    public void onNext(T value) {
      actual.onNext(value);
    }

    @Override
    public void onError(Throwable failure) {
      actual.onError(failure);
    }

    @Override
    public void onComplete() {
      actual.onComplete();
      actual.onComplete();
    }
  }

  /** Says that it was sent, and does not. */
  private static final class ForgetsCancels implements Tampering {
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

  /** Says at once that a registration is closed, and closes it later. */
  private static final class ClosesLate implements Tampering {
    private static final Duration LATER = Duration.ofMillis(20);
    private Scheduler scheduler = Schedulers.immediate(); // before there is one

    @Override
    public Scheduler timers(Scheduler sound) {
      scheduler = sound;
      return sound;
    }

    @Override
    public TransferEngine engine(TransferEngine sound) {
      return ForwardingCalls.of(
          TransferEngine.class,
          sound,
          "register",
          args -> sound.register((Memory) args[0], (Access) args[1]).map(this::closedLate));
    }

    private MemoryRegion closedLate(MemoryRegion region) {
      Scheduler clock = scheduler;
      return ForwardingCalls.of(
          MemoryRegion.class,
          region,
          "close",
          args ->
              Mono.fromRunnable(() -> Mono.delay(LATER, clock).then(region.close()).subscribe()));
    }
  }

  /** Some of what decode waits for is not written. */
  private static final class LeavesOut implements Tampering {
    private final AtomicInteger writes = new AtomicInteger();

    @Override
    @SuppressWarnings("unchecked") // that is what it is called with
    public TransferEngine engine(TransferEngine sound) {
      return ForwardingCalls.of(
          TransferEngine.class,
          sound,
          "submit",
          args ->
              sound.submit(
                  Flux.from((Publisher<Transfer>) args[0])
                      .filter(write -> writes.incrementAndGet() % SOMETIMES != 0),
                  (Duration) args[1]));
    }
  }

  private static final class Busy implements Tampering {
    private static final MessageChannel REQUESTS = new MessageChannel(16);
    private static final MessageChannel ANSWERS = new MessageChannel(17);
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
      end.put((byte) 2).put((byte) 5).putLong(message.bytes().getLong(2));
      end.put((byte) 1).put((byte) 1).putLong(0).putInt(text.length).put(text);
      CRC32C checksum = new CRC32C();
      checksum.update(end.slice(0, end.position()));
      end.putInt((int) checksum.getValue()).flip();
      engine.send(message.sender(), ANSWERS, end).subscribe();
      return true;
    }
  }

  /** Each opening gives its orders the numbers of the one before. */
  private static final class SameNumbers implements Tampering {
    @Override
    public TransferEngine engine(TransferEngine sound) {
      EngineId other = new EngineId(IDS.incrementAndGet(), 0);
      return ForwardingCalls.of(TransferEngine.class, sound, "id", args -> other);
    }
  }
}
