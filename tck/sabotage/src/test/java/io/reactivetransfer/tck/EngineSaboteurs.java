package io.reactivetransfer.tck;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.Message;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Engines whose options, messages or shutdown have one defect. */
final class EngineSaboteurs {

  private static final Duration LATE = Duration.ofMillis(5);
  private static final Duration SHORT = Duration.ofMillis(100);

  static final List<Saboteur> ALL =
      List.of(
          options(
              "6.1",
              "has a window of 5 instead of 4",
              (o, b) -> b.window(o.window() == 4 ? 5 : o.window())),
          options("6.2", "has more in flight on a NIC", (o, b) -> b.nicDepth(o.nicDepth() + 1)),
          options(
              "6.6",
              "has more bytes in flight to a peer",
              (o, b) -> b.peerBytes(o.peerBytes() * 2)),
          options("6.3", "has more in flight to a peer", (o, b) -> b.peerDepth(o.peerDepth() + 1)),
          options(
              "6.5",
              "admits one more subscription",
              (o, b) -> b.maxSubmissions(o.maxSubmissions() + (o.maxSubmissions() == 2 ? 1 : 0))),
          options(
              "15.4",
              "waits for ever when it closes",
              (o, b) ->
                  b.closeTimeout(
                      o.closeTimeout().equals(SHORT) ? Duration.ofHours(1) : o.closeTimeout())),
          Saboteur.options("23.6", "takes all NICs for near ones", EngineSaboteurs::withAllNear),
          options(
              "23.8",
              "does not see that a way is silent",
              (o, b) ->
                  b.livenessDeadline(
                      o.window() == NicFailureRules.SILENT_WINDOW
                          ? Duration.ofHours(1)
                          : o.livenessDeadline())),
          Saboteur.engine("4.6", "takes a close back that is cancelled", TakesCloseBack::new),
          Saboteur.engine("7.5", "leaves messages to a lost peer waiting", LeavesWaiting::new),
          Saboteur.builder(
              "12.7",
              "has another error for an unknown backend",
              Mono.error(new IllegalArgumentException("no-such-backend"))),
          Saboteur.engine("12.10", "drops messages that are too long", DropsLong::new),
          Saboteur.engine("13.2", "takes messages without demand", TakesAhead::new),
          Saboteur.engine("13.8", "has one channel for all", OneChannel::new).entailing("13.9"),
          Saboteur.engine("13.9", "cuts the end of long messages off", CutsLong::new),
          Saboteur.engine("13.3", "takes the first sender for all", OneSender::new),
          earlyMessagesLost(),
          Saboteur.engine("13.5", "leaves a second subscriber waiting", LeavesSecond::new),
          Saboteur.engine("13.6", "consumes the sender's buffer", Consumes::new),
          Saboteur.engine("13.6", "copies a message when send is called", CopiesEarly::new),
          Saboteur.engine("13.7", "sends what was cancelled", SendsCancelled::new),
          Saboteur.engine("15.2", "leaves late claims waiting", LeavesLate::new),
          Saboteur.engine("15.3", "is closed before it is quiet", ClosesAtOnce::new)
              .entailing("3.4", "3.7"),
          Saboteur.engine("15.4", "says that what it had posted was rejected", DeniesPosted::new),
          Saboteur.engine("15.5", "cannot be closed from a signal", FearsSignals::new),
          Saboteur.engine("15.6", "leaves a thread behind", LeavesThread::new));

  private EngineSaboteurs() {}

  /** Changes options that are otherwise the same. */
  private interface Change {
    EngineOptions.Builder apply(EngineOptions options, EngineOptions.Builder builder);
  }

  private static EngineOptions withAllNear(EngineOptions options) {
    EngineOptions.Builder all = options.toBuilder();
    options.deviceNics().keySet().forEach(each -> all.deviceNics(each, "loopback0", "loopback1"));
    return all.build();
  }

  private static Saboteur options(String rule, String defect, Change change) {
    return Saboteur.options(
        rule, defect, options -> change.apply(options, options.toBuilder()).build());
  }

  private static final class TakesCloseBack extends ForwardingEngine {
    TakesCloseBack(TransferEngine inner) {
      super(inner);
    }

    @Override
    public Mono<Void> close() {
      return Mono.delay(LATE).then(inner.close());
    }
  }

  private static final class LeavesWaiting extends ForwardingEngine {
    LeavesWaiting(TransferEngine inner) {
      super(inner);
    }

    @Override
    public Mono<Void> send(Peer peer, ByteBuffer message) {
      return inner
          .send(peer, message)
          .onErrorResume(PeerUnreachableException.class, lost -> Mono.never());
    }
  }

  private static final class DropsLong extends ForwardingEngine {
    DropsLong(TransferEngine inner) {
      super(inner);
    }

    @Override
    public Mono<Void> send(Peer peer, ByteBuffer message) {
      return message.remaining() > options().maxMessageBytes()
          ? Mono.empty()
          : inner.send(peer, message);
    }
  }

  private static final class OneChannel extends ForwardingEngine {
    OneChannel(TransferEngine inner) {
      super(inner);
    }

    @Override
    public Mono<Void> send(Peer peer, MessageChannel channel, ByteBuffer message) {
      return inner.send(peer, message);
    }
  }

  private static final class CutsLong extends ForwardingEngine {
    private static final int MOST = 100_000;

    CutsLong(TransferEngine inner) {
      super(inner);
    }

    @Override
    public Mono<Void> send(Peer peer, MessageChannel channel, ByteBuffer message) {
      int length = Math.min(message.remaining(), MOST);
      return inner.send(peer, channel, message.slice(message.position(), length));
    }
  }

  private static final class TakesAhead extends ForwardingEngine {
    TakesAhead(TransferEngine inner) {
      super(inner);
    }

    @Override
    public Flux<Message> messages() {
      return inner.messages().onBackpressureBuffer();
    }
  }

  private static final class OneSender extends ForwardingEngine {
    private final AtomicReference<Peer> first = new AtomicReference<>();

    OneSender(TransferEngine inner) {
      super(inner);
    }

    @Override
    public Flux<Message> messages() {
      return inner
          .messages()
          .map(message -> {
            first.compareAndSet(null, message.sender());
            return new Message(first.get(), message.bytes());
          });
    }
  }

  private static Saboteur earlyMessagesLost() {
    Map<EngineId, Long> early = new ConcurrentHashMap<>();
    Set<EngineId> subscribed = ConcurrentHashMap.newKeySet();
    return Saboteur.engine(
        "13.4",
        "loses messages that come before anyone subscribes",
        engine ->
            new ForwardingEngine(engine) {
              @Override
              public Mono<Void> send(Peer peer, ByteBuffer message) {
                return inner
                    .send(peer, message)
                    .doOnSuccess(sent -> {
                      if (!subscribed.contains(peer.id())) {
                        early.merge(peer.id(), 1L, Long::sum);
                      }
                    });
              }

              @Override
              public Flux<Message> messages() {
                return Flux.defer(() ->
                    subscribed.add(id())
                        ? inner.messages().skip(early.getOrDefault(id(), 0L))
                        : inner.messages());
              }
            });
  }

  private static final class LeavesSecond extends ForwardingEngine {
    LeavesSecond(TransferEngine inner) {
      super(inner);
    }

    @Override
    public Flux<Message> messages() {
      return inner.messages().onErrorResume(IllegalStateException.class, second -> Flux.never());
    }
  }

  private static final class Consumes extends ForwardingEngine {
    Consumes(TransferEngine inner) {
      super(inner);
    }

    @Override
    public Mono<Void> send(Peer peer, ByteBuffer message) {
      return inner
          .send(peer, message.duplicate())
          .doOnSubscribe(subscription -> message.position(message.limit()));
    }
  }

  private static final class CopiesEarly extends ForwardingEngine {
    CopiesEarly(TransferEngine inner) {
      super(inner);
    }

    @Override
    public Mono<Void> send(Peer peer, ByteBuffer message) {
      ByteBuffer copy = ByteBuffer.allocate(message.remaining()).put(message.duplicate()).flip();
      return inner.send(peer, copy);
    }
  }

  private static final class SendsCancelled extends ForwardingEngine {
    SendsCancelled(TransferEngine inner) {
      super(inner);
    }

    @Override
    public Mono<Void> send(Peer peer, ByteBuffer message) {
      return Interceptor.deaf(inner.send(peer, message));
    }
  }

  private static final class LeavesLate extends ForwardingEngine {
    LeavesLate(TransferEngine inner) {
      super(inner);
    }

    @Override
    public ImmCounter counter(Imm imm) {
      return new ForwardingCounter(inner.counter(imm)) {
        @Override
        public Mono<Void> next(long n) {
          return isClosed() ? Mono.never() : super.next(n);
        }
      };
    }
  }

  private static final class ClosesAtOnce extends ForwardingEngine {
    private final AtomicBoolean closing = new AtomicBoolean();

    ClosesAtOnce(TransferEngine inner) {
      super(inner);
    }

    @Override
    public Mono<Void> close() {
      return Mono.defer(() -> {
        boolean busy = stats().transfersInFlight() > 0;
        if (!busy || closing.getAndSet(true)) {
          return inner.close();
        }
        inner.close().subscribe();
        return Mono.empty();
      });
    }
  }

  private static final class DeniesPosted extends ForwardingEngine {
    DeniesPosted(TransferEngine inner) {
      super(inner);
    }

    @Override
    public <T extends Transfer> Flux<T> submit(Publisher<? extends T> transfers) {
      return super.<T>submit(transfers)
          .onErrorMap(
              TransferFailedException.class,
              failure ->
                  isClosed() ? new TransferRejectedException("the engine is closed") : failure);
    }
  }

  private static final class FearsSignals extends ForwardingEngine {
    FearsSignals(TransferEngine inner) {
      super(inner);
    }

    @Override
    public Mono<Void> close() {
      return Mono.defer(() -> Schedulers.isInNonBlockingThread() ? Mono.never() : inner.close());
    }
  }

  private static final class LeavesThread extends ForwardingEngine {
    private static final Duration LONG = Duration.ofSeconds(60);

    LeavesThread(TransferEngine inner) {
      super(inner);
    }

    @Override
    public Mono<Void> close() {
      return inner
          .close()
          .doOnSuccess(closed -> {
            Thread left = new Thread(() -> LockSupport.parkNanos(LONG.toNanos()), "left");
            left.setDaemon(true);
            left.start();
          });
    }
  }
}
