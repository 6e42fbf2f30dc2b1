package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Signal;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.process.EngineProcess;
import io.reactivetransfer.tck.process.EngineProgram;
import io.reactivetransfer.tck.process.ProcessBackend;
import io.reactivetransfer.tck.process.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
import reactor.core.publisher.Flux;

/**
 * Chapter 25 of the specification, for backends that reach other processes: a peer's process is
 * killed, is stopped, goes on, is started anew, is cut off. Extend it beside {@link
 * TransferConformance}:
 *
 * <pre>{@code
 * class MyNicProcessConformanceTest extends ProcessConformance {
 *   static final class Mine implements ProcessBackend {
 *     @Override
 *     public Backend get() {
 *       return new MyNicBackend();
 *     }
 *
 *     @Override
 *     public Backend at(String advertisedHost, int port) {
 *       return MyNicBackend.builder().advertised(advertisedHost).port(port).build();
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
 * <p>The other processes are JVMs with the class path of this one. A rule has those that the rules
 * before it have not killed, with another engine; with {@link Chapters#ALL} each has its own. On
 * Linux only: there one can see that a process stands still.
 */
@Execution(ExecutionMode.SAME_THREAD)
@ResourceLock("io.reactivetransfer.tck")
@ExtendWith({AvailabilityCheck.class, RuleGroup.FailureTeller.class})
@DisplayNameGeneration(RuleNames.class)
@TestMethodOrder(MethodOrderer.MethodName.class)
@EnabledOnOs(OS.LINUX)
public abstract class ProcessConformance extends AddressRules {

  /** For which a process stands still that must not be given up. */
  private static final Duration SHORT_STOP = Duration.ofMillis(400);

  /** Not in doubt after what has failed. */
  private static final int FURTHER_IMM = 500_000;

  /** Bytes of a write of which many are done in a short time. */
  private static final int SHORT = 64;

  /** Of what shows something only if the machine was not too busy. */
  private static final int ATTEMPTS = 5;

  /** For the test class of a backend. */
  protected ProcessConformance() {}

  /**
   * What gives the backend, in this process and in the others; has a constructor without arguments.
   * Better a {@link ProcessBackend}: without it, nobody comes back at the same address, and nobody
   * is cut off.
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

  @Override
  final ProcessStage newStage(Duration liveness) {
    return newStage(liveness, profile().signalTimeout());
  }

  @Override
  final ProcessStage newStage(Duration liveness, Duration connectTimeout) {
    return new ProcessStage(this, liveness, connectTimeout, BYTES);
  }

  @Test
  final void r25_1_theDeathOfAProcessEndsWhatWaitsForIt() {
    stage().require(Capability.LOST_PEERS);
    EngineProcess child = stage().start();
    EngineProcess other = stage().start();
    Pending pending = waitFor(child);
    Probe<Void> unbound = stage().probe("a claim", stage().engine().counter(OTHER).next(MANY));
    child.kill();
    assertEnds(pending, child);
    unbound.assertPending();
    unbound.cancel();
    assertWritable(other, "m", connect(other), WRITTEN);
  }

  @Test
  final void r25_2_aProcessThatStandsStillIsLostAndReadsItsMemoryNoMore() {
    stage().require(Capability.LOST_PEERS);
    EngineProcess child = stage().start();
    Pending pending = waitFor(child);
    child.pause();
    assertEnds(pending, child);
    stage().end(); // the memory is freed
    child.resume();
    assertThat(child.call("values", "m")).as("bytes").isEqualTo("0," + WRITTEN);
  }

  @Test
  final void r25_3_aShortStopFailsNothing() {
    reopen(SHORT_STOP.multipliedBy(20));
    EngineProcess child = stage().start();
    RemoteRegion target = connect(child);
    Probe<PeerState> states = stage().probe("states", stage().peer(child).state());
    stage().awaitState(states, PeerState.Alive.class);
    child.pause();
    Probe<?> stream = stage().probe("100 writes", stage().writes(target, IMM, 100));
    // A card may take in all of it without its process, so it may be done, but not have failed.
    stage()
        .watch(
            "nobody lost in a short stop",
            SHORT_STOP,
            () -> states.values().stream().noneMatch(PeerState.Lost.class::isInstance));
    child.resume();
    stream.awaitCompletion();
    assertThat(child.call("count", IMM.value(), 101)).isEqualTo("all 101");
    assertThat(states.values()).as("states").noneMatch(PeerState.Lost.class::isInstance);
  }

  @Test
  final void r25_4_aLostProcessThatGoesOnComesBack() {
    stage().require(Capability.LOST_PEERS);
    EngineProcess child = stage().start();
    Pending pending = waitFor(child);
    child.pause();
    assertEnds(pending, child);
    EngineId before = child.id();
    child.resume();
    stage().awaitState(pending.states(), PeerState.Alive.class);
    RemoteRegion again = stage().engine().remote(child.memory("n", BYTES));
    assertWritable(child, "n", again, AFTERWARDS);
    assertEquals(before, child.id());
    child.call("await", stage().engine().address().toText(), "Alive");
    assertMessagesFlow(child);
  }

  /** More than there is credit for, in both directions. */
  private void assertMessagesFlow(EngineProcess child) {
    int count = 4 * stage().engine().options().messageCredits();
    List<Integer> numbers = IntStream.range(0, count).boxed().toList();
    Probe<Integer> here =
        stage()
            .probe(
                "messages",
                stage().engine().messages().take(count).map(one -> one.bytes().getInt()));
    CompletableFuture<String> there = child.ask("receive", count);
    CompletableFuture<String> sent = child.ask("send", stage().engine().address().toText(), count);
    stage()
        .complete(
            Flux.fromIterable(numbers)
                .concatMap(number ->
                    stage().engine().send(stage().peer(child), EngineProgram.bytes(number))));
    here.awaitCompletion();
    assertThat(here.values()).as("messages here").isEqualTo(numbers);
    assertThat(there.join())
        .as("messages there")
        .isEqualTo(numbers.stream().map(String::valueOf).collect(Collectors.joining(",")));
    assertThat(sent.join()).isEqualTo("sent");
  }

  @Test
  final void r25_5_nothingOfALostProcessLandsWhereThatIsPromised() {
    stage().require(Capability.LOST_PEERS);
    assumeTrue(
        stage().engine().fencesLostPeers(), "the backend declares that it fences no lost peers");
    EngineProcess child = stage().start();
    CompletableFuture<String> stream = letWrite(child);
    Probe<Void> claim =
        stage()
            .probe(
                "a bound claim",
                stage().engine().counter(OTHER).boundTo(stage().peer(child)).next(1));
    child.pause();
    assertNames(child, claim.awaitError(PeerUnreachableException.class));
    goOnAndCompare(child, stream);
  }

  @Test
  final void r25_6_aProcessThatIsStartedAnewIsAnotherPeer() {
    stage().require(Capability.LOST_PEERS);
    EngineProcess first = stage().start();
    RegionDescriptor old = first.memory("m", BYTES);
    Probe<PeerState> states = stage().probe("states", stage().peer(first).state());
    RemoteRegion view = stage().engine().remote(old);
    stage().writeUntilDone(view, IMM);
    stage().awaitState(states, PeerState.Alive.class);
    first.kill();
    stage().awaitState(states, PeerState.Lost.class);
    EngineProcess second = stage().startAnew();
    RemoteRegion fresh = stage().engine().remote(second.memory("m", BYTES));
    assertThat(second.id()).as("engine id").isNotEqualTo(first.id());
    stage().memory().fill(WRITTEN);
    stage().writeUntilDone(fresh, OTHER);
    stage().memory().fill(AFTERWARDS);
    assertNames(
        first,
        stage()
            .probe("a write to the old process", stage().writes(view, IMM, 1))
            .awaitError(PeerUnreachableException.class));
    assertThat(second.call("values", "m")).as("bytes").isEqualTo(String.valueOf(WRITTEN));
  }

  @Test
  final void r25_7_revokingNeedsNoHelpOfAStoppedProcess() {
    stage().require(Capability.REVOCATION);
    EngineProcess child = stage().start();
    CompletableFuture<String> stream = letWrite(child);
    child.pause();
    stage().complete(stage().region().revoke());
    goOnAndCompare(child, stream);
  }

  @Test
  final void r25_7_norDoesClosingMemoryThatItWasWritingTo() {
    stage().require(Capability.REVOCATION);
    EngineProcess child = stage().start();
    CompletableFuture<String> stream = letWrite(child);
    child.pause();
    stage().complete(stage().region().close());
    goOnAndCompare(child, stream);
  }

  @Test
  final void r25_11_whatWasOnItsWayToAStoppedProcessRespectsItsRevocation() {
    stage().require(Capability.REVOCATION);
    stage().require(Capability.LOST_PEERS);
    EngineProcess child = stage().start();
    RemoteRegion target = connect(child);
    stage().memory().fill(WRITTEN);
    Probe<Void> stream = stage().streamUnderWay(target, OTHER, SOME);
    child.pause();
    CompletableFuture<String> revoked = child.ask("revoke-and-fill", "m", AFTERWARDS);
    assertNames(child, stream.awaitError(PeerUnreachableException.class));
    child.resume();
    RegionDescriptor renewed = EngineProgram.descriptor(revoked.join());
    Probe<PeerState> states = stage().probe("states", stage().peer(child).state());
    stage().awaitState(states, PeerState.Alive.class);
    stage()
        .probe("a write with the old key", stage().writes(target, Imm.of(FURTHER_IMM), 1))
        .awaitError(TransferException.class);
    // Only when the way is open again can what a NIC kept arrive, and it needs a while for that.
    stage().writeUntilDone(stage().engine().remote(child.memory("n", BYTES)), OTHER);
    stage()
        .patience()
        .throughout(() ->
            assertThat(child.call("values", "m"))
                .as("bytes")
                .isEqualTo(String.valueOf(AFTERWARDS)));
    assertWritable(child, "m", stage().engine().remote(renewed), WRITTEN);
  }

  @Test
  final void r25_12_closingNeedsNoHelpOfAStoppedProcess() {
    reopen(ProcessStage.CALM);
    EngineProcess child = stage().start();
    Pending pending = waitFor(child);
    child.pause();
    stage().complete(stage().engine().close());
    pending.stream().awaitError(TransferException.class);
    pending.claim().awaitError(TransferException.class);
  }

  @Test
  final void r25_8_aProcessThatStoodStillLearnsWhatWasGivenUpMeanwhile() {
    stage().require(Capability.LOST_PEERS);
    EngineProcess child = stage().start();
    RemoteRegion target = connect(child);
    CompletableFuture<String> claim = child.ask("count", OTHER.value(), MANY);
    Probe<Void> stream = stage().streamUnderWay(target, OTHER, SOME);
    child.pause();
    assertNames(child, stream.awaitError(PeerUnreachableException.class));
    assertThat(claim).as("a claim of a process that stands still").isNotDone();
    child.resume();
    stage().awaitFailure("a claim of a process that goes on", claim);
    assertThat(Waiting.failure(claim, stage().patience().signal()))
        .as("what it is told")
        .hasMessageContaining(TransferFailedException.class.getSimpleName())
        .hasMessageContaining(stage().engine().id().toShortString());
  }

  @Test
  final void r25_9_timeInWhichAllStandStillIsNobodysSilence() {
    EngineProcess child = stage().start();
    Pending pending = waitFor(child);
    child.pauseWithThisProcess(ProcessStage.LIVENESS.multipliedBy(2));
    stage()
        .watch(
            "no failure of a stop of both sides",
            ProcessStage.LIVENESS,
            () -> !pending.stream().isTerminated() && !pending.claim().isTerminated());
    assertThat(pending.states().values()).as("states").noneMatch(PeerState.Lost.class::isInstance);
    assertThat(child.call("write", stage().descriptorText(), OTHER.value(), 1, 64, WRITTEN))
        .isEqualTo("1 written");
    pending.claim().awaitCompletion();
  }

  @Test
  final void r25_12_norDoesADeadlineWhichEndsATransferWhenItIsQuiet() {
    stage().require(Capability.LOST_PEERS);
    boolean shown = endsByItsDeadlineWhenQuiet();
    for (int attempt = 2; attempt <= ATTEMPTS && !shown; attempt++) {
      reopen(ProcessStage.LIVENESS.multipliedBy(attempt));
      shown = endsByItsDeadlineWhenQuiet();
    }
    assertThat(shown).as("a write was posted before its time was over").isTrue();
  }

  /**
   * Whether writes with deadlines to a process that stands still have shown something. On a busy
   * machine they may not: where the time of the first one was over before it was posted, or where
   * the process was lost before its NIC took no more. For a NIC may take writes for a process that
   * stands still, and they are done then; but not without an end, since the process has to count
   * them.
   */
  private boolean endsByItsDeadlineWhenQuiet() {
    EngineProcess child = stage().start();
    RemoteRegion target = connect(child);
    child.pause();
    long before = stage().engine().stats().writesPosted();
    AtomicBoolean quiet = new AtomicBoolean();
    WriteImm write =
        WriteImm.of(stage().region().slice(0, SHORT), target.slice(0, SHORT), Imm.of(FURTHER_IMM));
    TransferException end =
        stage()
            .probe(
                "writes with deadlines",
                stage()
                    .engine()
                    .submit(Flux.just(write).repeat(), ProcessStage.LIVENESS.dividedBy(5))
                    .doOnError(_ -> quiet.set(stage().engine().stats().transfersInFlight() == 0)))
            .awaitError(TransferException.class);
    assertThat(quiet).as("nothing in flight when " + end + " was told").isTrue();
    if (end instanceof PeerUnreachableException) {
      return false;
    }
    assertThat(end).isInstanceOf(DeadlineExceededException.class);
    return stage().engine().stats().writesPosted() > before;
  }

  @Test
  final void r25_9_whoStoodStillItselfHoldsNobodyForLost() {
    reopen(ProcessStage.CALM);
    Duration liveness = ProcessStage.LIVENESS.multipliedBy(2);
    EngineProcess sleeper = stage().start(liveness);
    String here = stage().engine().address().toText();
    sleeper.call("watch", here);
    sleeper.call("await", here, "Alive");
    String before = sleeper.call("states", here);
    CompletableFuture<String> claim = sleeper.ask("count", IMM.value(), 1, "from", here);
    sleeper.pause();
    stage()
        .watch(
            "a claim of a process that stands still",
            liveness.multipliedBy(2),
            () -> !claim.isDone());
    sleeper.resume();
    stage().complete(stage().engine().submit(Signal.of(stage().peer(sleeper), IMM)).then());
    assertThat(claim)
        .as("a claim of a process that goes on")
        .succeedsWithin(stage().patience().signal())
        .isEqualTo("all 1");
    assertThat(sleeper.call("states", here)).as("states").isEqualTo(before);
  }
}
