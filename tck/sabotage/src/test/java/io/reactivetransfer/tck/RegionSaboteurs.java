package io.reactivetransfer.tck;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Engines whose regions have one defect. */
final class RegionSaboteurs {

  private static final Duration LATE = Duration.ofMillis(5);

  static final List<Saboteur> ALL =
      List.of(
          Saboteur.engine("3.4", "is quiet after the first transfer", QuietTooSoon::new),
          Saboteur.engine("3.5", "closes a busy region at once", RegionSaboteurs::closesBusy)
              .entailing("3.7"),
          Saboteur.engine(
              "3.7",
              "takes memory for quiet that a NIC has not given up",
              engine -> ForwardingRegion.on(engine, TakenForQuiet::new)),
          Saboteur.engine("4.2", "is quiet after a cancel", QuietAfterCancel::new),
          Saboteur.engine("4.5", "keeps registrations that were cancelled", Registers::deaf),
          Saboteur.engine(
                  "9.2",
                  "keeps the name of a revoked region",
                  engine -> ForwardingRegion.on(engine, KeepsName::new))
              .entailing("1.5"),
          Saboteur.engine("12.1", "does not check remote slices", Unchecked::new),
          Saboteur.engine(
              "12.2",
              "slices closed regions",
              engine -> ForwardingRegion.on(engine, SlicesClosed::new)),
          Saboteur.engine("12.5", "has another error for a foreign descriptor", WrongError::new),
          Saboteur.engine("12.12", "registers what was freed", RegistersFreed::new),
          Saboteur.use("14.7", "waits for the registration of memory", WaitsForMemory::new),
          Saboteur.engine("14.8", "has registrations wait for ever", NeverRegisters::new),
          Saboteur.engine("14.1", "registers once for all subscriptions", Registers::once),
          Saboteur.engine(
              "14.2",
              "does not wait when closed again",
              engine -> ForwardingRegion.on(engine, ClosesTwice::new)),
          Saboteur.engine(
              "14.4",
              "has another error for a nameless region",
              engine -> ForwardingRegion.on(engine, Nameless::new)),
          Saboteur.engine(
              "14.5",
              "begins to close too late",
              engine -> ForwardingRegion.on(engine, ClosesLate::new)));

  private RegionSaboteurs() {}

  private static final class QuietTooSoon extends ForwardingEngine {
    private final Sinks.Many<Boolean> ended = Sinks.many().multicast().directBestEffort();

    QuietTooSoon(TransferEngine inner) {
      super(inner);
    }

    @Override
    public <T extends Transfer> Mono<T> submit(T transfer) {
      return inner.submit(transfer).doOnSuccess(done -> ended.tryEmitNext(true));
    }

    @Override
    public Mono<MemoryRegion> register(Memory memory, Access access) {
      return inner
          .register(memory, access)
          .map(region ->
              new ForwardingRegion(region) {
                @Override
                public Mono<Void> quiesced() {
                  return Mono.firstWithSignal(inner.quiesced(), ended.asFlux().next().then());
                }
              });
    }
  }

  private static TransferEngine closesBusy(TransferEngine engine) {
    return ForwardingRegion.on(
        engine,
        region ->
            new ForwardingRegion(region) {
              private final AtomicBoolean once = new AtomicBoolean();

              @Override
              public Mono<Void> close() {
                return Mono.defer(() -> {
                  boolean busy = engine.stats().transfersInFlight() > 0;
                  if (!busy || once.getAndSet(true)) {
                    return inner.close();
                  }
                  inner.close().subscribe();
                  return Mono.empty();
                });
              }
            });
  }

  private static final class TakenForQuiet extends ForwardingRegion {
    TakenForQuiet(MemoryRegion inner) {
      super(inner);
    }

    @Override
    public Mono<Void> quiesced() {
      return inner.quiesced().onErrorComplete();
    }
  }

  private static final class QuietAfterCancel extends ForwardingEngine {
    private volatile boolean cancelled;

    QuietAfterCancel(TransferEngine inner) {
      super(inner);
    }

    @Override
    public <T extends Transfer> Mono<T> submit(T transfer) {
      return inner.submit(transfer).doOnCancel(() -> cancelled = true);
    }

    @Override
    public Mono<MemoryRegion> register(Memory memory, Access access) {
      return inner
          .register(memory, access)
          .map(region ->
              new ForwardingRegion(region) {
                @Override
                public Mono<Void> quiesced() {
                  return Mono.defer(() -> cancelled ? Mono.empty() : inner.quiesced());
                }
              });
    }
  }

  private static final class Registers extends ForwardingEngine {
    private final UnaryOperator<Mono<MemoryRegion>> change;

    private Registers(TransferEngine inner, UnaryOperator<Mono<MemoryRegion>> change) {
      super(inner);
      this.change = change;
    }

    static TransferEngine deaf(TransferEngine engine) {
      return new Registers(engine, Interceptor::deaf);
    }

    static TransferEngine once(TransferEngine engine) {
      return new Registers(
          engine,
          register -> {
            AtomicReference<MemoryRegion> first = new AtomicReference<>();
            return Mono.defer(
                () -> first.get() == null ? register.doOnNext(first::set) : Mono.just(first.get()));
          });
    }

    @Override
    public Mono<MemoryRegion> register(Memory memory, Access access) {
      return change.apply(inner.register(memory, access));
    }
  }

  private static final class KeepsName extends ForwardingRegion {
    private final RegionDescriptor[] first = new RegionDescriptor[1];

    KeepsName(MemoryRegion inner) {
      super(inner);
    }

    @Override
    public RegionDescriptor descriptor() {
      RegionDescriptor present = inner.descriptor();
      first[0] = first[0] == null ? present : first[0];
      return first[0];
    }
  }

  private static final class Unchecked extends ForwardingEngine {
    Unchecked(TransferEngine inner) {
      super(inner);
    }

    @Override
    public RemoteRegion remote(RegionDescriptor descriptor) {
      RemoteRegion region = inner.remote(descriptor);
      return new RemoteRegion() {
        @Override
        public Peer peer() {
          return region.peer();
        }

        @Override
        public long length() {
          return region.length();
        }

        @Override
        public RegionDescriptor descriptor() {
          return descriptor;
        }

        @Override
        public RemoteSlice slice(long offset, long length) {
          boolean within = offset >= 0 && length >= 0 && length <= length() - offset;
          return within ? region.slice(offset, length) : region.slice(0, 0);
        }
      };
    }
  }

  private static final class SlicesClosed extends ForwardingRegion {
    private final MemorySlice open;

    SlicesClosed(MemoryRegion inner) {
      super(inner);
      open = inner.slice(0, 0);
    }

    @Override
    public MemorySlice slice(long offset, long length) {
      return inner.isClosed() ? open : inner.slice(offset, length);
    }
  }

  private static final class WrongError extends ForwardingEngine {
    WrongError(TransferEngine inner) {
      super(inner);
    }

    @Override
    public RemoteRegion remote(RegionDescriptor descriptor) {
      try {
        return inner.remote(descriptor);
      } catch (TransferRejectedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Other memory in its place, as whoever allocates next might get. */
  private static final class RegistersFreed extends ForwardingEngine {
    RegistersFreed(TransferEngine inner) {
      super(inner);
    }

    @Override
    public Mono<MemoryRegion> register(Memory memory, Access access) {
      return inner
          .register(memory, access)
          .onErrorResume(
              TransferRejectedException.class,
              e ->
                  inner.register(new HostMemory(Arena.ofAuto().allocate(memory.length())), access));
    }
  }

  /** Neither takes nor reports anything while it registers. */
  private static final class WaitsForMemory extends ForwardingDomain {
    private final List<CompletionStage<?>> pending = new ArrayList<>();

    WaitsForMemory(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public CompletionStage<LocalMemory> register(Memory memory, Access access) {
      CompletionStage<LocalMemory> stage = super.register(memory, access);
      pending.add(stage);
      return stage;
    }

    @Override
    public PostResult post(Operation op) {
      pending.removeIf(stage -> stage.toCompletableFuture().isDone());
      return pending.isEmpty() ? super.post(op) : PostResult.NIC_BUSY;
    }
  }

  private static final class NeverRegisters extends ForwardingEngine {
    NeverRegisters(TransferEngine inner) {
      super(inner);
    }

    @Override
    public Mono<MemoryRegion> register(Memory memory, Access access) {
      return inner
          .register(memory, access)
          .onErrorResume(
              e -> String.valueOf(e.getMessage()).contains("engine is closed"), e -> Mono.never());
    }
  }

  private static final class ClosesTwice extends ForwardingRegion {
    private final AtomicBoolean closing = new AtomicBoolean();

    ClosesTwice(MemoryRegion inner) {
      super(inner);
    }

    @Override
    public Mono<Void> close() {
      return Mono.defer(() -> closing.getAndSet(true) ? Mono.empty() : inner.close());
    }
  }

  private static final class Nameless extends ForwardingRegion {
    Nameless(MemoryRegion inner) {
      super(inner);
    }

    @Override
    public RegionDescriptor descriptor() {
      if (!access().allowsRemoteWrite()) {
        throw new UnsupportedOperationException("no name");
      }
      return inner.descriptor();
    }
  }

  private static final class ClosesLate extends ForwardingRegion {
    ClosesLate(MemoryRegion inner) {
      super(inner);
    }

    @Override
    public Mono<Void> close() {
      return Mono.defer(
          () -> Mono.fromFuture(Mono.delay(LATE).then(inner.close()).toFuture(), true));
    }
  }
}
