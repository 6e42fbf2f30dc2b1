package io.reactivetransfer.tck;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.EngineStats;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.IdleStrategy;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.EngineEnvironment;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * What one test needs: engines, memory, probes. At its end everything is closed, and nothing may be
 * left.
 */
final class Stage implements AutoCloseable {

  /** Changes some options of an engine. */
  interface Tuning extends UnaryOperator<EngineOptions.Builder> {}

  /** Long enough for a machine that does other things for a while. */
  private static final Duration CALM = Duration.ofMinutes(1);

  private static final Duration SETUP = Duration.ofSeconds(10);

  /**
   * A test has up to a dozen NICs that have nothing to do nearly all of its time: as long as their
   * threads spin, they keep the processors from those of which something is expected. And who
   * sleeps sooner has to be woken more often.
   */
  static final IdleStrategy IDLE = IdleStrategy.backOff().withSpins(20);

  private static final String FOLDER = "reactive-transfer-tck";

  /** With an accelerator, for those that serve it. */
  private static final EngineEnvironment ENVIRONMENT =
      EngineEnvironment.system().toBuilder().devices(BareNic.DEVICE.asDevices()).build();

  private final TransferConformance kit;
  private final Profile profile;
  private final Patience patience;

  /** For what is not under test: an engine that is slow to open is no broken rule. */
  private final Patience calm;

  private final Backend backend;
  private final Random random;
  private final Arena arena = Arena.ofShared();
  private final Dropped dropped;
  private int lastImm = 99;
  private final List<TransferEngine> engines = new ArrayList<>();
  private final List<Valve> valves = new ArrayList<>();
  private final List<Runnable> atEnd = new ArrayList<>();
  private final List<TransferEngine> refusing = new ArrayList<>();
  private @Nullable Scheduler signals;
  private @Nullable Duo duo;

  Stage(TransferConformance kit, long seed) {
    this.kit = kit;
    this.profile = kit.profile();
    this.patience = new Patience(profile.signalTimeout(), profile.silence());
    this.calm = new Patience(longer(profile.signalTimeout(), SETUP), profile.silence());
    this.random = new Random(seed);
    this.backend = kit.backend();
    this.dropped = Dropped.record(); // last: without a stage, nobody ends it
  }

  /** Has the engines signal where the code of a subscriber may block. */
  Stage signalsMayBlock() {
    signals = Schedulers.boundedElastic();
    return this;
  }

  Backend backend() {
    return backend;
  }

  Profile profile() {
    return profile;
  }

  /** Two engines with a NIC each: made for who asks first, and the same ones from then on. */
  Duo duo() {
    Duo present = duo;
    if (present == null) {
      present = Duo.open(this, 1);
      duo = present;
    }
    return present;
  }

  Patience patience() {
    return patience;
  }

  Random random() {
    return random;
  }

  /** Skips the test, visibly, if the backend was declared not to be able to do this. */
  void require(Capability capability) {
    String reason = profile.missing().get(capability);
    if (reason != null) {
      abort("the backend declares that it lacks " + capability + ": " + reason);
    }
  }

  /** Skips the test, visibly, unless the backend runs here and has that many NICs. */
  void requireNics(int nics) {
    AvailabilityCheck.whyNot(backend)
        .ifPresent(why -> {
          if (!AvailabilityCheck.mayBeSkipped(profile)) {
            throw AvailabilityCheck.failure(profile, why);
          }
          abort(why);
        });
    try {
      backend.nics(nics);
    } catch (BackendException e) {
      abort("needs " + nics + " NICs: " + e.getMessage());
    }
  }

  /** An engine with so many NICs. */
  TransferEngine open(int nics) {
    return open(nics, options -> options);
  }

  /** An engine with so many NICs and some options of its own. */
  TransferEngine open(int nics, Tuning tuning) {
    return open(nics, backend, tuning);
  }

  /** An engine whose NICs are behind a valve. */
  TransferEngine open(int nics, Valve valve) {
    return open(nics, valve, options -> options);
  }

  /** An engine whose NICs are behind a valve, with some options of its own. */
  TransferEngine open(int nics, Valve valve, Tuning tuning) {
    valves.add(valve);
    return open(nics, valve.before(backend), tuning);
  }

  private TransferEngine open(int nics, Backend on, Tuning tuning) {
    requireNics(nics);
    EngineOptions.Builder options =
        EngineOptions.builder()
            .nics(nics)
            .minPieceBytes(1)
            .idle(IDLE)
            .signalScheduler(signals)
            .connectTimeout(patience.signal().dividedBy(2))
            .livenessDeadline(CALM)
            .closeTimeout(patience.signal().dividedBy(2));
    Sabotage sabotage = kit.sabotage();
    TransferEngine engine =
        Probe.on(
                "opening an engine",
                calm,
                TransferEngineBuilder.create()
                    .backend(sabotage.beneathEngine(on))
                    .options(sabotage.options(tuning.apply(options).build()))
                    .environment(sabotage.environment(ENVIRONMENT))
                    .open(),
                Long.MAX_VALUE)
            .awaitOne();
    TransferEngine seen = sabotage.engine(engine);
    engines.add(seen);
    return seen;
  }

  /** This engine was closed by the test itself, and did not say that all is well. */
  void closedWithAnError(TransferEngine engine) {
    refusing.add(engine);
  }

  /** Has something done at the end, before the engines close. */
  void atEnd(Runnable action) {
    atEnd.add(action);
  }

  /** Memory of an engine that others may write to. */
  Plot plot(TransferEngine owner, long length) {
    return plot(owner, length, Access.REMOTE_WRITE);
  }

  /** Memory of an engine. */
  Plot plot(TransferEngine owner, long length, Access access) {
    MemorySegment noise = Plot.noise(kit.memory(arena), random, length);
    MemoryRegion region =
        Probe.on(
                "registering memory",
                calm,
                owner.register(new HostMemory(Plot.within(noise)), access),
                Long.MAX_VALUE)
            .awaitOne();
    return Plot.of(owner, noise, region);
  }

  /** Plain memory that nobody has registered. */
  MemorySegment memory(long length) {
    return Plot.within(Plot.noise(kit.memory(arena), random, length));
  }

  /**
   * Memory that is larger than what it takes: zeros of a sparse file, of which only what is written
   * has room somewhere.
   *
   * @throws IOException if this machine has none
   */
  MemorySegment sparse(long length) throws IOException {
    if (!kit.memory(arena).equals(arena)) {
      abort(
          "where the memory of this test class comes from, there is none of " + length + " bytes");
    }
    return mapped(Files.createTempDirectory(FOLDER), length, arena).getFirst();
  }

  /**
   * Noise that two see: the first one until its arena is closed, the second one until the test
   * ends.
   *
   * @throws IOException if this machine has no such memory
   */
  List<MemorySegment> twice(long length, Arena first) throws IOException {
    if (!kit.memory(arena).equals(arena)) {
      abort("where the memory of this test class comes from, there is none that ends");
    }
    List<MemorySegment> views = mapped(folderInMemory(2 * length), length, first, arena);
    byte[] noise = new byte[Math.toIntExact(length)];
    random.nextBytes(noise);
    views.getLast().copyFrom(MemorySegment.ofArray(noise));
    return views;
  }

  /**
   * A new one, in memory where the system has such, and enough of it: cards may refuse what a file
   * has on a disk.
   */
  private static Path folderInMemory(long length) throws IOException {
    Path memory = Path.of("/dev/shm");
    boolean isRoomy =
        Files.isWritable(memory) && Files.getFileStore(memory).getUsableSpace() > length;
    return isRoomy ? Files.createTempDirectory(memory, FOLDER) : Files.createTempDirectory(FOLDER);
  }

  /** One sparse file in a folder that goes with it, mapped for each of these. */
  private static List<MemorySegment> mapped(Path folder, long length, Arena... arenas)
      throws IOException {
    Path file = folder.resolve("sparse");
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.SPARSE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      List<MemorySegment> views = new ArrayList<>();
      for (Arena each : arenas) {
        views.add(channel.map(MapMode.READ_WRITE, 0, length, each));
      }
      return views;
    } finally {
      Files.deleteIfExists(file);
      Files.delete(folder);
    }
  }

  /** A plot as another engine knows it, which got the descriptor as bytes. */
  RemoteRegion seenBy(TransferEngine origin, Plot plot) {
    return origin.remote(RegionDescriptor.fromBytes(plot.region().descriptor().toBytes()));
  }

  /** A part of a plot as another engine's target. */
  RemoteSlice target(TransferEngine origin, Plot plot, long offset, long length) {
    return seenBy(origin, plot).slice(offset, length);
  }

  /** An immediate that this test has not used yet. */
  Imm imm() {
    return Imm.of(++lastImm);
  }

  /** Subscribes with unbounded demand. */
  <T> Probe<T> probe(String name, Publisher<T> publisher) {
    return probe(name, publisher, Long.MAX_VALUE);
  }

  <T> Probe<T> probe(String name, Publisher<T> publisher, long demand) {
    return Probe.on(name, patience, publisher, demand);
  }

  /** Waits for the one value of a publisher. */
  <T> T get(Publisher<T> publisher) {
    return probe("a publisher of one value", publisher).awaitOne();
  }

  /** Waits until a publisher of nothing has completed. */
  void complete(Publisher<Void> publisher) {
    probe("a publisher of nothing", publisher).awaitCompletion();
  }

  /** Submits a transfer and waits until it is done. */
  <T extends Transfer> T done(TransferEngine origin, T transfer) {
    return probe(transfer.getClass().getSimpleName(), origin.submit(transfer)).awaitOne();
  }

  /** Claims arrivals, and returns when the claim waits at the engine. */
  Probe<Void> claim(TransferEngine target, Imm imm, long arrivals) {
    long before = target.stats().pendingClaims();
    Probe<Void> claim = probe("a claim of " + arrivals, target.counter(imm).next(arrivals));
    patience.until("a waiting claim", () -> target.stats().pendingClaims() > before);
    return claim;
  }

  /** Lets time pass, for what is a matter of time. */
  void rest(Duration time) {
    long begin = System.nanoTime();
    patience.until("time to pass", () -> System.nanoTime() - begin > time.toNanos());
  }

  /** Returns when the engine has heard of everything that was asked of it before. */
  void fence(TransferEngine engine) {
    get(engine.counter(imm()).discard());
  }

  /** Waits until so many pieces with an immediate have arrived at an engine in all. */
  void awaitArrivals(TransferEngine target, long pieces) {
    patience.until(pieces + " arrivals", () -> target.stats().arrivals() >= pieces);
  }

  /** Waits until every byte of a plot is what it should be. */
  void awaitBytes(String what, Plot plot) {
    try {
      patience.until("the bytes", plot::isAsExpected);
    } catch (AssertionError late) {
      plot.assertAsExpected(what);
    }
  }

  /** Closes everything, even if one of them fails; fails if anything is left. */
  @Override
  public void close() {
    Ending ending = new Ending();
    valves.forEach(valve -> ending.step(valve::open));
    atEnd.reversed().forEach(ending::step);
    engines.removeAll(refusing);
    engines.reversed().forEach(engine -> ending.step(() -> close(engine)));
    if (ending.isClean()) {
      engines.forEach(engine -> ending.step(() -> requireEmpty(engine)));
    }
    if (ending.isClean()) { // or else a NIC may still write there
      ending.step(arena::close);
    }
    valves.forEach(
        valve -> ending.step(() -> assertTrue(valve.faults().isEmpty(), valve.faults()::toString)));
    ending.step(() -> assertTrue(dropped.all().isEmpty(), dropped.all()::toString));
    ending.step(dropped::close);
    ending.end();
  }

  private void close(TransferEngine engine) {
    Probe.on("closing an engine", calm, engine.close(), Long.MAX_VALUE).awaitCompletion();
  }

  private void requireEmpty(TransferEngine engine) {
    patience.until("nothing left, got " + engine.stats(), () -> isEmpty(engine));
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private static boolean isEmpty(TransferEngine engine) {
    EngineStats stats = engine.stats();
    return Stream.concat(stats.nics().values().stream(), engine.peers().stream().map(Peer::stats))
            .allMatch(each -> each.writesInFlight() == 0 && each.transfersWaiting() == 0)
        && stats.transfersInFlight() == 0
        && stats.writesInFlight() == 0
        && stats.openRegions() == 0
        && stats.pendingClaims() == 0;
  }
}
