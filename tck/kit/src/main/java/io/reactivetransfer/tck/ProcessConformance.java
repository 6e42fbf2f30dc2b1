package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.process.EngineProcess;
import io.reactivetransfer.tck.process.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Chapter 25 of the specification, for backends that reach other processes: a peer's process is
 * killed, is stopped, goes on, is started anew. Extend it beside {@link TransferConformance}:
 *
 * <pre>{@code
 * class MyProcessConformanceTest extends ProcessConformance {
 *   static final class Mine implements Supplier<Backend> {
 *     public Backend get() {
 *       return new MyBackend();
 *     }
 *   }
 *
 *   @Override
 *   protected Class<? extends Supplier<Backend>> backend() {
 *     return Mine.class;
 *   }
 * }
 * }</pre>
 *
 * <p>Each rule starts a JVM with the class path of this one. On Linux only: there one can see that
 * a process stands still.
 */
@Execution(ExecutionMode.SAME_THREAD)
@ResourceLock("io.reactivetransfer.tck")
@ExtendWith(AvailabilityCheck.class)
@DisplayNameGeneration(RuleNames.class)
@TestMethodOrder(MethodOrderer.MethodName.class)
@EnabledOnOs(OS.LINUX)
public abstract class ProcessConformance {

  private static final int BYTES = 1 << 20;
  private static final Imm IMM = Imm.of(7);
  private static final Imm OTHER = Imm.of(8);
  private static final byte WRITTEN = 1;
  private static final byte AFTERWARDS = 9;

  /** So many that no queue on the way holds them all. */
  private static final int MANY = 1_000_000;

  /** So many that there is a connection, of each NIC, and writes are under way. */
  private static final int SOME = 20;

  /** For which a process stands still that must not be given up. */
  private static final Duration SHORT_STOP = Duration.ofMillis(400);

  private ProcessStage stage;

  /** For the test class of a backend. */
  @SuppressWarnings("NullAway.Init") // set before each test
  protected ProcessConformance() {}

  /**
   * What gives the backend, in this process and in the others; has a constructor without arguments.
   */
  protected abstract Class<? extends Supplier<Backend>> backend();

  /** How to run the rules, and what the backend cannot do. */
  protected Profile profile() {
    return Profile.defaults();
  }

  /** Options of the other processes' JVMs, besides {@code --enable-native-access=ALL-UNNAMED}. */
  protected List<String> jvmOptions() {
    return List.of("-Xmx256m");
  }

  @BeforeEach
  final void openStage() {
    stage = new ProcessStage(this, ProcessStage.LIVENESS, BYTES);
  }

  @AfterEach
  final void closeStage() {
    stage.close();
  }

  /** Memory of another process, to which something was written. */
  private RemoteRegion connect(EngineProcess child) {
    RemoteRegion target = stage.engine().remote(child.memory("m", BYTES));
    stage.writeUntilDone(target, IMM);
    return target;
  }

  private void assertNames(EngineProcess child, PeerUnreachableException lost) {
    assertThat(lost.peer()).as("the peer that an error names").isEqualTo(child.id());
  }

  /** A stream without an end to a process, a claim that waits for it, and what is known of it. */
  private record Pending(Probe<Void> stream, Probe<Void> claim, Probe<PeerState> states) {}

  private Pending waitFor(EngineProcess child) {
    RemoteRegion target = connect(child);
    assertThat(child.call("write", stage.descriptorText(), OTHER.value(), 4, 64, WRITTEN))
        .isEqualTo("4 written");
    Probe<PeerState> states = stage.probe("states", stage.peer(child).state());
    stage.awaitState(states, PeerState.Alive.class);
    Probe<Void> claim =
        stage.probe(
            "a bound claim", stage.engine().counter(OTHER).boundTo(stage.peer(child)).next(5));
    return new Pending(stage.streamUnderWay(target, IMM, SOME), claim, states);
  }

  private void assertEnds(Pending pending, EngineProcess child) {
    assertNames(child, pending.stream().awaitError(PeerUnreachableException.class));
    assertNames(child, pending.claim().awaitError(PeerUnreachableException.class));
    stage.awaitState(pending.states(), PeerState.Lost.class);
    stage.complete(stage.region().quiesced());
    assertEquals(0, stage.engine().stats().transfersInFlight(), "transfers in flight");
  }

  @Test
  final void r25_1_theDeathOfAProcessEndsWhatWaitsForIt() {
    stage.require(Capability.LOST_PEERS);
    EngineProcess child = stage.start();
    Pending pending = waitFor(child);
    child.kill();
    assertEnds(pending, child);
  }

  @Test
  final void r25_2_aProcessThatStandsStillIsLost() {
    stage.require(Capability.LOST_PEERS);
    EngineProcess child = stage.start();
    Pending pending = waitFor(child);
    child.pause();
    assertEnds(pending, child);
  }

  @Test
  final void r25_3_aShortStopFailsNothing() {
    stage.close();
    stage = new ProcessStage(this, SHORT_STOP.multipliedBy(20), BYTES);
    EngineProcess child = stage.start();
    RemoteRegion target = connect(child);
    Probe<PeerState> states = stage.probe("states", stage.peer(child).state());
    stage.awaitState(states, PeerState.Alive.class);
    child.pause();
    Probe<?> stream = stage.probe("100 writes", stage.writes(target, IMM, 100));
    stage.watch("no failure of a short stop", SHORT_STOP, () -> !stream.isTerminated());
    child.resume();
    stream.awaitCompletion();
    assertThat(child.call("count", IMM.value(), 101)).isEqualTo("all 101");
    assertThat(states.values()).as("states").noneMatch(PeerState.Lost.class::isInstance);
  }

  @Test
  final void r25_4_aLostProcessThatGoesOnComesBack() {
    stage.require(Capability.LOST_PEERS);
    EngineProcess child = stage.start();
    Pending pending = waitFor(child);
    child.pause();
    assertEnds(pending, child);
    EngineId before = child.id();
    child.resume();
    stage.awaitState(pending.states(), PeerState.Alive.class);
    RemoteRegion again = stage.engine().remote(child.memory("n", BYTES));
    stage.memory().fill(AFTERWARDS);
    stage.writeUntilDone(again, OTHER);
    assertThat(child.call("values", "n")).as("bytes").isEqualTo(String.valueOf(AFTERWARDS));
    assertEquals(before, child.id());
  }

  @Test
  final void r25_5_nothingOfALostProcessLandsWhereThatIsPromised() {
    stage.require(Capability.LOST_PEERS);
    assumeTrue(
        stage.engine().fencesLostPeers(), "the backend declares that it fences no lost peers");
    EngineProcess child = stage.start();
    CompletableFuture<String> stream = letWrite(child);
    Probe<Void> claim =
        stage.probe(
            "a bound claim", stage.engine().counter(OTHER).boundTo(stage.peer(child)).next(1));
    child.pause();
    assertNames(child, claim.awaitError(PeerUnreachableException.class));
    goOnAndCompare(child, stream);
  }

  @Test
  final void r25_6_aProcessThatIsStartedAnewIsAnotherPeer() {
    stage.require(Capability.LOST_PEERS);
    EngineProcess first = stage.start();
    RegionDescriptor old = first.memory("m", BYTES);
    Probe<PeerState> states = stage.probe("states", stage.peer(first).state());
    RemoteRegion view = stage.engine().remote(old);
    stage.writeUntilDone(view, IMM);
    stage.awaitState(states, PeerState.Alive.class);
    first.kill();
    stage.awaitState(states, PeerState.Lost.class);
    EngineProcess second = stage.start();
    RemoteRegion fresh = stage.engine().remote(second.memory("m", BYTES));
    assertThat(second.id()).as("engine id").isNotEqualTo(first.id());
    stage.memory().fill(WRITTEN);
    stage.writeUntilDone(fresh, OTHER);
    stage.memory().fill(AFTERWARDS);
    assertNames(
        first,
        stage
            .probe("a write to the old process", stage.writes(view, IMM, 1))
            .awaitError(PeerUnreachableException.class));
    assertThat(second.call("values", "m")).as("bytes").isEqualTo(String.valueOf(WRITTEN));
  }

  @Test
  final void r25_7_revokingNeedsNoHelpOfAStoppedProcess() {
    stage.require(Capability.REVOCATION);
    EngineProcess child = stage.start();
    CompletableFuture<String> stream = letWrite(child);
    child.pause();
    stage.complete(stage.region().revoke());
    goOnAndCompare(child, stream);
  }

  @Test
  final void r25_8_aProcessThatStoodStillLearnsWhatWasGivenUpMeanwhile() {
    stage.require(Capability.LOST_PEERS);
    EngineProcess child = stage.start();
    RemoteRegion target = connect(child);
    CompletableFuture<String> claim = child.ask("count", OTHER.value(), MANY);
    Probe<Void> stream = stage.streamUnderWay(target, OTHER, SOME);
    child.pause();
    assertNames(child, stream.awaitError(PeerUnreachableException.class));
    assertThat(claim).as("a claim of a process that stands still").isNotDone();
    child.resume();
    stage.awaitFailure("a claim of a process that goes on", claim);
    assertThat(Waiting.failure(claim, stage.patience().signal()))
        .as("what it is told")
        .hasMessageContaining(TransferFailedException.class.getSimpleName())
        .hasMessageContaining(stage.engine().id().toShortString());
  }

  /** Has a process write to this one's memory on and on. */
  private CompletableFuture<String> letWrite(EngineProcess child) {
    CompletableFuture<String> stream =
        child.ask("write", stage.descriptorText(), IMM.value(), MANY, BYTES, WRITTEN);
    stage.complete(stage.engine().counter(IMM).next(SOME));
    return stream;
  }

  /** Whatever a stopped process does when it goes on: this memory is not its business any more. */
  private void goOnAndCompare(EngineProcess child, CompletableFuture<String> stream) {
    stage.memory().fill(AFTERWARDS);
    stage.probe("discard", stage.engine().counter(IMM).discard()).awaitOne();
    long arrivals = stage.engine().stats().arrivals();
    child.resume();
    stage.awaitFailure("the stream of a process that went on", stream);
    stage.watch(
        "memory that a stopped process changes no more",
        stage.patience().silence().multipliedBy(3),
        stage::memoryIsUniform);
    assertEquals(arrivals, stage.engine().stats().arrivals(), "arrivals");
  }

  @Test
  final void r25_9_timeInWhichAllStandStillIsNobodysSilence() {
    EngineProcess child = stage.start();
    Pending pending = waitFor(child);
    child.pauseWithThisProcess(ProcessStage.LIVENESS.multipliedBy(2));
    stage.watch(
        "no failure of a stop of both sides",
        ProcessStage.LIVENESS,
        () -> !pending.stream().isTerminated() && !pending.claim().isTerminated());
    assertThat(pending.states().values()).as("states").noneMatch(PeerState.Lost.class::isInstance);
    assertThat(child.call("write", stage.descriptorText(), OTHER.value(), 1, 64, WRITTEN))
        .isEqualTo("1 written");
    pending.claim().awaitCompletion();
  }
}
