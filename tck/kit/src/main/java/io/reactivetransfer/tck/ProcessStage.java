package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.process.EngineProcess;
import io.reactivetransfer.tck.process.EngineProgram;
import io.reactivetransfer.tck.process.ProcessBackend;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What a rule about processes needs: an engine of this process, memory of it, other processes. */
final class ProcessStage implements AutoCloseable {

  /** Long enough for a machine that has a lot else to do, and each rule waits for it. */
  static final Duration LIVENESS = Duration.ofSeconds(2);

  private static final Duration CLOSING = Duration.ofSeconds(1);

  /** Between the immediates of one attempt and the next. */
  private static final int FURTHER_IMMS = 1_000;

  /** Of the other processes, which are not to hold this one for lost. */
  static final Duration CALM = Duration.ofMinutes(1);

  private static final long LOOK_NANOS = 1_000_000;

  /** Of all rules of this JVM; at night each rule has processes of its own. */
  static final IdleProcesses IDLE_PROCESSES = new IdleProcesses(!Boolean.getBoolean(Chapters.ALL));

  private final ProcessConformance kit;
  private final IdleProcesses.Kind kind;
  private final Profile profile;
  private final Patience patience;
  private final Arena arena = Arena.ofShared();
  private final List<EngineProcess> processes = new ArrayList<>();

  /** Those of them that may be left to the rules after this one. */
  private final List<EngineProcess> common = new ArrayList<>();

  private final TransferEngine engine;
  private final MemorySegment memory;
  private final MemoryRegion region;
  private boolean closed;

  ProcessStage(ProcessConformance kit, Duration liveness, Duration connectTimeout, int bytes) {
    this.kit = kit;
    this.kind = new IdleProcesses.Kind(kit.backend(), kit.jvmOptions());
    this.profile = kit.profile();
    this.patience = new Patience(profile.signalTimeout(), profile.silence());
    EngineOptions options =
        EngineOptions.builder()
            .livenessDeadline(liveness)
            .connectTimeout(connectTimeout)
            .closeTimeout(CLOSING)
            .minPieceBytes(4_096)
            .idle(Stage.IDLE)
            .build();
    this.engine =
        probe(
                "opening an engine",
                TransferEngineBuilder.create().backend(backendOf(kit)).options(options).open())
            .awaitOne();
    try {
      this.memory = arena.allocate(bytes);
      this.region = probe("registering memory", engine.register(memory)).awaitOne();
    } catch (RuntimeException | Error e) {
      new Ending(e).step(this::end);
      throw e;
    }
  }

  static Backend backendOf(ProcessConformance kit) {
    return EngineProgram.backendOf(kit.backend());
  }

  TransferEngine engine() {
    return engine;
  }

  MemorySegment memory() {
    return memory;
  }

  MemoryRegion region() {
    return region;
  }

  Patience patience() {
    return patience;
  }

  /** Skips the test, visibly, if the backend was declared not to be able to do this. */
  void require(Capability capability) {
    String reason = profile.missing().get(capability);
    if (reason != null) {
      abort("the backend declares that it lacks " + capability + ": " + reason);
    }
  }

  /** Another process with an engine, perhaps one that a rule before has left. */
  EngineProcess start() {
    return start(CALM);
  }

  /** The same, with an engine of this liveness deadline. */
  EngineProcess start(Duration liveness) {
    EngineProcess idle = IDLE_PROCESSES.take(kind, liveness);
    return common(
        idle == null ? EngineProcess.start(kind.backend(), liveness, kind.jvmOptions()) : idle);
  }

  /** Starts another process, where one that has been there for long does not do. */
  EngineProcess startAnew() {
    return common(EngineProcess.start(kind.backend(), CALM, kind.jvmOptions()));
  }

  private EngineProcess common(EngineProcess process) {
    common.add(process);
    return started(process);
  }

  /** Starts another process, whose engine tells others this host, and listens on this port. */
  EngineProcess startAt(String advertisedHost, int port, Duration liveness) {
    Class<? extends ProcessBackend> backend = kit.backend().asSubclass(ProcessBackend.class);
    return started(
        EngineProcess.startAt(backend, advertisedHost, port, liveness, kit.jvmOptions()));
  }

  private EngineProcess started(EngineProcess process) {
    processes.add(process);
    return process.withSignalTimeout(profile.signalTimeout());
  }

  /** Skips the test, visibly, where engines cannot be had at an address. */
  void requireAddresses() {
    if (!ProcessBackend.class.isAssignableFrom(kit.backend())) {
      abort(
          "the class that gives the backend, "
              + kit.backend().getSimpleName()
              + ", gives none at an address: it is no "
              + ProcessBackend.class.getSimpleName());
    }
  }

  /** So many ports: of a control channel, and of each NIC that the backend has by itself. */
  int ports() {
    return 1 + backendOf(kit).nics().size();
  }

  Peer peer(EngineProcess process) {
    return engine.peer(process.address());
  }

  String descriptorText() {
    return EngineProgram.text(region.descriptor());
  }

  <T> Probe<T> probe(String name, Publisher<T> publisher) {
    return Probe.on(name, patience, publisher, Long.MAX_VALUE);
  }

  void complete(Publisher<Void> publisher) {
    probe("a publisher of nothing", publisher).awaitCompletion();
  }

  /** Writes of the whole memory. */
  Flux<WriteImm> writes(RemoteRegion target, Imm imm, long count) {
    WriteImm write = WriteImm.of(region.whole(), target.whole(), imm);
    return engine.submit(Flux.just(write).repeat(count - 1));
  }

  /**
   * Writes, and again if it failed: where it is not the question whether that works at once. Each
   * time under another immediate, because the one before may be in doubt.
   */
  void writeUntilDone(RemoteRegion target, Imm imm) {
    AtomicInteger attempts = new AtomicInteger();
    Mono<Void> write =
        Mono.defer(() -> {
          int further = attempts.getAndIncrement() * FURTHER_IMMS;
          return writes(target, Imm.of(imm.value() + further), 1).then();
        });
    probe("a write that is tried again", write.retry(100)).awaitCompletion();
  }

  /** A stream without an end, when so many of its writes are done. */
  Probe<Void> streamUnderWay(RemoteRegion target, Imm imm, int count) {
    CountDownLatch done = new CountDownLatch(count);
    Probe<Void> stream =
        probe(
            "a stream without an end",
            writes(target, imm, Long.MAX_VALUE).doOnNext(_ -> done.countDown()).then());
    patience.until(count + " writes done", () -> done.getCount() == 0 || stream.isTerminated());
    stream.assertPending();
    return stream;
  }

  /** Waits until a peer is in this state. */
  void awaitState(Probe<PeerState> states, Class<? extends PeerState> state) {
    patience.until(
        "a peer that is " + state.getSimpleName() + ", got " + states.values(),
        () -> !states.values().isEmpty() && state.isInstance(states.values().getLast()));
  }

  /** Waits until something that another process was asked for has failed there. */
  void awaitFailure(String what, CompletableFuture<?> asked) {
    patience.until("an end of " + what, asked::isDone);
    assertThat(asked).as(what).isCompletedExceptionally();
  }

  /** Watches for a while that something is so. */
  void watch(String what, Duration length, BooleanSupplier condition) {
    long begin = System.nanoTime();
    do {
      if (!condition.getAsBoolean()) {
        throw new AssertionError("expected " + what);
      }
      LockSupport.parkNanos(LOOK_NANOS);
    } while (System.nanoTime() - begin < length.toNanos());
  }

  /** Whether all bytes of the memory are this one. */
  boolean memoryIs(byte value) {
    long length = memory.byteSize() - 1;
    return memory.get(ValueLayout.JAVA_BYTE, 0) == value
        && MemorySegment.mismatch(memory, 0, length, memory, 1, length + 1) < 0;
  }

  /** Fails if a byte of the memory is not this one, and says which. */
  void assertMemoryIs(String what, byte value) {
    if (memoryIs(value)) {
      return;
    }
    for (long at = 0; at < memory.byteSize(); at++) {
      byte present = memory.get(ValueLayout.JAVA_BYTE, at);
      if (present != value) {
        throw new AssertionError(
            "expected %s, each byte of it %s, got %s at offset %s of %s"
                .formatted(what, value, present, at, memory.byteSize()));
      }
    }
  }

  /** Closes the engine, then frees the memory, of which nothing makes use any more; once. */
  void end() {
    if (!closed) {
      closed = true;
      Probe.on("closing an engine", patience, engine.close(), Long.MAX_VALUE).awaitCompletion();
      arena.close();
    }
  }

  /** The same, and ends the other processes. */
  @Override
  public void close() {
    close(false);
  }

  /**
   * The same.
   *
   * @param isPassed whether the rule has passed: then rules after it have the processes that it has
   *     not killed
   */
  void close(boolean isPassed) {
    boolean isEnded = false;
    try {
      end();
      isEnded = true;
    } finally {
      for (EngineProcess process : processes) {
        if (isPassed && isEnded && common.contains(process) && process.isThere()) {
          IDLE_PROCESSES.leave(kind, process);
        } else {
          process.close();
        }
      }
    }
  }
}
