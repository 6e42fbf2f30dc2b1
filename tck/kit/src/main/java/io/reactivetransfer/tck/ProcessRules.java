package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.reactivetransfer.Imm;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.tck.process.EngineProcess;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the rules of chapter 25 share. */
abstract class ProcessRules {

  static final int BYTES = 1 << 20;
  static final Imm IMM = Imm.of(7);
  static final Imm OTHER = Imm.of(8);
  static final byte WRITTEN = 1;
  static final byte AFTERWARDS = 9;

  /** So many that no queue on the way holds them all. */
  static final int MANY = 1_000_000;

  /** So many that there is a connection, of each NIC, and writes are under way. */
  static final int SOME = 20;

  /** Before what comes after each test, which does not know how the test has ended. */
  @RegisterExtension
  final AfterTestExecutionCallback outcome =
      context -> isPassed = context.getExecutionException().isEmpty();

  private ProcessStage stage;
  private boolean isPassed;

  @SuppressWarnings("NullAway.Init") // set before each test
  ProcessRules() {}

  /** One that waits for a connection as long as for a signal. */
  abstract ProcessStage newStage(Duration liveness);

  abstract ProcessStage newStage(Duration liveness, Duration connectTimeout);

  final ProcessStage stage() {
    return stage;
  }

  /** Another one, with this liveness deadline. */
  final void reopen(Duration liveness) {
    stage.close(true);
    stage = newStage(liveness);
  }

  /** Another one, with these two. */
  final void reopen(Duration liveness, Duration connectTimeout) {
    stage.close(true);
    stage = newStage(liveness, connectTimeout);
  }

  @BeforeEach
  final void openStage() {
    stage = newStage(ProcessStage.LIVENESS);
  }

  @AfterEach
  final void closeStage() {
    stage.close(isPassed);
  }

  @AfterAll
  static void endProcesses() {
    ProcessStage.IDLE_PROCESSES.end();
  }

  /** Memory of another process, to which something was written. */
  final RemoteRegion connect(EngineProcess child) {
    RemoteRegion target = stage.engine().remote(child.memory("m", BYTES));
    stage.writeUntilDone(target, IMM);
    return target;
  }

  static void assertNames(EngineProcess child, PeerUnreachableException lost) {
    assertThat(lost.peer()).as("the peer that an error names").isEqualTo(child.id());
  }

  /** A stream without an end to a process, a claim that waits for it, and what is known of it. */
  record Pending(Probe<Void> stream, Probe<Void> claim, Probe<PeerState> states) {}

  final Pending waitFor(EngineProcess child) {
    RemoteRegion target = connect(child);
    assertThat(child.call("write", stage.descriptorText(), OTHER.value(), 4, 64, WRITTEN))
        .isEqualTo("4 written");
    Probe<PeerState> states = stage.probe("states", stage.peer(child).state());
    stage.awaitState(states, PeerState.Alive.class);
    assertThat(stage.peer(child).present()).isInstanceOf(PeerState.Alive.class);
    Probe<Void> claim =
        stage.probe(
            "a bound claim", stage.engine().counter(OTHER).boundTo(stage.peer(child)).next(5));
    return new Pending(stage.streamUnderWay(target, IMM, SOME), claim, states);
  }

  final void assertEnds(Pending pending, EngineProcess child) {
    assertNames(child, pending.stream().awaitError(PeerUnreachableException.class));
    assertNames(child, pending.claim().awaitError(PeerUnreachableException.class));
    stage.awaitState(pending.states(), PeerState.Lost.class);
    stage.complete(stage.region().quiesced());
    assertEquals(0, stage.engine().stats().transfersInFlight(), "transfers in flight");
  }

  /** A write of this value is done, and makes all that is in that memory of another process. */
  final void assertWritable(EngineProcess child, String memory, RemoteRegion target, byte value) {
    stage.memory().fill(value);
    stage.writeUntilDone(target, OTHER);
    assertThat(child.call("values", memory)).as("bytes").isEqualTo(String.valueOf(value));
  }

  /** Has a process write to this one's memory on and on. */
  final CompletableFuture<String> letWrite(EngineProcess child) {
    CompletableFuture<String> stream =
        child.ask("write", stage.descriptorText(), IMM.value(), MANY, BYTES, WRITTEN);
    stage.complete(stage.engine().counter(IMM).next(SOME));
    return stream;
  }

  /** Whatever a stopped process does when it goes on: this memory is not its business any more. */
  final void goOnAndCompare(EngineProcess child, CompletableFuture<String> stream) {
    stage.memory().fill(AFTERWARDS);
    stage.probe("discard", stage.engine().counter(IMM).discard()).awaitOne();
    long arrivals = stage.engine().stats().arrivals();
    child.resume();
    stage.awaitFailure("the stream of a process that went on", stream);
    String what = "memory that a process that was stopped changes no more";
    stage.watch(
        what,
        stage.patience().silence().multipliedBy(3),
        () -> {
          stage.assertMemoryIs(what, AFTERWARDS);
          return true;
        });
    assertEquals(arrivals, stage.engine().stats().arrivals(), "arrivals");
  }
}
