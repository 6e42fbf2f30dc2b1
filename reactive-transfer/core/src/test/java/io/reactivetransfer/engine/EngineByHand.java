package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.EngineStats;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.ScriptedNic.Piece;
import io.reactivetransfer.engine.base.HandScheduler;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.peers.Barriers;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.engine.peers.Greeting;
import io.reactivetransfer.engine.peers.IncomingMessages;
import io.reactivetransfer.engine.peers.PeerLink;
import io.reactivetransfer.engine.peers.PeerNic;
import io.reactivetransfer.engine.peers.Peers;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.EngineEnvironment;
import io.reactivetransfer.spi.EngineIdentity;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.reactivestreams.Publisher;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * An engine over {@link ScriptedNic}s that a test turns on its own thread. Signals come on that
 * thread too, within the turn. After each test it closes the engine, and checks that everything
 * ended as it must: one end for each subscription, nothing in flight, no rule of the SPI broken.
 */
public final class EngineByHand implements AfterEachCallback {

  /** The longest message that peers take. */
  static final int LONGEST = 1 << 20;

  static final long REGION = 1 << 24;

  /**
   * Of all tests: the scripted NIC copies nothing, and to clear it takes longer than most tests.
   */
  private static final MemorySegment ROOM = Arena.global().allocate(REGION);

  public final HandLoop loop = new HandLoop();
  final ScriptedBackend backend = new ScriptedBackend(loop);

  /** Where signals come; on the test's thread at once, unless it is set before {@link #open}. */
  public Scheduler signals = Schedulers.immediate();

  /** What else the engine finds; set before {@link #open}. */
  UnaryOperator<EngineEnvironment.Builder> environment = UnaryOperator.identity();

  private final List<Probe<?>> probes = new ArrayList<>();
  private TransferEngine engine;

  // ---- the beginning ----

  public EngineByHand open(int nics) {
    return open(nics, UnaryOperator.identity());
  }

  public EngineByHand open(int nics, UnaryOperator<EngineOptions.Builder> options) {
    Probe<TransferEngine> probe = opening(nics, options);
    turn();
    engine = probe.assertComplete().items().getFirst();
    return this;
  }

  /** NICs that are opened from now on have other capabilities. */
  public void nicsWith(UnaryOperator<Capabilities.Builder> change) {
    backend.change = change;
  }

  /** Begins to open. */
  Probe<TransferEngine> opening(int nics, UnaryOperator<EngineOptions.Builder> options) {
    backend.count = nics;
    EngineOptions.Builder builder = EngineOptions.builder().signalScheduler(signals);
    var found =
        EngineEnvironment.builder()
            .nanoClock(loop::now)
            .identities(() -> EngineIdentity.of(new EngineId(1, 1)));
    return probe(
        TransferEngineBuilder.create()
            .backend(backend)
            .environment(environment.apply(found).build())
            .options(options.apply(builder).build())
            .open());
  }

  public TransferEngine engine() {
    return engine;
  }

  public Peers peers() {
    return parts().peers;
  }

  public Barriers barriers() {
    return parts().barriers;
  }

  public IncomingMessages incoming() {
    return parts().incoming;
  }

  private Parts parts() {
    return ((DefaultTransferEngine) engine).parts;
  }

  /** Does something that only the thread of the NICs may do. */
  public void inTurn(Runnable action) {
    engine.scheduler().schedule(action);
    turn();
  }

  /** How often something came that must not come. */
  public long defects() {
    return ((DefaultTransferEngine) engine).worker.defects().count();
  }

  // ---- time ----

  /** Turns until there is nothing to do; as long as signals are given out by hand, those too. */
  public void turn() {
    do {
      ring();
      loop.runUntilIdle();
    } while (signals instanceof HandScheduler hand && hand.step());
  }

  /** Turns the worker only; signals stay where they are. */
  public void turnWorker() {
    ring();
    loop.runUntilIdle();
  }

  private void ring() {
    if (backend.control() != null) {
      backend.control().context.doorbell().ring();
    }
  }

  /** Lets time pass; nobody rings, so that only what the engine set itself wakes it. */
  public void advance(Duration time) {
    loop.advance(time);
    if (signals instanceof HandScheduler byHand) {
      byHand.runUntilIdle();
    }
  }

  // ---- the control channel and the NICs ----

  public ScriptedControl control() {
    return backend.control();
  }

  public ScriptedNic nic(int index) {
    return backend.opened().get(index);
  }

  public List<ScriptedNic> nics() {
    return backend.opened();
  }

  public List<Piece> posted() {
    return nics().stream().flatMap(nic -> nic.posted().stream()).toList();
  }

  public List<Piece> inFlight() {
    return nics().stream().flatMap(nic -> nic.inFlight().stream()).toList();
  }

  public void complete(Piece piece) {
    nic(piece.nic()).complete(piece);
    turn();
  }

  public void fail(Piece piece) {
    nic(piece.nic()).fail(piece, 5, "told to fail");
    turn();
  }

  /** Completes what is in flight now, and turns. */
  public void completeAll() {
    nics().forEach(ScriptedNic::completeAll);
    turn();
  }

  /** Completes what NICs that are not closed have in flight, and turns. */
  void completeAllUnlessClosed() {
    nics().stream().filter(nic -> !nic.isClosed()).forEach(ScriptedNic::completeAll);
    loop.runUntilIdle();
  }

  /** Completes what is in flight, and what follows from it, until nothing is. */
  public void settle() {
    do {
      completeAll();
    } while (!inFlight().isEmpty());
  }

  /** The session with a peer is lost, and with it what is on its way there. */
  public void lose(Peer peer) {
    control().lose(peer.id(), 104, "told to lose it");
    turn();
  }

  /** One of our NICs loses its way to a peer, which others may have. */
  void loseWay(int nic, Peer peer) {
    nic(nic).lose(peer.id(), 105, "told to lose its way");
    turn();
  }

  // ---- memory, peers, subscriptions ----

  public MemoryRegion region() {
    return region(REGION);
  }

  MemoryRegion region(long length) {
    MemorySegment memory =
        length <= REGION ? ROOM.asSlice(0, length) : Arena.ofAuto().allocate(length);
    Probe<MemoryRegion> probe = probe(engine.register(new HostMemory(memory), Access.REMOTE_WRITE));
    turn();
    return probe.assertComplete().items().getFirst();
  }

  /** The address of another engine of this number. */
  public PeerAddress address(int number) {
    return addressOf(number);
  }

  public static PeerAddress addressOf(int number) {
    return addressOf(new EngineId(100, number));
  }

  private static PeerAddress addressOf(EngineId id) {
    return new PeerAddress(ScriptedBackend.NAME, id, new HostPort("peer" + id.low(), 7400));
  }

  /** What another engine of this number says of its NICs, of which it has so many. */
  public static List<PeerNic> nics(int number, int count) {
    return IntStream.range(0, count)
        .mapToObj(
            i -> new PeerNic(("peer" + number + "nic" + i).getBytes(), ("bell" + i).getBytes()))
        .toList();
  }

  public static RegionDescriptor descriptor(PeerAddress owner, int nics, long length) {
    List<byte[]> keys = IntStream.range(0, nics).mapToObj(i -> ("key" + i).getBytes()).toList();
    return new RegionDescriptor(owner, 1, length, Access.REMOTE_WRITE, keys);
  }

  /** With a key for each NIC that peers have. */
  RegionDescriptor descriptor(int number, long length) {
    return descriptor(address(number), backend.peerNics(), length);
  }

  public Peer peer(int number) {
    return engine.peer(address(number));
  }

  // ---- what a peer says ----

  /** Which acquaintance with a peer it is, for the engine. */
  public int epoch(int number) {
    return ((PeerLink) peer(number)).mail.epoch();
  }

  /** The greeting of a peer that knows the engine. */
  public ByteBuffer hello(int number) {
    return hello(number, 1, epoch(number));
  }

  public ByteBuffer hello(int number, int epoch, int known) {
    return hello(new EngineId(100, number), backend.peerNics(), epoch, known);
  }

  public static ByteBuffer hello(EngineId id, int nics, int epoch, int known) {
    List<PeerNic> list = nics((int) id.low(), nics);
    return new Greeting(epoch, known, LONGEST, addressOf(id), list).toFrame();
  }

  /** A peer lets the engine send so many more messages, on each channel. */
  public ByteBuffer credit(int number, int more) {
    return ControlFrame.credit(
        epoch(number),
        ControlFrame.ALL_CHANNELS,
        more,
        (int) Math.min(Integer.MAX_VALUE, Math.max(0, (long) more * LONGEST)));
  }

  /** What a peer says; then a turn. */
  public void receive(int number, ByteBuffer frame) {
    control().receive(address(number).engine(), frame);
    turn();
  }

  /** Memory of the peer of this number. */
  public RemoteRegion remote(int number) {
    return engine.remote(descriptor(number, REGION));
  }

  /** Subscribes with unbounded demand. */
  public <T> Probe<T> probe(Publisher<T> publisher) {
    return probe(publisher, Probe.unbounded());
  }

  public <T> Probe<T> probe(Publisher<T> publisher, Probe<T> probe) {
    probes.add(probe);
    publisher.subscribe(probe);
    return probe;
  }

  public EngineStats stats() {
    return engine.stats();
  }

  // ---- the end ----

  /** Begins to close, and turns. */
  public Probe<Void> close() {
    Probe<Void> closing = probe(engine.close());
    turn();
    return closing;
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (context.getExecutionException().isEmpty()) {
      end();
    }
  }

  /** Closes the engine, and checks that everything ended as it must. */
  public void end() {
    if (engine != null) {
      nics().forEach(nic -> nic.completing = true);
      Probe<Void> closing = close();
      if (nics().stream().allMatch(nic -> nic.closeFailure == null)) {
        closing.assertComplete();
      } else {
        assertThat(closing.error()).hasMessageContaining("could not be closed");
      }
      loop.end();
      turn();
      assertThat(engine.isClosed()).isTrue();
      assertThat(engine.stats())
          .extracting(
              EngineStats::transfersInFlight,
              EngineStats::writesInFlight,
              EngineStats::openRegions,
              EngineStats::registeredBytes,
              EngineStats::pendingClaims)
          .containsExactly(0L, 0L, 0L, 0L, 0L);
      assertThat(nics()).allMatch(ScriptedNic::isClosed);
      assertThat(control().isClosed()).isTrue();
      assertThat(loop.isClosed()).isTrue();
    }
    assertThat(backend.violations()).isEmpty();
    probes.forEach(Probe::assertLawful);
    probes.forEach(Probe::assertFitToBeShown);
    if (signals instanceof HandScheduler hand) {
      assertThat(hand.liveWorkers()).as("workers of the signal scheduler").isZero();
    }
  }
}
