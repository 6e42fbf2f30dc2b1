package io.reactivetransfer.tck.driver;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.function.LongUnaryOperator;

/**
 * Two NICs of engines 1 and 2 on one thread, which carries what they have to say to each other. One
 * writes, the other is written to; where a test says so, the other way round, too.
 */
public final class TwoNics {

  private static final long ORIGIN = 1;
  private static final long TARGET = 2;
  private static final long PATIENCE_NANOS = 20_000_000_000L;

  /** What takes longer than this waits for a time to be over, or for a thread. */
  private static final long TURNING_NANOS = 10_000_000;

  private static final long PAUSE_NANOS = 50_000;

  private final Domain origin;
  private final Domain target;
  private final Recorder atOrigin = new Recorder();
  private final Recorder atTarget = new Recorder();
  private final RemotePeer toTarget;
  private final RemotePeer toOrigin;
  private final Set<Long> taken = new LinkedHashSet<>();
  private long tokens;

  private TwoNics(Domain origin, Domain target) {
    this.origin = origin;
    this.target = target;
    toTarget = origin.resolve(idOf(TARGET), 0, target.address());
    toOrigin = target.resolve(idOf(ORIGIN), 0, origin.address());
  }

  /**
   * Opens both.
   *
   * @param nicOf opens a NIC of the engine with this number, 1 or 2
   * @throws BackendException if one of them cannot be opened; then the other one is closed
   */
  public static TwoNics open(LongFunction<Domain> nicOf) {
    List<Domain> open = new ArrayList<>();
    try {
      open.add(nicOf.apply(ORIGIN));
      open.add(nicOf.apply(TARGET));
      return new TwoNics(open.getFirst(), open.getLast());
    } catch (BackendException e) {
      open.forEach(Domain::close);
      throw e;
    }
  }

  /** The id of the engine with this number. */
  private static EngineId idOf(long engine) {
    return new EngineId(engine, engine);
  }

  /** The NIC that writes. */
  public Domain origin() {
    return origin;
  }

  /** The NIC that is written to. */
  public Domain target() {
    return target;
  }

  /** What the NIC that writes has reported. */
  public Recorder atOrigin() {
    return atOrigin;
  }

  /** What the NIC that is written to has reported. */
  public Recorder atTarget() {
    return atTarget;
  }

  /** Registers memory that the first one writes from. */
  public LocalMemory source(MemorySegment bytes) {
    return join(origin.register(new HostMemory(bytes), Access.LOCAL));
  }

  /** Registers memory that the second one has written. */
  public LocalMemory openToOrigin(MemorySegment bytes) {
    return join(target.register(new HostMemory(bytes), Access.REMOTE_WRITE));
  }

  /** Registers memory that the second one writes from. */
  public LocalMemory sourceAtTarget(MemorySegment bytes) {
    return join(target.register(new HostMemory(bytes), Access.LOCAL));
  }

  /** Registers memory that the first one has written, as the second one knows it. */
  public RemoteMemory openToTarget(MemorySegment bytes) {
    LocalMemory memory = join(origin.register(new HostMemory(bytes), Access.REMOTE_WRITE));
    return target.resolve(toOrigin, memory.key(), bytes.byteSize());
  }

  /** What a stage gives, or the exception of a NIC that it fails with. */
  public static <T> T join(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof BackendException refusal) {
        throw refusal;
      }
      throw e;
    }
  }

  /** Memory of the second one, as the first one knows it. */
  public RemoteMemory named(LocalMemory memory, long length) {
    return origin.resolve(toTarget, memory.key(), length);
  }

  /** Polls both, and waits for neither. */
  public void turn() {
    turn(origin, atOrigin, target, toOrigin);
    turn(target, atTarget, origin, toTarget);
  }

  /** Polls the second one only; the first one hears what that says, and is not polled. */
  public void turnTarget() {
    turn(target, atTarget, origin, toTarget);
  }

  /** The first one hears this of the second one. */
  public void hear(ByteBuffer message) {
    origin.fromPeer(toTarget, message);
  }

  /** The first one gives the second one up. */
  public CompletionStage<Void> giveUp() {
    return origin.disconnect(toTarget, "the test gives it up");
  }

  private static void turn(Domain nic, Recorder sink, Domain other, RemotePeer self) {
    poll(nic, sink);
    for (byte[] next = sink.said().poll(); next != null; next = sink.said().poll()) {
      other.fromPeer(self, ByteBuffer.wrap(next));
    }
  }

  private static void poll(Domain nic, Recorder sink) {
    nic.flush();
    if (nic.poll(sink) == 0 && nic.waitDescriptors().length > 0) {
      try {
        nic.prepareWait();
      } catch (BackendException e) {
        // then the engine does not wait
      }
    }
  }

  // ---- one of them at a time: the first one, or the second one ----

  /** Polls one; what it has to say is kept until it is delivered. */
  public void poll(boolean isFirst) {
    poll(isFirst ? origin : target, isFirst ? atOrigin : atTarget);
  }

  /** One hears the oldest that the other one has said to it, if there is anything. */
  public void deliverOne(boolean isFirst) {
    byte[] next = (isFirst ? atTarget : atOrigin).said().poll();
    if (next != null && isFirst) {
      origin.fromPeer(toTarget, ByteBuffer.wrap(next));
    } else if (next != null) {
      target.fromPeer(toOrigin, ByteBuffer.wrap(next));
    }
  }

  /** One gives the other one up, which need not know. */
  public void giveUp(boolean isFirst) {
    CompletionStage<Void> ignored =
        isFirst ? giveUp() : target.disconnect(toOrigin, "the test gives it up");
  }

  /** What they have said is lost, and both give each other up. */
  public void loseSession() {
    atOrigin.said().clear();
    atTarget.said().clear();
    giveUp(true);
    giveUp(false);
  }

  /** One posts a write; whether it was taken over. */
  public boolean post(boolean isFirst, Operation write) {
    boolean took = (isFirst ? origin : target).post(write).isTaken();
    if (took) {
      taken.add(write.token());
    }
    return took;
  }

  /** The tokens of those that were taken over, in that order. */
  public Set<Long> taken() {
    return taken;
  }

  /** Turns until it is so. */
  public void until(String what, BooleanSupplier condition) {
    long begin = System.nanoTime();
    while (!condition.getAsBoolean()) {
      turn();
      long waited = System.nanoTime() - begin;
      if (waited > TURNING_NANOS) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
      if (waited > PATIENCE_NANOS) {
        throw new AssertionError(
            "expected "
                + what
                + ", got at the origin "
                + atOrigin.reports()
                + atOrigin.texts()
                + " and at the target "
                + atTarget.reports()
                + atTarget.texts());
      }
    }
  }

  /**
   * Writes some of this length, each with an immediate or without, and waits until each is
   * reported.
   *
   * @param count how many at once
   * @param offset of each in both memories, by its number
   */
  public void write(
      LocalMemory source,
      RemoteMemory target,
      int count,
      LongUnaryOperator offset,
      long length,
      boolean withImm) {
    Operation op = new Operation().between(source, target);
    for (int i = 0; i < count; i++) {
      long token = tokens++;
      op.token(token).range(offset.applyAsLong(i), offset.applyAsLong(i), length);
      Operation write = withImm ? op.withImm((int) token) : op.withoutImm();
      long losses = losses();
      until(
          "write " + token + " to be taken over, or a loss",
          () -> losses() > losses || post(write));
    }
    origin.flush();
    untilAllAreReported();
  }

  public void untilAllAreReported() {
    until(
        "a report of all of " + taken,
        () -> {
          origin.flush();
          return taken.stream().allMatch(token -> atOrigin.reportsOf(token) > 0);
        });
  }

  private long losses() {
    return atOrigin.count("lost") + atOrigin.count("broken");
  }

  /** Posts one; whether it was taken over. */
  private boolean post(Operation write) {
    boolean took = origin.post(write).isTaken();
    origin.flush();
    if (took) {
      taken.add(write.token());
    }
    return took;
  }

  /** Writes reported more than once, or without having been taken over, and doubled immediates. */
  public List<String> wrongReports() {
    List<String> wrong = new ArrayList<>();
    for (long token = 0; token < tokens; token++) {
      long reports = atOrigin.reportsOf(token);
      if (reports != (taken.contains(token) ? 1 : 0)) {
        wrong.add("write " + token + " was reported " + reports + " times");
      }
      if (atTarget.reports().stream().filter(("imm " + token)::equals).count() > 1) {
        wrong.add("immediate " + token + " came twice");
      }
    }
    return wrong;
  }

  /** The session of their engines is over, on both sides; waits until nothing more comes. */
  public void disconnect() {
    var fences =
        List.of(
            origin.disconnect(toTarget, "the test gives it up").toCompletableFuture(),
            target.disconnect(toOrigin, "the test gives it up").toCompletableFuture());
    atOrigin.said().clear();
    atTarget.said().clear();
    until("the fences to end", () -> fences.stream().allMatch(each -> each.isDone()));
    fences.forEach(each -> each.join());
  }

  /** Forgets both peers. */
  public void release() {
    origin.release(toTarget);
    target.release(toOrigin);
    turn();
  }

  /** Closes both; whether both could be closed. */
  public boolean close() {
    boolean closed = true;
    for (Domain each : List.of(target, origin)) {
      try {
        each.close();
      } catch (BackendException e) {
        closed = false;
      }
    }
    return closed;
  }
}
