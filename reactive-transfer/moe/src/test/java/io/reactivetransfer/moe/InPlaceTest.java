package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.moe.MoeMemory.Section;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** When experts that compute where tokens have come may put results. */
class InPlaceTest {

  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(2, 4), 2, 8, 24, 4)
          .privateTokens(2)
          .inPlace(true)
          .build();

  private final CompletableFuture<Void> gate = new CompletableFuture<>();

  /** Does not say that results were written before the gate is open. */
  private TransferEngine tellingLate(TransferEngine engine) {
    long blocks = SHAPE.memory(0).offset(0, Section.BLOCKS);
    return Proxied.of(
        TransferEngine.class,
        engine,
        (method, arguments) ->
            method.equals("submit") && arguments[0] instanceof Publisher<?> writes
                ? submit(engine, writes, (Duration) arguments[1])
                    .flatMap(write ->
                        write instanceof AimedWrite aimed && aimed.sourceOffset() >= blocks
                            ? Mono.fromFuture(gate, true).thenReturn(write)
                            : Mono.just(write))
                : null);
  }

  @SuppressWarnings("unchecked")
  private static Flux<Transfer> submit(
      TransferEngine engine, Publisher<?> writes, Duration deadline) {
    return engine.submit((Publisher<Transfer>) writes, deadline);
  }

  /** Those that the results are for have got them, and have sent what comes next. */
  @Test
  void nobodyPutsResultsWhereANicMayStillReadThoseOfTheStepBefore() {
    try (Cluster cluster = Cluster.loopback(2, this::tellingLate);
        Rig rig = new Rig(cluster, SHAPE, FailureTest.options().build())) {
      List<Mono<Void>> writing = new ArrayList<>();
      Rig.Tokens first = new Rig.Tokens(new RandomSteps(5), SHAPE);
      Mono.when(
              rig.stepWithoutWaitingForWrites(0, first, writing),
              rig.stepWithoutWaitingForWrites(1, first, writing))
          .block(Cluster.PATIENCE);
      Rig.Tokens tokens = new Rig.Tokens(new RandomSteps(6), SHAPE);
      List<Mono<Void>> sent = new ArrayList<>();
      List<CompletableFuture<Boolean>> received = new ArrayList<>();
      for (int rank = 0; rank < 2; rank++) {
        MoeStep step = rig.begin(rank, 0, tokens);
        Mono<Void> sending = step.dispatchSend(tokens.payload[rank]).cache();
        sending.subscribe();
        sent.add(sending);
        received.add(step.dispatchReceive().map(batch -> gate.isDone()).toFuture());
      }
      Mono.when(sent).block(Cluster.PATIENCE);
      gate.complete(null);
      assertThat(received)
          .allSatisfy(open -> assertThat(open).succeedsWithin(Cluster.PATIENCE).isEqualTo(true));
    }
  }
}
