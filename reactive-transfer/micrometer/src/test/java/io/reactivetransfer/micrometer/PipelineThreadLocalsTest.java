package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredEngines.PATIENCE;
import static io.reactivetransfer.micrometer.MeteredExperts.TOKENS;

import io.reactivetransfer.HostPort;
import io.reactivetransfer.membership.FixedMembership;
import io.reactivetransfer.membership.Node;
import io.reactivetransfer.moe.MoeRecorder;
import io.reactivetransfer.moe.MoeStep;
import io.reactivetransfer.weights.run.RunRecorder;
import io.reactivetransfer.weights.version.VersionRecorder;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * What Reactor's automatic context propagation has in the {@link ThreadLocal}s of what an
 * application gives to steps of experts and to updates of weights, and of operators behind these
 * and behind the nodes of a membership.
 */
class PipelineThreadLocalsTest {

  private static final String DOWNSTREAM = "downstream";
  private static final String GIVEN = "a function of the application";
  private static final String RETURNED = "what it has returned";

  @RegisterExtension final MeteredEngines engines = new MeteredEngines();
  @RegisterExtension final Propagation propagation = new Propagation();

  private CompletableFuture<?> subscribed(Flux<?> publisher) {
    return propagation.looking(DOWNSTREAM, publisher).then().contextCapture().toFuture();
  }

  private static void await(CompletableFuture<?> end) {
    Mono.fromFuture(end).block(PATIENCE);
  }

  /** What an application's function does, wherever it is called. */
  private Mono<Void> given() {
    propagation.look(GIVEN);
    return Mono.fromRunnable(() -> propagation.look(RETURNED));
  }

  @Test
  void whatIsSetAtTheSubscriberOfAStepIsSeenByItsExpertsAndBehindIt() {
    MeteredExperts experts = new MeteredExperts(engines, MoeRecorder.NONE);
    propagation.begin();
    CompletableFuture<?> first = step(experts, 0);
    CompletableFuture<?> second = step(experts, 1);
    await(first);
    await(second);
    propagation.requireSeenElsewhere(DOWNSTREAM);
    propagation.requireSeenElsewhere(GIVEN);
    propagation.requireSeenElsewhere(RETURNED);
    experts.close();
  }

  private CompletableFuture<?> step(MeteredExperts experts, int rank) {
    MoeStep step = experts.begin(rank, TOKENS);
    return subscribed(step.run(experts.tokens(TOKENS), _ -> given(), experts.sums(TOKENS)).flux());
  }

  @Test
  void whatIsSetAtTheSubscriberOfAnEndOfAGroupIsSeenBehindIt() {
    MeteredExperts experts = new MeteredExperts(engines, MoeRecorder.NONE);
    propagation.begin();
    CompletableFuture<?> first = subscribed(experts.groups.get(0).close().flux());
    await(subscribed(experts.groups.get(1).close().flux()));
    await(first);
    propagation.requireSeenElsewhere(DOWNSTREAM);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatIsSetAtTheSubscriberOfAnUpdateIsSeenByItsTrainersAndBehindIt(boolean isElsewhere) {
    MeteredWeights weights = weights(isElsewhere);
    weights.begins = () -> propagation.look(GIVEN);
    propagation.begin();
    await(subscribed(weights.updating(7).flux()));
    propagation.requireSeenElsewhere(DOWNSTREAM);
    propagation.requireSeenElsewhere(GIVEN);
    weights.close();
  }

  private MeteredWeights weights(boolean isElsewhere) {
    return new MeteredWeights(
        engines, isElsewhere, RunRecorder.NONE, VersionRecorder.NONE, VersionRecorder.NONE);
  }

  @Test
  void whatIsSetAtTheReaderOfWeightsIsSeenWhereTheyAreRead() {
    MeteredWeights weights = weights(false);
    propagation.begin();
    await(subscribed(weights.rank.read(_ -> given())));
    propagation.requireSeenElsewhere(DOWNSTREAM);
    propagation.requireSeenElsewhere(GIVEN);
    propagation.requireSeenElsewhere(RETURNED);
    CompletableFuture<?> statuses = subscribed(weights.rank.statuses());
    CompletableFuture<?> closing = subscribed(weights.rank.close().flux());
    await(statuses);
    await(closing);
    propagation.requireSeenElsewhere(DOWNSTREAM);
  }

  @Test
  void whatIsSetAtTheSubscriberOfNodesIsSeenBehindThem() {
    FixedMembership nodes =
        FixedMembership.of(Node.of("a", "prefill", HostPort.parse("127.0.0.1:7400")));
    propagation.begin();
    await(subscribed(nodes.nodes().take(1)));
    propagation.requireSeenElsewhere(DOWNSTREAM);
  }
}
