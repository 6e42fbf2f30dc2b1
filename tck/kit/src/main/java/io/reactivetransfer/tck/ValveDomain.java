package io.reactivetransfer.tck;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One NIC behind a {@link Valve}. Gives each write a token of its own, so that it can name its
 * report; and keeps what the NIC refuses, so that a write which is given to it is taken over.
 */
final class ValveDomain extends ForwardingDomain {

  /** What a failure by the valve says. */
  static final int FAILURE_CODE = 4711;

  static final String FAILURE_TEXT = "failed by the conformance kit";

  /**
   * Writes that it can have at least, however few the NIC below takes at a time: what the rules
   * want to see in flight at once must not depend on that.
   */
  private static final int ROOM = 256;

  private record Entry(Valve.Taken write, long token, Operation op) {}

  private record Report(Entry entry, int code, @Nullable String failure, boolean refused) {}

  private final OpenContext context;
  private final Valve valve;
  private final IdentityHashMap<RemotePeer, EngineId> peers = new IdentityHashMap<>();
  private final IdentityHashMap<RemoteMemory, RemotePeer> owners = new IdentityHashMap<>();
  private final ArrayDeque<Entry> waiting = new ArrayDeque<>();

  /** What is chained, and begun when this NIC is flushed. */
  private final ArrayDeque<Entry> chained = new ArrayDeque<>();

  private final Map<Long, Entry> running = new HashMap<>();
  private final List<Report> reports = new ArrayList<>();
  private int writeRefusals;
  private final ArrayDeque<Runnable> heldMemory = new ArrayDeque<>();
  private boolean broken;

  /** Numbers of writes whose way was lost: they are reported as failed, whatever they became. */
  private final Set<Integer> lost = new HashSet<>();

  /** What is done and still to be reported, of one run; how many, and the token of the last one. */
  private int run;

  private long lastOfRun;

  ValveDomain(Domain inner, OpenContext context, Valve valve) {
    super(inner);
    this.context = context;
    this.valve = valve;
  }

  @Override
  public Capabilities capabilities() {
    Capabilities all = inner.capabilities();
    return all.toBuilder()
        .maxWriteBytes(Math.min(all.maxWriteBytes(), valve.maxWriteBytes()))
        .operations(valve.named(all.operations()))
        .maxRows(Math.min(all.maxRows(), valve.maxRows()))
        .queueDepth(Math.min(Math.max(all.queueDepth(), ROOM), valve.queueDepth()))
        .build();
  }

  @Override
  public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
    RemotePeer peer = inner.resolve(engine, nic, address);
    peers.put(peer, engine);
    valve.peers(1);
    return peer;
  }

  @Override
  public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
    RemoteMemory memory = inner.resolve(peer, key, length);
    if (!peers.containsKey(peer)) {
      throw new IllegalStateException("expected a peer that this NIC resolved");
    }
    owners.put(memory, peer);
    valve.targets(1);
    return memory;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // the very same memory
  public void release(RemoteMemory memory) {
    boolean inUse =
        Stream.of(
                waiting.stream(),
                chained.stream(),
                running.values().stream(),
                reports.stream().map(Report::entry))
            .flatMap(entries -> entries)
            .anyMatch(entry -> entry.op().remote() == memory);
    if (inUse || owners.remove(memory) == null) {
      valve.fault("memory was released that " + (inUse ? "is in use" : "is not resolved"));
    }
    valve.targets(-1);
    inner.release(memory);
  }

  @Override
  public void release(RemotePeer peer) {
    if (owners.containsValue(peer)) {
      valve.fault("a peer was released before its memory");
    }
    if (peers.remove(peer) == null) {
      valve.fault("a peer was released that is not resolved");
    }
    valve.peers(-1);
    inner.release(peer);
  }

  @Override
  public PostResult post(Operation op) {
    requireSound("a write");
    if (!capabilities().operations().contains(op.kind())) {
      valve.fault("a NIC was given a " + op.kind() + ", which it does not name");
    }
    if (op.rows() > capabilities().maxRows()) {
      valve.fault("a NIC was given " + op.rows() + " rows at once");
    }
    if (op.isGathered() && op.rows() > capabilities().maxGather()) {
      valve.fault("a NIC was given " + op.rows() + " rows to gather at once");
    }
    if (valve.refusesWrite(writeRefusals)) {
      writeRefusals++;
      context.doorbell().ring();
      return PostResult.NIC_BUSY;
    }
    Valve.Taken write = valve.next(context.nicIndex(), ownerOf(op), op.length(), op.hasImm());
    Entry entry = new Entry(write, op.token(), op.copy().token(write.number()));
    if (valve.fails(write)) {
      end(new Report(entry, FAILURE_CODE, FAILURE_TEXT, valve.refusesFailed()));
      context.doorbell().ring();
    } else if (valve.chains()) {
      chained.add(entry);
    } else if (valve.heldWrites().test(write) || !begin(entry)) {
      waiting.add(entry);
    }
    valve.take(write);
    writeRefusals = 0;
    return PostResult.TAKEN;
  }

  @Override
  public void flush() {
    valve.flushed();
    if (valve.chains() && chained.isEmpty()) {
      valve.fault("a NIC was flushed that had taken nothing over since it was flushed before");
    }
    waiting.addAll(chained);
    chained.clear();
    beginWaiting();
    inner.flush();
  }

  /** Has the NIC below take a write over, if it does now. */
  private boolean begin(Entry entry) {
    if (running.size() >= inner.capabilities().queueDepth() || !inner.post(entry.op()).isTaken()) {
      return false;
    }
    running.put(entry.op().token(), entry);
    return true;
  }

  private void requireSound(String what) {
    if (broken) {
      valve.fault(what + " was given to a NIC that had failed");
    }
  }

  private EngineId ownerOf(Operation op) {
    RemotePeer owner = owners.get(op.remote());
    EngineId engine = owner == null ? null : peers.get(owner);
    if (engine == null) {
      throw new IllegalStateException("expected a target that this NIC resolved");
    }
    return engine;
  }

  @Override
  public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
    EngineId gone = peers.get(peer);
    if (gone == null) {
      valve.fault("a peer was given up that is not resolved");
    }
    valve.givesUp(context.nicIndex());
    CompletionStage<Void> fence = inner.disconnect(peer, reason);
    if (gone != null) {
      failWaiting(gone, 0, reason);
    }
    return fence;
  }

  /** What is held for a peer that is gone fails like what is out to it. */
  private void failWaiting(EngineId peer, int code, String text) {
    Predicate<Entry> failed =
        entry -> {
          boolean gone = entry.write().peer().equals(peer);
          if (gone) {
            end(new Report(entry, code, text, true));
          }
          return gone;
        };
    chained.removeIf(failed);
    waiting.removeIf(failed);
  }

  @Override
  public CompletionStage<LocalMemory> register(Memory memory, Access access) {
    return inTime(() -> inner.register(memory, access));
  }

  @Override
  public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
    return inTime(() -> inner.revoke(memory));
  }

  @Override
  public CompletionStage<Void> deregister(LocalMemory memory) {
    return inTime(() -> inner.deregister(memory).thenRun(this::requireLetGo));
  }

  /** Has it done now, or when the valve lets it. */
  private <T> CompletionStage<T> inTime(Supplier<CompletionStage<T>> action) {
    if (!valve.holdsMemory()) {
      return action.get();
    }
    CompletableFuture<T> later = new CompletableFuture<>();
    heldMemory.add(() -> begin(action, later));
    return later;
  }

  /** The NIC may take its time over it, too. */
  private static <T> void begin(Supplier<CompletionStage<T>> action, CompletableFuture<T> stage) {
    CompletionStage<T> begun;
    try {
      begun = action.get();
    } catch (RuntimeException e) {
      stage.completeExceptionally(e);
      return;
    }
    CompletionStage<T> ignored =
        begun.whenComplete((value, failure) -> {
          if (failure == null) {
            stage.complete(value);
          } else {
            stage.completeExceptionally(failure);
          }
        });
  }

  private int letGo() {
    int done = 0;
    while (!heldMemory.isEmpty() && !valve.holdsMemory()) {
      heldMemory.remove().run();
      done++;
    }
    return done;
  }

  @Override
  public void close() {
    inner.close();
    requireLetGo();
  }

  private void requireLetGo() {
    if (valve.refusesToLetGo()) {
      throw new BackendException(FAILURE_CODE, FAILURE_TEXT);
    }
  }

  @Override
  public int poll(CompletionSink sink) {
    if (!chained.isEmpty()) {
      valve.fault("a NIC was polled before it was flushed after it had taken writes over");
    }
    int moved = breakDown(sink) + loseWays(sink) + letGo();
    int begun = beginWaiting();
    if (begun > 0) {
      inner.flush();
    }
    moved += begun;
    moved += inner.poll(new Reports(sink));
    return moved + report(sink);
  }

  /** Fails what it has at once, except for what the NIC below may still be busy with. */
  private int breakDown(CompletionSink sink) {
    if (broken || !valve.isBroken(context.nicIndex())) {
      return 0;
    }
    broken = true;
    sink.nicFailed(FAILURE_CODE, FAILURE_TEXT);
    reports.replaceAll(report -> new Report(report.entry(), FAILURE_CODE, FAILURE_TEXT, false));
    waiting.addAll(chained);
    chained.clear();
    waiting.forEach(entry -> end(new Report(entry, FAILURE_CODE, FAILURE_TEXT, true)));
    waiting.clear();
    return 1;
  }

  /** As above, of what goes to one peer. */
  private int loseWays(CompletionSink sink) {
    int told = 0;
    for (EngineId peer = valve.nextLostPeer(context.nicIndex());
        peer != null;
        peer = valve.nextLostPeer(context.nicIndex())) {
      told++;
      sink.peerLost(peer, FAILURE_CODE, FAILURE_TEXT);
      EngineId gone = peer;
      reports.replaceAll(
          report -> isTo(gone, report.entry()) ? lost(report.entry(), false) : report);
      running.values().stream()
          .filter(entry -> isTo(gone, entry))
          .forEach(entry -> lost.add(entry.write().number()));
      chained.stream().filter(entry -> isTo(gone, entry)).forEach(entry -> end(lost(entry, true)));
      chained.removeIf(entry -> isTo(gone, entry));
      waiting.stream().filter(entry -> isTo(gone, entry)).forEach(entry -> end(lost(entry, true)));
      waiting.removeIf(entry -> isTo(gone, entry));
    }
    return told;
  }

  private static boolean isTo(EngineId peer, Entry entry) {
    return entry.write().peer().equals(peer);
  }

  private Report lost(Entry entry, boolean refused) {
    lost.add(entry.write().number());
    return new Report(entry, FAILURE_CODE, FAILURE_TEXT, refused);
  }

  private int beginWaiting() {
    int begun = 0;
    Predicate<Valve.Taken> held = valve.heldWrites();
    for (var each = waiting.iterator(); each.hasNext(); ) {
      Entry entry = each.next();
      if (!held.test(entry.write()) && begin(entry)) {
        each.remove();
        begun++;
      }
    }
    return begun;
  }

  private void end(Report report) {
    valve.end();
    reports.add(report);
    reports.sort(Comparator.comparingInt(each -> each.entry().write().number()));
  }

  private int report(CompletionSink sink) {
    int reported = 0;
    Predicate<Valve.Taken> held = valve.heldReports();
    for (var each = reports.iterator(); each.hasNext(); ) {
      Report report = each.next();
      Entry entry = report.entry();
      boolean isHeld = held.test(entry.write()) && !lost.contains(entry.write().number());
      if (!broken && isHeld) {
        continue;
      }
      each.remove();
      lost.remove(entry.write().number());
      reported++;
      valve.reported(entry.write());
      if (report.failure() == null) {
        written(entry.token(), sink);
        continue;
      }
      endRun(sink);
      if (report.refused()) {
        sink.refused(entry.token(), report.code(), report.failure());
      } else {
        sink.failed(entry.token(), report.code(), report.failure());
      }
    }
    endRun(sink);
    return reported;
  }

  /** Reports it now, or together with others of its run. */
  private void written(long token, CompletionSink sink) {
    if (!valve.merges() || !Operation.areOfOneRun(token, lastOfRun)) {
      endRun(sink);
    }
    lastOfRun = token;
    run++;
  }

  private void endRun(CompletionSink sink) {
    int writes = run;
    run = 0;
    if (writes == 1) {
      sink.written(lastOfRun);
    } else if (writes > 1) {
      valve.merged(writes);
      sink.written(lastOfRun, writes);
    }
  }

  /** Keeps the reports back until the valve lets them through; everything else passes. */
  private final class Reports extends ForwardingSink {

    Reports(CompletionSink inner) {
      super(inner);
    }

    @Override
    public void written(long token) {
      keep(token, 0, null, false);
    }

    @Override
    public void written(long token, int writes) {
      if (writes == 1) {
        written(token);
        return;
      }
      valve.fault("a NIC reported writes together that are not of one run");
    }

    @Override
    public void failed(long token, int code, String text) {
      keep(token, code, text, false);
    }

    @Override
    public void refused(long token, int code, String text) {
      keep(token, code, text, true);
    }

    @Override
    public void peerLost(EngineId peer, int code, String text) {
      super.peerLost(peer, code, text);
      failWaiting(peer, code, text);
    }

    private void keep(long token, int code, @Nullable String failure, boolean refused) {
      Entry entry = running.remove(token);
      if (entry == null) {
        valve.fault("a NIC reported a write that it did not have: token " + token);
      } else if (broken || lost.contains(entry.write().number())) {
        end(new Report(entry, FAILURE_CODE, FAILURE_TEXT, false));
      } else {
        end(new Report(entry, code, failure, refused));
      }
    }
  }
}
