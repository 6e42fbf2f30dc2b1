package io.reactivetransfer.weights.remote;

import io.reactivetransfer.Access;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.check.ChecksumScope;
import io.reactivetransfer.weights.internal.End;
import io.reactivetransfer.weights.internal.Listener;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Step;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.run.RunProgress;
import io.reactivetransfer.weights.run.SourceMemory;
import io.reactivetransfer.weights.run.TrainerRank;
import io.reactivetransfer.weights.version.VersionLease;
import io.reactivetransfer.weights.version.WeightsRank;
import io.reactivetransfer.weights.version.WriteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Has an inference rank do what an order says, with what it serves: it takes a lease, registers the
 * buffer of that, has a trainer's rank write it, and undoes all of it in turn. So no byte that is
 * read changes, and nothing is kept between two orders.
 */
final class ServedRuns implements OrderRuns {

  private static final Logger LOG = Loggers.getLogger(ServedRuns.class);

  private final WeightsRank rank;
  private final Supplier<VersionLease> leases;
  private final RoutingTable table;
  private final int source;
  private final RunOptions options;

  /** Those whose buffer may be read yet. */
  private final Set<Fill> fills = ConcurrentHashMap.newKeySet();

  /** Of the last fill: it tells checksums as long as inference ranks do not hear them. */
  private final AtomicReference<@Nullable OrderWriter> telling = new AtomicReference<>();

  /**
   * Those of a rank.
   *
   * @param leases gives a lease of what is served, or throws
   */
  ServedRuns(
      WeightsRank rank, Supplier<VersionLease> leases, RoutingTable table, RunOptions options) {
    this.rank = Objects.requireNonNull(rank, "rank");
    this.leases = leases;
    this.table = Objects.requireNonNull(table, "table");
    this.options = Objects.requireNonNull(options, "options");
    this.source = table.sources().stream().map(Rank::name).toList().indexOf(rank.name());
    if (source < 0) {
      throw new IllegalArgumentException(
          "expected a table in which rank " + rank.name() + " is a source, got " + table);
    }
    table.requireStepsOf(source);
    for (Step step : table.steps(source)) {
      if (!(step instanceof Step.Write)) {
        throw new IllegalArgumentException(
            "expected a table in which rank "
                + rank.name()
                + " writes what it has, got one in which it prepares tensor "
                + table.tensors().get(step.tensor()).tensor().name()
                + "; trainers have to do that");
      }
    }
  }

  @Override
  public String name() {
    return rank.name();
  }

  @Override
  public Flux<RunProgress> write(WriteOrder order, ChecksumScope scope) {
    return Flux.usingWhen(
        Mono.fromSupplier(() -> begin(order)),
        fill -> fill.run(order, scope),
        Fill::end,
        (fill, failure) -> fill.end(),
        Fill::end);
  }

  private Fill begin(WriteOrder order) {
    VersionLease lease = leases.get();
    if (lease.version() != order.version()) {
      lease.close();
      throw new IllegalStateException(
          "expected version "
              + order.version()
              + " at rank "
              + rank.name()
              + ", which is to fill others with it, got "
              + lease.version());
    }
    Fill fill = new Fill(lease);
    fills.add(fill);
    return fill;
  }

  @Override
  public Mono<Void> whenQuiet() {
    return Mono.defer(
        () -> Mono.whenDelayError(List.copyOf(fills).stream().map(fill -> fill.quiet).toList()));
  }

  @Override
  public void close() {
    tell(null);
  }

  private void tell(@Nullable OrderWriter next) {
    OrderWriter before = telling.getAndSet(next);
    if (before != null) {
      before.close();
    }
  }

  /** One order, from its lease until that is given back. */
  private final class Fill {
    final End quiet = new End();
    private final VersionLease lease;
    private final Disposable.Swap watching = Disposables.swap();
    private final List<MemoryRegion> regions = new ArrayList<>();
    private @Nullable TrainerRank trainer;

    /** The region that is registered last. */
    private @Nullable Mono<MemoryRegion> pending;

    private boolean isOver;

    Fill(VersionLease lease) {
      this.lease = lease;
    }

    Flux<RunProgress> run(WriteOrder order, ChecksumScope scope) {
      return Flux.fromIterable(lease.regions())
          .concatMap(this::register)
          .map(SourceMemory::of)
          .collectList()
          .flatMap(this::open)
          .flatMapMany(opened -> {
            watchRank(opened);
            OrderWriter writer = new OrderWriter(rank.engine(), opened, table);
            tell(writer);
            return writer.write(order, scope);
          });
    }

    /** A cancel does not end it: what is registered then is seen, and closed. */
    private synchronized Mono<MemoryRegion> register(Memory memory) {
      if (isOver) {
        return Mono.empty();
      }
      Mono<MemoryRegion> region =
          rank.engine().register(memory, Access.LOCAL).doOnNext(this::registered).cache();
      pending = region;
      return region;
    }

    private Mono<TrainerRank> open(List<SourceMemory> memory) {
      return TrainerRank.open(rank.engine(), table, source, memory, options).doOnNext(this::opened);
    }

    private synchronized void registered(MemoryRegion region) {
      regions.add(region);
    }

    private synchronized void opened(TrainerRank made) {
      if (isOver) { // cancelled while this came
        Listener.ofEnd(made.close(), () -> {}, failure -> {});
      }
      trainer = made;
    }

    /** Who closes the rank may free its memory. */
    private void watchRank(TrainerRank of) {
      Runnable stop = () -> Listener.ofEnd(of.close(), () -> {}, failure -> {});
      watching.update(Listener.ofEnd(rank.statuses(), stop, failure -> stop.run()));
    }

    /** Completes when the lease is given back, and never fails. */
    Mono<Void> end() {
      return Mono.defer(() -> {
        Mono<Void> last = stop();
        watching.dispose();
        return last.onErrorComplete() // what could not be registered is not read
            .then(Mono.defer(this::undo))
            .then(Mono.<Void>fromRunnable(this::over))
            .doOnError(this::neverQuiet)
            .onErrorComplete();
      });
    }

    /** Registers nothing more; completes when the last region is registered. */
    private synchronized Mono<Void> stop() {
      isOver = true;
      return pending == null ? Mono.empty() : pending.then();
    }

    private Mono<Void> undo() {
      TrainerRank opened;
      List<MemoryRegion> registered;
      synchronized (this) {
        opened = trainer;
        registered = List.copyOf(regions);
      }
      return (opened == null ? Mono.<Void>empty() : opened.close())
          .onErrorComplete() // closing the regions tells whether they are read
          .then(Mono.whenDelayError(registered.stream().map(MemoryRegion::close).toList()));
    }

    private void over() {
      lease.close();
      fills.remove(this);
      quiet.complete();
    }

    /** Nobody knows whether a NIC still reads the buffer: so it keeps its lease. */
    private void neverQuiet(Throwable failure) {
      LOG.warn("rank {} gives a lease never back", rank.name(), failure);
      quiet.fail(failure);
    }
  }
}
