package io.reactivetransfer.tck;

import io.reactivetransfer.Change;
import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.Memory;
import io.reactivetransfer.Nic;
import io.reactivetransfer.Outcome;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.ControlSink;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.EngineEnvironment;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Engines with one defect in aborts, deadlines, outcomes, barriers, watched words or states. */
final class EndingSaboteurs {

  /** The first byte of frames that engines send each other. */
  private static final byte HELLO = 1;

  private static final byte ASK = 4;

  private static final byte ABORT = 6;

  /** Where an abort has the shares that are to be taken back, and its flags. */
  private static final int SHARES_AT = 9;

  private static final int FLAGS_AT = 17;
  private static final int FAILS = 1;
  private static final int NOTE = 2;
  private static final int DOUBT = 4;
  private static final int RESUMED = 8;
  private static final Duration MOMENT = Duration.ofMillis(1);

  static final List<Saboteur> ALL =
      List.of(
          Saboteur.beneath("7.6", "hears nobody whom it only asked for a sign of life", Deaf::new),
          Saboteur.engine(
              "8.1",
              "does not say who told of a failure",
              engine -> ForwardingCounter.on(engine, Anonymous::new)),
          Saboteur.engine(
              "8.2",
              "is silent about cancels",
              engine -> ForwardingCounter.on(engine, SilentCancel::new)),
          forgetsEarlyAborts(),
          aborts("8.4", "takes nothing back", frame -> frame.putLong(SHARES_AT, 0)),
          aborts("8.5", "forgets that it is in doubt", frame -> clear(frame, DOUBT)),
          aborts(
              "8.6",
              "is told of each write",
              frame -> frame.get(FLAGS_AT) == 0 ? set(frame, FAILS | NOTE) : frame),
          aborts("8.7", "remembers for ever", frame -> clear(frame, RESUMED)),
          Saboteur.nic("17.7", "keeps writes to a peer that was given up", KeepsGivenUp::new)
              .entailing("17.18", "17.23"),
          Saboteur.engine("19.1", "knows no deadline of one transfer", NoDeadline::new)
              .entailing("8.4"),
          Saboteur.engine("19.2", "does not wait when a deadline is over", Impatient::new),
          Saboteur.engine(
              "19.3",
              "knows no deadline of claims",
              engine -> ForwardingCounter.on(engine, Endless::new)),
          Saboteur.engine("20.1", "ends at the first failure", EndsAtFailure::new),
          Saboteur.engine("20.2", "asks upstream for more outcomes", AsksForMore::new),
          barrier("21.1", "passes the first barrier alone", 1).entailing("21.4"),
          barrier("21.2", "passes the third barrier alone", 3),
          Saboteur.engine("21.3", "waits for members that are lost", WaitsForLost::new),
          Saboteur.engine("22.1", "forgets what a word was before", ForgetsPrevious::new),
          Saboteur.engine("22.2", "keeps all changes", KeepsChanges::new),
          Saboteur.engine("22.3", "leaves watchers waiting", LeavesWatchers::new)
              .entailing("15.2", "22.4"),
          blind("22.4", "does not look for accelerators"),
          Saboteur.engine("23.1", "calls nothing worth another try", Hopeless::new),
          Saboteur.engine("23.2", "lists a NIC that has failed", ListsAll::new)
              .entailing("23.4", "23.5"),
          Saboteur.engine("23.3", "goes on without a NIC", NeverClosed::new));

  private EndingSaboteurs() {}

  private static byte kind(ByteBuffer frame) {
    return frame.hasRemaining() ? frame.get(frame.position()) : 0;
  }

  private static final class Deaf extends ForwardingBackend {
    private final AtomicBoolean asked = new AtomicBoolean();
    private final AtomicBoolean spoke;

    Deaf(Backend inner) {
      this(inner, new AtomicBoolean());
    }

    private Deaf(Backend inner, AtomicBoolean spoke) {
      super(
          inner,
          (domain, _) ->
              new ForwardingDomain(domain) {
                @Override
                public PostResult post(Operation op) {
                  spoke.set(true);
                  return inner.post(op);
                }
              });
      this.spoke = spoke;
    }

    @Override
    public CompletionStage<ControlChannel> openControl(ControlContext context) {
      return super.openControl(context)
          .thenApply(channel ->
              new ForwardingControl(channel) {
                @Override
                public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
                  asked.compareAndSet(false, kind(bytes) == ASK);
                  spoke.compareAndSet(false, kind(bytes) != ASK && kind(bytes) != HELLO);
                  return super.send(to, at, bytes);
                }

                @Override
                public int poll(ControlSink sink) {
                  return super.poll(
                      new ForwardingControlSink(sink) {
                        @Override
                        public void received(EngineId sender, ByteBuffer bytes) {
                          if (spoke.get() || !asked.get()) {
                            spoke.set(true);
                            super.received(sender, bytes);
                          }
                        }
                      });
                }
              });
    }
  }

  private static final class Anonymous extends ForwardingCounter {
    Anonymous(ImmCounter inner) {
      super(inner);
    }

    @Override
    public Mono<Void> next(long n) {
      return inner
          .next(n)
          .onErrorMap(
              TransferFailedException.class,
              told -> new TransferFailedException(String.valueOf(told.getMessage())));
    }
  }

  private static final class SilentCancel extends ForwardingCounter {
    SilentCancel(ImmCounter inner) {
      super(inner);
    }

    @Override
    public Mono<Void> next(long n) {
      return inner
          .next(n)
          .onErrorResume(
              TransferFailedException.class,
              told ->
                  String.valueOf(told.getMessage()).contains("cancel")
                      ? Mono.never()
                      : Mono.error(told));
    }
  }

  private static Saboteur forgetsEarlyAborts() {
    Map<EngineId, TransferEngine> engines = new ConcurrentHashMap<>();
    Sabotage sabotage =
        new Sabotage() {
          @Override
          public TransferEngine engine(TransferEngine engine) {
            engines.put(engine.id(), engine);
            return engine;
          }

          @Override
          public Backend beneathEngine(Backend backend) {
            return new ForwardingBackend(
                backend,
                (nic, _) -> nic,
                (inner, context) ->
                    changing(
                        inner,
                        frame -> {
                          TransferEngine engine = engines.get(context.identity().id());
                          boolean waits = engine != null && engine.stats().pendingClaims() > 0;
                          return waits ? frame : clear(frame, FAILS | NOTE);
                        }));
          }
        };
    return new Saboteur("8.3", "forgets what was told too early", inner -> inner, sabotage)
        .entailing("8.4", "8.6");
  }

  private static ByteBuffer clear(ByteBuffer frame, int flag) {
    return frame.put(FLAGS_AT, (byte) (frame.get(FLAGS_AT) & ~flag));
  }

  private static ByteBuffer set(ByteBuffer frame, int flags) {
    return frame.put(FLAGS_AT, (byte) (frame.get(FLAGS_AT) | flags));
  }

  /** An engine that understands aborts in another way. */
  private static Saboteur aborts(String rule, String defect, UnaryOperator<ByteBuffer> change) {
    return Saboteur.talks(rule, defect, inner -> changing(inner, change));
  }

  /** A channel that reports aborts otherwise than they came. */
  private static ControlChannel changing(ControlChannel inner, UnaryOperator<ByteBuffer> change) {
    return new ForwardingControl(inner) {
      @Override
      public int poll(ControlSink sink) {
        return super.poll(
            new ForwardingControlSink(sink) {
              @Override
              public void received(EngineId sender, ByteBuffer bytes) {
                if (kind(bytes) == ABORT) {
                  byte[] copy = new byte[bytes.remaining()];
                  bytes.get(bytes.position(), copy);
                  super.received(sender, change.apply(ByteBuffer.wrap(copy)));
                } else {
                  super.received(sender, bytes);
                }
              }
            });
      }
    };
  }

  private static final class KeepsGivenUp extends ForwardingDomain {
    KeepsGivenUp(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
      return CompletableFuture.completedStage(null);
    }
  }

  private static final class NoDeadline extends ForwardingEngine {
    NoDeadline(TransferEngine inner) {
      super(inner);
    }

    @Override
    public <T extends Transfer> Mono<T> submit(T transfer, Duration deadline) {
      return inner.submit(transfer);
    }
  }

  private static final class Impatient extends ForwardingEngine {
    Impatient(TransferEngine inner) {
      super(inner);
    }

    @Override
    public <T extends Transfer> Mono<T> submit(T transfer) {
      Duration deadline = options().transferDeadline();
      return deadline.compareTo(Duration.ofSeconds(1)) > 0
          ? inner.submit(transfer)
          : inner
              .submit(transfer)
              .timeout(deadline)
              .onErrorMap(TimeoutException.class, e -> new DeadlineExceededException("too late"));
    }
  }

  private static final class Endless extends ForwardingCounter {
    Endless(ImmCounter inner) {
      super(inner);
    }

    @Override
    public ImmCounter within(Duration deadline) {
      return this;
    }
  }

  private static final class EndsAtFailure extends ForwardingEngine {
    EndsAtFailure(TransferEngine inner) {
      super(inner);
    }

    @Override
    public <T extends Transfer> Flux<Outcome<T>> submitEach(Publisher<? extends T> transfers) {
      return inner.<T>submitEach(transfers).takeUntil(outcome -> !outcome.isDone());
    }
  }

  private static final class AsksForMore extends ForwardingEngine {
    AsksForMore(TransferEngine inner) {
      super(inner);
    }

    @Override
    public <T extends Transfer> Flux<Outcome<T>> submitEach(Publisher<? extends T> transfers) {
      return inner.submitEach(Flux.from(transfers).limitRate(64));
    }
  }

  private static Saboteur barrier(String rule, String defect, int round) {
    return Saboteur.engine(
        rule,
        defect,
        engine -> {
          AtomicInteger rounds = new AtomicInteger();
          return new ForwardingEngine(engine) {
            @Override
            public Mono<Void> barrier(String name, PeerGroup group) {
              Mono<Void> right = inner.barrier(name, group);
              return Mono.defer(() ->
                  rounds.incrementAndGet() == round
                      ? Mono.firstWithSignal(right, Mono.delay(MOMENT).then())
                      : right);
            }
          };
        });
  }

  private static final class WaitsForLost extends ForwardingEngine {
    WaitsForLost(TransferEngine inner) {
      super(inner);
    }

    @Override
    public Mono<Void> barrier(String name, PeerGroup group) {
      return inner
          .barrier(name, group)
          .onErrorResume(PeerUnreachableException.class, lost -> Mono.never());
    }
  }

  private static Saboteur blind(String rule, String defect) {
    return new Saboteur(
        rule,
        defect,
        inner -> inner,
        new Sabotage() {
          @Override
          public EngineEnvironment environment(EngineEnvironment environment) {
            return environment.toBuilder().devices(Devices.none()).build();
          }
        });
  }

  private static final class ForgetsPrevious extends ForwardingEngine {
    ForgetsPrevious(TransferEngine inner) {
      super(inner);
    }

    @Override
    public Flux<Change> watch(Memory word) {
      return inner.watch(word).map(change -> new Change(0, change.current()));
    }
  }

  private static final class KeepsChanges extends ForwardingEngine {
    KeepsChanges(TransferEngine inner) {
      super(inner);
    }

    @Override
    public Flux<Change> watch(Memory word) {
      return inner.watch(word).onBackpressureBuffer();
    }
  }

  private static final class LeavesWatchers extends ForwardingEngine {
    LeavesWatchers(TransferEngine inner) {
      super(inner);
    }

    @Override
    public Flux<Change> watch(Memory word) {
      return inner
          .watch(word)
          .onErrorResume(TransferRejectedException.class, closed -> Flux.never());
    }
  }

  private static final class Hopeless extends ForwardingEngine {
    Hopeless(TransferEngine inner) {
      super(inner);
    }

    @Override
    public <T extends Transfer> Mono<T> submit(T transfer) {
      return inner
          .submit(transfer)
          .onErrorMap(
              TransferFailedException.class,
              failure ->
                  new TransferFailedException(
                      String.valueOf(failure.getMessage()),
                      new Origin(failure.peer(), failure.nic(), failure.code()),
                      failure.getCause()));
    }
  }

  private static final class ListsAll extends ForwardingEngine {
    private final List<Nic> all;

    ListsAll(TransferEngine inner) {
      super(inner);
      this.all = inner.nics();
    }

    @Override
    public List<Nic> nics() {
      return all;
    }
  }

  private static final class NeverClosed extends ForwardingEngine {
    private volatile boolean told;

    NeverClosed(TransferEngine inner) {
      super(inner);
    }

    @Override
    public boolean isClosed() {
      return told && inner.isClosed();
    }

    @Override
    public Mono<Void> close() {
      return Mono.defer(() -> {
        told = true;
        return inner.close();
      });
    }
  }
}
