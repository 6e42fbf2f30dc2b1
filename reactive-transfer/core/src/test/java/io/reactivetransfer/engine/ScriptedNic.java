package io.reactivetransfer.engine;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * A NIC that does what it is told: it writes down what it gets, and reports only what the test
 * makes it report. What the engine must never do, it notes as a violation.
 */
public final class ScriptedNic implements Domain {

  /** Memory registered here. */
  public record Local(ScriptedNic nic, Memory memory, int id, int version) implements LocalMemory {
    @Override
    public byte[] key() {
      byte[] key = {(byte) nic.index, (byte) id, (byte) version};
      return Arrays.copyOf(key, nic.keyBytes);
    }
  }

  /** Another engine's NIC, resolved here. */
  public record Remote(ScriptedNic nic, EngineId engine, int number, String address)
      implements RemotePeer {}

  /** Another engine's memory, resolved here. */
  public record Target(Remote peer, String key, long length) implements RemoteMemory {}

  /**
   * A write that was taken over.
   *
   * @param gathered where its rows begin within the source, if they are gathered; else nothing
   */
  public record Piece(
      int nic,
      Local source,
      Target target,
      long sourceOffset,
      long targetOffset,
      long length,
      int rows,
      long sourceStride,
      long targetStride,
      List<Long> gathered,
      long token,
      boolean counted,
      int wireImm) {

    /** Where each of its rows begins within the source. */
    public List<Long> sourceOffsets() {
      return isGathered()
          ? gathered
          : LongStream.range(0, rows).mapToObj(row -> sourceOffset + row * sourceStride).toList();
    }

    public boolean isGathered() {
      return !gathered.isEmpty();
    }
  }

  /** What a NIC of a peer has said to this one. */
  public record Heard(Remote from, String text) {}

  final int index;
  public final OpenContext context;
  private final ScriptedBackend backend;
  private final Capabilities capabilities;
  private final Thread thread = Thread.currentThread();
  private final ArrayDeque<Consumer<CompletionSink>> reports = new ArrayDeque<>();
  private final List<Piece> posted = new ArrayList<>();
  private final List<Piece> inFlight = new ArrayList<>();
  private final List<Heard> heard = new ArrayList<>();
  private final Set<RemotePeer> resolved = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<RemoteMemory> targets = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Map<Integer, Local> registered = new HashMap<>();
  private volatile long polls;
  private int ids;
  private int revocations;
  private boolean closed;
  private boolean broken;
  private boolean reporting;

  /** How much it reports in each poll at most. */
  int reportsPerPoll = Integer.MAX_VALUE;

  /** How many writes it takes over before it refuses. */
  public int room = Integer.MAX_VALUE;

  /** Whether the writes of a peer that is given up have failed by the next poll. */
  public boolean failsWhatIsGivenUp = true;

  /** Whether what a peer had on its way is shut out at once. */
  boolean completesFences = true;

  /** One for each peer that was given up. */
  final List<CompletableFuture<Void>> fences = new ArrayList<>();

  /** Whether memory is registered at once. */
  public boolean completesRegistrations = true;

  /** One for each time that memory was registered. */
  public final List<Runnable> endRegistrations = new ArrayList<>();

  /** How long its keys are; 1 to 64 bytes are right. */
  public int keyBytes = 3;

  /** Whether memory is revoked at once. */
  public boolean completesRevocations = true;

  /** One for each time that memory was revoked. */
  public final List<Runnable> endRevocations = new ArrayList<>();

  /** Whether every poll completes all that is in flight. */
  boolean completing;

  // what these calls throw, if anything
  Throwable pollFailure;
  Throwable disconnectFailure;
  Throwable postFailure;

  /** What happens meanwhile on another thread, when a write has been taken. */
  Runnable onPost = () -> {};

  public Throwable registerFailure;
  public Throwable revokeFailure;
  Throwable deregisterFailure;
  public Throwable resolveFailure;

  /** How often a peer was resolved, or was to be. */
  public int resolves;

  Throwable closeFailure;

  /** What an idle thread may wait for. */
  volatile int[] descriptors = MUST_BE_POLLED;

  /** How often it says that there is something to poll before it lets a thread wait. */
  volatile int waitRefusals;

  volatile Throwable prepareFailure;

  ScriptedNic(ScriptedBackend backend, int index, OpenContext context, Capabilities capabilities) {
    this.backend = backend;
    this.index = index;
    this.context = context;
    this.capabilities = capabilities;
  }

  // ---- what a test sees ----

  /** All that was taken over. */
  public List<Piece> posted() {
    return List.copyOf(posted);
  }

  /** What was posted so far is seen no more: a test has many of these. */
  void forgetPosted() {
    posted.clear();
  }

  /** What was taken over and not reported. */
  List<Piece> inFlight() {
    return List.copyOf(inFlight);
  }

  /** What NICs of peers have said. */
  public List<Heard> heard() {
    return List.copyOf(heard);
  }

  /** NICs of peers that are resolved and not released. */
  public int remotes() {
    return resolved.size();
  }

  /** The peer's NIC of this number, as it was resolved last. */
  public Remote remote(EngineId peer, int number) {
    return resolved.stream()
        .map(Remote.class::cast)
        .filter(remote -> remote.engine().equals(peer) && remote.number() == number)
        .findFirst()
        .orElseThrow();
  }

  /** Memory of peers that is resolved and not released. */
  public int targets() {
    return targets.size();
  }

  public int registrations() {
    return registered.size();
  }

  public int revocations() {
    return revocations;
  }

  /** How often it was polled; from any thread. */
  long polls() {
    return polls;
  }

  boolean isClosed() {
    return closed;
  }

  // ---- what a test makes it do, at the next poll ----

  public void report(Consumer<CompletionSink> report) {
    reports.add(report);
  }

  void complete(Piece piece) {
    report(sink -> {
      if (inFlight.remove(piece)) {
        sink.written(piece.token());
      }
    });
  }

  void completeAll() {
    inFlight().forEach(this::complete);
  }

  void fail(Piece piece, int code, String text) {
    report(sink -> {
      if (inFlight.remove(piece)) {
        sink.failed(piece.token(), code, text);
      }
    });
  }

  public void refuse(Piece piece, int code, String text) {
    report(sink -> {
      if (inFlight.remove(piece)) {
        sink.refused(piece.token(), code, text);
      }
    });
  }

  /** It has something to say to a NIC of a peer. */
  public void say(RemotePeer to, String text) {
    report(sink -> sink.toPeer(to, ByteBuffer.wrap(text.getBytes())));
  }

  public void arrive(int wireImm) {
    report(sink -> sink.immArrived(wireImm, CompletionSink.UNKNOWN_BYTES));
  }

  /** Loses its way to a peer as the contract says: first the peer, then each write to it. */
  public void lose(EngineId peer, int code, String text) {
    report(sink -> {
      sink.peerLost(peer, code, text);
      for (Piece piece : inFlight()) {
        if (piece.target().peer().engine().equals(peer)) {
          inFlight.remove(piece);
          sink.failed(piece.token(), code, text);
        }
      }
    });
  }

  /** Breaks: says so, then fails all that is out. */
  public void breakDown(int code, String text) {
    report(sink -> {
      broken = true;
      sink.nicFailed(code, text);
      for (Piece piece : inFlight()) {
        inFlight.remove(piece);
        sink.failed(piece.token(), code, text);
      }
    });
  }

  // ---- what the engine calls ----

  @Override
  public Capabilities capabilities() {
    return capabilities;
  }

  @Override
  public byte[] address() {
    return ("nic" + index).getBytes();
  }

  @Override
  public CompletionStage<LocalMemory> register(Memory memory, Access access) {
    called("register");
    raise(registerFailure);
    Local local = new Local(this, memory, ids++, 0);
    registered.put(local.id(), local);
    CompletableFuture<LocalMemory> registration = new CompletableFuture<>();
    endRegistrations.add(() -> registration.complete(local));
    if (completesRegistrations) {
      registration.complete(local);
    }
    return registration;
  }

  @Override
  public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
    called("revoke");
    raise(revokeFailure);
    revocations++;
    Local old = own(memory);
    Local fresh = new Local(this, old.memory(), old.id(), old.version() + 1);
    registered.put(old.id(), fresh);
    CompletableFuture<LocalMemory> revocation = new CompletableFuture<>();
    endRevocations.add(() -> revocation.complete(fresh));
    if (completesRevocations) {
      revocation.complete(fresh);
    }
    return revocation;
  }

  @Override
  public CompletionStage<Void> deregister(LocalMemory memory) {
    called("deregister");
    raise(deregisterFailure);
    Local old = own(memory);
    registered.remove(old.id());
    for (Piece piece : inFlight) {
      if (piece.source().id() == old.id()) {
        backend.violated("deregistered while in flight: " + piece);
      }
    }
    return CompletableFuture.completedStage(null);
  }

  private Local own(LocalMemory memory) {
    if (!(memory instanceof Local local) || local.nic() != this) {
      backend.violated("memory of another NIC: " + memory);
      throw new IllegalStateException("memory of another NIC");
    }
    if (registered.get(local.id()) != local) {
      backend.violated("not the present registration: " + local);
    }
    return local;
  }

  @Override
  public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
    called("resolve a peer");
    resolves++;
    raise(resolveFailure);
    Remote remote = new Remote(this, engine, nic, new String(address));
    if (resolved.stream().anyMatch(remote::equals)) {
      backend.violated("resolved twice: " + remote);
    }
    resolved.add(remote);
    return remote;
  }

  @Override
  public void fromPeer(RemotePeer from, ByteBuffer message) {
    called("fromPeer");
    requireSound("a message");
    byte[] bytes = new byte[message.remaining()];
    message.get(bytes);
    heard.add(new Heard(known(from), new String(bytes)));
  }

  @Override
  public void release(RemotePeer peer) {
    called("release");
    if (reporting) {
      backend.violated("a peer was released while the NIC reported: " + peer);
    }
    Remote remote = known(peer);
    resolved.remove(remote);
    for (Piece piece : inFlight) {
      if (piece.target().peer() == remote) {
        backend.violated("released while in flight: " + piece);
      }
    }
    for (RemoteMemory target : targets) {
      if (((Target) target).peer() == remote) {
        backend.violated("released with memory that was not: " + target);
      }
    }
  }

  private Remote known(RemotePeer peer) {
    if (!resolved.contains(peer)) {
      backend.violated("a peer of another NIC, or one that was released: " + peer);
      throw new IllegalStateException("an unknown peer");
    }
    return (Remote) peer;
  }

  @Override
  public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
    called("resolve a key");
    raise(resolveFailure);
    Target target = new Target(known(peer), new String(key), length);
    targets.add(target);
    return target;
  }

  @Override
  public void release(RemoteMemory memory) {
    called("release memory");
    if (!targets.remove(memory)) {
      backend.violated("released, and not resolved: " + memory);
    }
    for (Piece piece : inFlight) {
      if (piece.target() == memory) {
        backend.violated("memory released while in flight: " + piece);
      }
    }
  }

  @Override
  public PostResult post(Operation op) {
    called("post");
    requireSound("a post");
    raise(postFailure);
    Local source = own(op.local());
    Target target = (Target) op.remote();
    known(target.peer());
    if (!targets.contains(target)) {
      backend.violated("a target that was released: " + target);
    }
    if (op.length() < 0 || op.length() > capabilities.maxWriteBytes()) {
      backend.violated("a write of " + op.length() + " bytes");
    }
    if (op.rows() < 1 || op.rows() > capabilities.maxRows()) {
      backend.violated("a write of " + op.rows() + " rows");
    }
    if (op.isGathered() && (op.rows() < 2 || op.rows() > capabilities.maxGather())) {
      backend.violated("a write that gathers " + op.rows() + " rows");
    }
    if (op.localOffset() < 0 || op.localOffset() + op.localExtent() > source.memory().length()) {
      backend.violated("a source out of bounds: " + op.localOffset() + " + " + op.localExtent());
    }
    if (op.remoteOffset() < 0 || op.remoteOffset() + op.remoteExtent() > target.length()) {
      backend.violated("a target out of bounds: " + op.remoteOffset() + " + " + op.remoteExtent());
    }
    if (inFlight.size() >= Math.min(context.nicDepth(), capabilities.queueDepth())) {
      backend.violated("more than " + inFlight.size() + " writes in flight");
    }
    if (room == 0) {
      return PostResult.NIC_BUSY;
    }
    room--;
    Piece piece =
        new Piece(
            index,
            source,
            target,
            op.localOffset(),
            op.remoteOffset(),
            op.length(),
            op.rows(),
            op.localStride(),
            op.remoteStride(),
            op.isGathered()
                ? IntStream.range(0, op.rows()).mapToObj(op::localOffset).toList()
                : List.of(),
            op.token(),
            op.hasImm(),
            op.imm());
    posted.add(piece);
    inFlight.add(piece);
    onPost.run();
    return PostResult.TAKEN;
  }

  @Override
  public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
    called("disconnect");
    known(peer);
    for (Piece piece : inFlight()) {
      if (failsWhatIsGivenUp && piece.target().peer().equals(peer)) {
        fail(piece, 0, reason);
      }
    }
    raise(disconnectFailure);
    CompletableFuture<Void> fence = new CompletableFuture<>();
    fences.add(fence);
    if (completesFences) {
      fence.complete(null);
    }
    return fence;
  }

  @Override
  public int poll(CompletionSink sink) {
    called("poll");
    countPoll();
    raise(pollFailure);
    if (completing) {
      completeAll();
    }
    int count = 0;
    Consumer<CompletionSink> next;
    reporting = true;
    try {
      while (count < reportsPerPoll && (next = reports.poll()) != null) {
        next.accept(sink);
        count++;
      }
    } finally {
      reporting = false;
    }
    return count;
  }

  @Override
  public int[] waitDescriptors() {
    called("waitDescriptors");
    return descriptors;
  }

  @Override
  public boolean prepareWait() {
    called("prepareWait");
    raise(prepareFailure);
    if (waitRefusals > 0) {
      waitRefusals--;
      return false;
    }
    return true;
  }

  @Override
  public void close() {
    called("close");
    backend.note("nic" + index + " closed with " + inFlight.size() + " in flight");
    closed = true;
    inFlight.clear();
    raise(closeFailure);
  }

  private void requireSound(String what) {
    if (broken) {
      backend.violated(what + " on NIC " + index + ", which has failed");
    }
  }

  private void called(String what) {
    if (closed) {
      backend.violated(what + " after close of NIC " + index);
    }
    if (Thread.currentThread() != thread) {
      backend.violated(what + " on " + Thread.currentThread() + " instead of " + thread);
    }
  }

  @SuppressWarnings("NonAtomicOperationOnVolatileField") // one thread writes
  private void countPoll() {
    polls++;
  }

  @SuppressWarnings("unchecked") // whatever it is, undeclared
  static <E extends Throwable> void raise(Throwable failure) throws E {
    if (failure != null) {
      throw (E) failure;
    }
  }

  @Override
  public String toString() {
    return "nic" + index;
  }
}
