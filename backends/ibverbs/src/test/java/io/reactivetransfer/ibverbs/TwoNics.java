package io.reactivetransfer.ibverbs;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.ibverbs.ffi.Verbs;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.LongUnaryOperator;

/**
 * Two NICs of engines 1 and 2 on one thread, which carries what they have to say to each other. One
 * writes, the other is written to.
 */
final class TwoNics {

  private static final int DEPTH = 64;
  private static final Duration CONNECT_TIMEOUT = Duration.ofMillis(500);
  private static final Duration ACK_TIMEOUT = Duration.ofMillis(1);
  private static final long PATIENCE_NANOS = 10_000_000_000L;

  private final Recorder atOrigin = new Recorder();
  private final Recorder atTarget = new Recorder();
  private final List<Domain> open = new ArrayList<>();
  private final List<Long> taken = new ArrayList<>();
  private RemotePeer toTarget;
  private RemotePeer toOrigin;
  private long tokens;

  /**
   * Opens the second and then the first one.
   *
   * @param search with these calls the ports are looked for
   * @param verbs and with these the NICs work
   */
  TwoNics(Verbs search, Verbs verbs) {
    AckTiming timing = AckTiming.of(ACK_TIMEOUT, 6);
    VerbsSettings settings = new VerbsSettings(List.of(), OptionalInt.empty(), timing);
    List<Port> ports = PortFinder.find(search, settings).ports();
    try {
      for (int i = 0; i < 2; i++) {
        OpenContext context =
            OpenContext.builder(new EngineId(i + 1, i + 1), 0, () -> {})
                .nicDepth(DEPTH)
                .connectTimeout(CONNECT_TIMEOUT)
                .build();
        open.add(VerbsDomain.open(verbs, ports.get(i), timing, new Random(i), context));
      }
      toTarget = origin().resolve(new EngineId(2, 2), 0, target().address());
      toOrigin = target().resolve(new EngineId(1, 1), 0, origin().address());
    } catch (BackendException e) {
      open.forEach(Domain::close);
      throw e;
    }
  }

  Domain origin() {
    return open.getFirst();
  }

  Domain target() {
    return open.get(1);
  }

  Recorder atOrigin() {
    return atOrigin;
  }

  Recorder atTarget() {
    return atTarget;
  }

  LocalMemory source(MemorySegment bytes) {
    return join(origin().register(new HostMemory(bytes), Access.LOCAL));
  }

  LocalMemory openToOrigin(MemorySegment bytes) {
    return join(target().register(new HostMemory(bytes), Access.REMOTE_WRITE));
  }

  /** What a stage gives, or the exception of a NIC that it fails with. */
  static <T> T join(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof BackendException refusal) {
        throw refusal;
      }
      throw e;
    }
  }

  RemoteMemory named(LocalMemory memory, long length) {
    return origin().resolve(toTarget, memory.key(), length);
  }

  /** Polls both, and waits for neither. */
  void turn() {
    turn(origin(), atOrigin, target(), toOrigin);
    turn(target(), atTarget, origin(), toTarget);
  }

  /** Polls the second one only; the first one hears what that says, and is not polled. */
  void turnTarget() {
    turn(target(), atTarget, origin(), toTarget);
  }

  /** The first one hears this of the second one. */
  void hear(ByteBuffer message) {
    origin().fromPeer(toTarget, message);
  }

  /** The first one gives the second one up. */
  CompletionStage<Void> giveUp() {
    return origin().disconnect(toTarget, "the test gives it up");
  }

  private static void turn(Domain nic, Recorder sink, Domain other, RemotePeer self) {
    if (nic.poll(sink) == 0) {
      try {
        nic.prepareWait();
      } catch (BackendException e) {
        // then the engine does not wait
      }
    }
    for (byte[] next = sink.said().poll(); next != null; next = sink.said().poll()) {
      other.fromPeer(self, ByteBuffer.wrap(next));
    }
  }

  /** Turns until it is so. */
  void until(String what, BooleanSupplier condition) {
    long begin = System.nanoTime();
    while (!condition.getAsBoolean()) {
      turn();
      if (System.nanoTime() - begin > PATIENCE_NANOS) {
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
  void write(
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
    origin().flush();
    untilAllAreReported();
  }

  void untilAllAreReported() {
    until(
        "a report of all of " + taken,
        () -> {
          origin().flush();
          return taken.stream().allMatch(token -> atOrigin.reportsOf(token) > 0);
        });
  }

  private long losses() {
    return atOrigin.count("lost") + atOrigin.count("broken");
  }

  /** Posts one; whether it was taken over. */
  private boolean post(Operation write) {
    boolean took = origin().post(write).isTaken();
    origin().flush();
    if (took) {
      taken.add(write.token());
    }
    return took;
  }

  /** Writes reported more than once, or without having been taken over, and doubled immediates. */
  List<String> wrongReports() {
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
  void disconnect() {
    var fences =
        List.of(
            origin().disconnect(toTarget, "the test gives it up").toCompletableFuture(),
            target().disconnect(toOrigin, "the test gives it up").toCompletableFuture());
    atOrigin.said().clear();
    atTarget.said().clear();
    until("the fences to end", () -> fences.stream().allMatch(each -> each.isDone()));
    fences.forEach(each -> each.join());
  }

  /** Forgets both peers. */
  void release() {
    origin().release(toTarget);
    target().release(toOrigin);
    turn();
  }

  /** Closes both; whether both could be closed. */
  boolean close() {
    boolean closed = true;
    for (Domain each : open.reversed()) {
      try {
        each.close();
      } catch (BackendException e) {
        closed = false;
      }
    }
    return closed;
  }
}
