package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Nic;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.base.HandScheduler;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.Domain;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How an engine comes about, or does not. */
class OpeningTest {

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private Probe<TransferEngine> opening(int nics) {
    Probe<TransferEngine> probe = hand.opening(nics, UnaryOperator.identity());
    hand.loop.runUntilIdle();
    return probe;
  }

  private BackendUnavailableException refused(int nics) {
    Probe<TransferEngine> probe = opening(nics);
    assertThat(probe.error()).isInstanceOf(BackendUnavailableException.class);
    return (BackendUnavailableException) probe.error();
  }

  private void assertAllClosed() {
    assertThat(hand.control()).matches(ScriptedControl::isClosed, "is closed");
    assertThat(hand.nics()).allMatch(ScriptedNic::isClosed);
    assertThat(hand.loop.isClosed()).isTrue();
  }

  /** Opening this one gives that. */
  private void instead(int number, CompletionStage<Domain> stage) {
    hand.backend.instead = n -> n == number ? stage : null;
  }

  @Test
  void theBuilderNeedsABackend() {
    assertThatIllegalStateException().isThrownBy(() -> TransferEngineBuilder.create().open());
  }

  @Test
  void theEngineDescribesItself() {
    hand.backend.completion = CompletionLevel.SOURCE_FREE;
    hand.open(2);
    TransferEngine engine = hand.engine();
    assertThat(engine.id()).isEqualTo(new EngineId(1, 1));
    assertThat(engine.backend()).isEqualTo("scripted");
    assertThat(engine.nics()).containsExactly(Nic.named("s0"), Nic.named("s1"));
    assertThat(engine.completionLevel()).isEqualTo(CompletionLevel.SOURCE_FREE);
    assertThat(engine.options().nics()).isZero();
    assertThat(engine.isClosed()).isFalse();
    assertThat(engine.toString()).contains("scripted", "00000000");
    var address = engine.address();
    assertThat(address.engine()).isEqualTo(engine.id());
    assertThat(address.control()).as("of its control channel").hasToString("here:7400");
  }

  @Test
  void aNicThatCannotWriteIsRefused() {
    hand.backend.change = builder -> builder.operations(Set.of());
    assertThat(refused(1)).hasMessageContaining("can do WRITE").hasMessageContaining("declares []");
    assertAllClosed();
  }

  @Test
  void theControlChannelIsToldWhatItNeeds() {
    hand.open(1, o -> o.maxMessageBytes(20_000).connectTimeout(Duration.ofSeconds(3)));
    ControlContext context = hand.control().context;
    assertThat(context.identity().id()).isEqualTo(hand.engine().id());
    assertThat(context.backend()).isEqualTo("scripted");
    assertThat(context.loop()).isSameAs(hand.loop);
    assertThat(context.maxMessageBytes()).as("parts of messages are").isEqualTo(16 * 1024 + 6);
    assertThat(context.connectTimeout()).isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void aControlChannelThatTakesLessThanItWasAskedForIsRefused() {
    hand.backend.maxMessageBytes = 8 * 1024;
    assertThat(refused(1))
        .hasMessageContaining("control messages of 16390 bytes")
        .hasMessageContaining("at most 8192");
    assertAllClosed();
    assertThat(hand.nics()).isEmpty();
  }

  @Test
  void aControlChannelThatCannotBeOpenedIsAnError() {
    hand.backend.controlInstead =
        context -> CompletableFuture.failedStage(new BackendException(98, "the port is taken"));
    BackendUnavailableException error = refused(1);
    assertThat(error).hasMessageContaining("the port is taken");
    assertThat(error.code()).isEqualTo(98);
    assertThat(hand.nics()).isEmpty();
    assertThat(hand.loop.isClosed()).isTrue();
  }

  @Test
  void aControlChannelThatThrowsIsTheSame() {
    hand.backend.controlInstead =
        context -> {
          throw new IllegalStateException("bug below");
        };
    assertThat(refused(1)).hasMessageContaining("bug below");
    assertThat(hand.loop.isClosed()).isTrue();
  }

  @Test
  void aControlChannelThatIsNoneIsTheSame() {
    hand.backend.controlInstead = context -> CompletableFuture.completedStage(null);
    assertThat(refused(1)).hasMessageContaining("control channel").hasMessageContaining("null");
    assertThat(hand.loop.isClosed()).isTrue();
  }

  @Test
  void aNicThatFailsClosesTheControlChannelToo() {
    instead(0, CompletableFuture.failedStage(new BackendException(19, "no carrier")));
    refused(1);
    assertAllClosed();
  }

  @Test
  void cancelledWhileTheControlChannelOpensItIsClosedAgain() {
    CompletableFuture<ControlChannel> held = new CompletableFuture<>();
    AtomicReference<ControlContext> context = new AtomicReference<>();
    hand.backend.controlInstead =
        given -> {
          context.set(given);
          return held;
        };
    Probe<TransferEngine> probe = opening(2).assertOpen();
    assertThat(hand.backend.journal()).containsExactly("open control");
    probe.cancel();
    held.complete(hand.backend.makeControl(context.get()));
    hand.loop.runUntilIdle();
    assertThat(probe.items()).isEmpty();
    assertAllClosed();
  }

  @Test
  void eachNicIsToldWhatItNeeds() {
    hand.open(2, o -> o.nicDepth(77).connectTimeout(Duration.ofSeconds(3)));
    for (int i = 0; i < 2; i++) {
      var context = hand.nic(i).context;
      assertThat(context.engine()).isEqualTo(hand.engine().id());
      assertThat(context.nicIndex()).isEqualTo(i);
      assertThat(context.loop()).isSameAs(hand.loop);
      assertThat(context.nicDepth()).isEqualTo(77);
      assertThat(context.connectTimeout()).isEqualTo(Duration.ofSeconds(3));
    }
  }

  @Test
  void nothingHappensBeforeTheSubscription() {
    TransferEngineBuilder.create().backend(hand.backend).open();
    hand.loop.runUntilIdle();
    assertThat(hand.backend.journal()).isEmpty();
  }

  @Test
  void nicsAreOpenedOneAfterTheOther() {
    CompletableFuture<Domain> held = new CompletableFuture<>();
    instead(1, held);
    Probe<TransferEngine> probe = opening(3).assertOpen();
    assertThat(hand.backend.journal()).containsExactly("open control", "open s0", "open s1");
    held.complete(hand.backend.make(1, hand.nic(0).context));
    hand.loop.runUntilIdle();
    assertThat(hand.backend.journal())
        .containsExactly("open control", "open s0", "open s1", "open s2");
    close(probe.assertComplete().items().getFirst());
  }

  private void close(TransferEngine engine) {
    Probe<Void> closing = hand.probe(engine.close());
    hand.loop.runUntilIdle();
    closing.assertComplete();
    assertAllClosed();
  }

  @Test
  void aBackendThatCannotRunHereSaysWhy() {
    hand.backend.availability = Availability.unavailable("no such card", "plug one in");
    assertThat(refused(1)).hasMessageContaining("no such card").hasMessageContaining("plug one in");
    assertThat(hand.backend.journal()).isEmpty();
  }

  @Test
  void moreNicsThanThereAreIsAnError() {
    Probe<TransferEngine> probe = hand.opening(2, o -> o.nics(3));
    hand.loop.runUntilIdle();
    assertThat(probe.error())
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("expected 3 NICs, got 2");
  }

  @Test
  void asManyNicsAsWantedAreOpened() {
    hand.open(5, o -> o.nics(2));
    assertThat(hand.engine().nics()).hasSize(2);
    assertThat(hand.nics()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 9})
  void otherThanOneToEightNicsIsAnError(int nics) {
    assertThat(refused(nics)).hasMessageContaining("1 to 8 NICs, got " + nics);
    assertThat(hand.backend.journal()).as("nothing was opened").isEmpty();
  }

  /** As a loop does for whose thread the system has no memory. */
  @Test
  void aLoopThatDoesNotBeginIsClosed() {
    hand.loop.refusal = new LinkageError("thrown by a test");
    assertThat(opening(1).error()).isSameAs(hand.loop.refusal);
    assertThat(hand.loop.isClosed()).isTrue();
  }

  @Test
  void aSecondNicThatFailsClosesTheFirstAndTheLoop() {
    instead(1, CompletableFuture.failedStage(new BackendException(19, "no carrier")));
    BackendUnavailableException error = refused(3);
    assertThat(error).hasMessageContaining("scripted").hasMessageContaining("no carrier");
    assertThat(error.code()).isEqualTo(19);
    assertThat(error).hasCauseInstanceOf(BackendException.class);
    assertThat(hand.nics()).hasSize(1);
    assertAllClosed();
  }

  @Test
  void aNicThatFailsLaterIsTheSame() {
    CompletableFuture<Domain> held = new CompletableFuture<>();
    instead(1, held.thenApply(domain -> domain)); // wraps the failure, as stages do
    Probe<TransferEngine> probe = opening(2).assertOpen();
    held.completeExceptionally(new BackendException(19, "no carrier"));
    hand.loop.runUntilIdle();
    assertThat(probe.error())
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("no carrier")
        .hasCauseInstanceOf(BackendException.class);
    assertAllClosed();
  }

  @Test
  void aBackendThatThrowsIsTheSame() {
    hand.backend.instead =
        n -> {
          if (n == 1) {
            throw new IllegalStateException("bug below");
          }
          return null;
        };
    assertThat(refused(2)).hasMessageContaining("bug below");
    assertAllClosed();
  }

  @Test
  void aBackendThatGivesNothingIsTheSame() {
    instead(1, CompletableFuture.completedStage(null));
    assertThat(refused(2)).hasMessageContaining("scripted");
    assertAllClosed();
  }

  @Test
  void theErrorWaitsForTheThreadToEnd() {
    hand.loop.endsAtOnce = false;
    instead(0, CompletableFuture.failedStage(new BackendException(1, "no")));
    Probe<TransferEngine> probe = opening(1).assertOpen();
    hand.loop.end();
    hand.loop.runUntilIdle();
    assertThat(probe.error()).isInstanceOf(BackendUnavailableException.class);
  }

  @Test
  void theErrorWaitsForTheControlChannelToEnd() {
    CompletableFuture<Domain> nic = new CompletableFuture<>();
    instead(0, nic);
    Probe<TransferEngine> probe = opening(1).assertOpen();
    CompletableFuture<Void> ended = new CompletableFuture<>();
    hand.control().ended = ended;
    nic.completeExceptionally(new BackendException(1, "no"));
    hand.loop.runUntilIdle();
    probe.assertOpen();
    ended.complete(null);
    hand.loop.runUntilIdle();
    assertThat(probe.error()).isInstanceOf(BackendUnavailableException.class);
  }

  @Test
  void aNicWithoutMemoryForTheDoorbellIsAnError() {
    CompletableFuture<Domain> held = new CompletableFuture<>();
    instead(1, held);
    Probe<TransferEngine> probe = opening(2);
    ScriptedNic second = hand.backend.make(1, hand.nic(0).context);
    second.registerFailure = new BackendException(12, "no memory");
    held.complete(second);
    hand.loop.runUntilIdle();
    assertThat(probe.error()).hasMessageContaining("no memory");
    assertAllClosed();
  }

  @Test
  void oneNicThatCannotBeClosedDoesNotKeepTheOthersOpen() {
    CompletableFuture<Domain> held = new CompletableFuture<>();
    instead(2, held);
    Probe<TransferEngine> probe = opening(3);
    hand.nic(0).closeFailure = new IllegalStateException("stuck");
    held.completeExceptionally(new BackendException(19, "no carrier"));
    hand.loop.runUntilIdle();
    assertThat(probe.error()).hasMessageContaining("no carrier");
    assertAllClosed();
  }

  @Test
  void cancelledMeanwhileItIsClosedAgain() {
    CompletableFuture<Domain> held = new CompletableFuture<>();
    instead(1, held);
    Probe<TransferEngine> probe = opening(2).assertOpen();
    probe.cancel();
    held.complete(hand.backend.make(1, hand.nic(0).context));
    hand.loop.runUntilIdle();
    assertThat(probe.items()).isEmpty();
    assertAllClosed();
  }

  @Test
  void cancelledBeforeTheFirstTurnItIsClosedAgain() {
    Probe<TransferEngine> probe = hand.opening(2, UnaryOperator.identity());
    probe.cancel();
    hand.loop.runUntilIdle();
    assertAllClosed();
  }

  @Test
  void cancelledWhileTheSignalIsOnItsWayItIsClosedAgain() {
    HandScheduler signals = new HandScheduler();
    hand.signals = signals;
    Probe<TransferEngine> probe = opening(1);
    assertThat(signals.pending()).isPositive();
    probe.cancel();
    signals.runUntilIdle();
    hand.loop.runUntilIdle();
    assertThat(probe.items()).isEmpty();
    assertAllClosed();
  }

  @Test
  void cancelledAfterwardsItStaysOpen() {
    Probe<TransferEngine> probe = opening(1).assertComplete();
    probe.cancel();
    hand.loop.runUntilIdle();
    TransferEngine engine = probe.items().getFirst();
    assertThat(engine.isClosed()).isFalse();
    close(engine);
  }
}
