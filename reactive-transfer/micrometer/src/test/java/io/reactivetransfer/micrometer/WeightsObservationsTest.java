package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredEngines.PATIENCE;
import static io.reactivetransfer.micrometer.MeteredEngines.tag;
import static io.reactivetransfer.micrometer.MeteredWeights.BYTES;
import static io.reactivetransfer.micrometer.MeteredWeights.RANK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.micrometer.ProcessOfTracer.Span;
import io.reactivetransfer.weights.run.RunProgress;
import io.reactivetransfer.weights.run.TargetMemory;
import io.reactivetransfer.weights.run.UpdateTargets;
import io.reactivetransfer.weights.version.UpdateResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;
import reactor.util.context.Context;

/** What tracers see of updates of weights, each in a process of its own. */
class WeightsObservationsTest {

  @RegisterExtension final MeteredEngines engines = new MeteredEngines();

  private final ProcessOfTracer ofController = new ProcessOfTracer();
  private final ProcessOfTracer ofTrainer = new ProcessOfTracer();
  private final ProcessOfTracer ofRank = new ProcessOfTracer();

  private MeteredWeights open(boolean isElsewhere) {
    return new MeteredWeights(
        engines,
        isElsewhere,
        WeightsObservations.of(ofTrainer.registry),
        WeightsObservations.of(ofRank.registry),
        WeightsObservations.of(ofController.registry));
  }

  /** The only one that has stopped there, by now or soon. */
  private static Observation.Context one(ProcessOfTracer process, String name) {
    await().atMost(PATIENCE).until(() -> !process.stopped.isEmpty());
    assertThat(process.stopped).hasSize(1);
    Observation.Context context = process.stopped.getFirst();
    assertThat(context.getName()).isEqualTo("reactive.transfer.weights." + name);
    return context;
  }

  /** The page has a row with its name and keys. */
  private static void requireDocumented(Observation.Context context) {
    String row =
        "| `%s` | %s | %s |"
            .formatted(
                context.getName(),
                keys(context.getLowCardinalityKeyValues()),
                keys(context.getHighCardinalityKeyValues()));
    try {
      assertThat(Files.readString(Path.of("..", "..", "docs", "observability.md"))).contains(row);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String keys(KeyValues values) {
    return values.stream()
        .map(value -> "`" + value.getKey() + "`")
        .sorted()
        .collect(Collectors.joining(", "));
  }

  @Test
  void whatRanksAndTrainersElsewhereDoIsAPartOfTheUpdate() {
    MeteredWeights weights = open(true);
    Observation step = Observation.createNotStarted("step", ofController.registry).start();
    UpdateResult result =
        weights.updating(7).contextWrite(Context.of(TraceFields.OBSERVATION, step)).block(PATIENCE);
    assertThat(result.isFlipped()).isTrue();

    Observation.Context decision = one(ofController, "decision");
    assertThat(decision.getContextualName()).isEqualTo("weights decision");
    assertThat(ProcessOfTracer.tag(decision, "engine")).isEqualTo(tag(weights.controllerEngine));
    assertThat(ProcessOfTracer.tag(decision, "backend")).isEqualTo("loopback");
    assertThat(ProcessOfTracer.tag(decision, "mode")).isEqualTo("two_buffers_wait");
    assertThat(ProcessOfTracer.tag(decision, "outcome")).isEqualTo("flipped");
    assertThat(ProcessOfTracer.value(decision, "update")).isEqualTo(result.update().toString());
    assertThat(ProcessOfTracer.value(decision, "version")).isEqualTo("7");
    assertThat(ProcessOfTracer.value(decision, "ranks")).isEqualTo("1");
    assertThat(decision.getError()).isNull();

    Observation.Context update = one(ofRank, "update");
    assertThat(ProcessOfTracer.tag(update, "rank")).isEqualTo(RANK);
    assertThat(ProcessOfTracer.tag(update, "engine")).isEqualTo(tag(weights.rankEngine));
    assertThat(ProcessOfTracer.tag(update, "mode")).isEqualTo("two_buffers_wait");
    assertThat(ProcessOfTracer.tag(update, "outcome")).isEqualTo("flipped");
    assertThat(ProcessOfTracer.value(update, "update")).isEqualTo(result.update().toString());
    assertThat(ProcessOfTracer.value(update, "version")).isEqualTo("7");
    assertThat(ProcessOfTracer.value(update, "filling")).startsWith("PT");
    assertThat(ProcessOfTracer.value(update, "pause")).startsWith("PT");
    assertThat(update.getError()).isNull();

    Observation.Context run = one(ofTrainer, "run");
    assertThat(ProcessOfTracer.tag(run, "rank")).isEqualTo("trainer-0");
    assertThat(ProcessOfTracer.tag(run, "outcome")).isEqualTo("done");
    assertThat(ProcessOfTracer.value(run, "bytes")).isEqualTo(String.valueOf(BYTES));
    assertThat(run.getError()).isNull();

    requireDocumented(decision);
    requireDocumented(update);
    requireDocumented(run);

    Span root = ProcessOfTracer.span(decision);
    Span ofStep = step.getContextView().get(Span.class);
    assertThat(root.parent()).isEqualTo(ofStep.id());
    assertThat(List.of(ProcessOfTracer.span(update), ProcessOfTracer.span(run)))
        .allSatisfy(span -> {
          assertThat(span.trace()).isEqualTo(ofStep.trace());
          assertThat(span.parent()).isEqualTo(root.id());
        });
  }

  @Test
  void aRunBesideItsControllerIsAPartOfTheUpdateByTheContext() {
    MeteredWeights weights = open(false);
    assertThat(weights.update(7).isFlipped()).isTrue();
    Span root = ProcessOfTracer.span(one(ofController, "decision"));
    Observation.Context run = one(ofTrainer, "run");
    assertThat(run).isExactlyInstanceOf(Observation.Context.class);
    assertThat(ProcessOfTracer.span(run).parent()).isEqualTo(root.id());
    assertThat(ProcessOfTracer.span(one(ofRank, "update")).parent()).isEqualTo(root.id());
  }

  @Test
  void whatIsDroppedIsAnErrorWithItsReason() {
    MeteredWeights weights = open(true);
    weights.failure = new IllegalStateException("out of memory");
    assertThat(weights.update(7).isFlipped()).isFalse();
    Observation.Context decision = one(ofController, "decision");
    assertThat(ProcessOfTracer.tag(decision, "outcome")).isEqualTo("aborted");
    assertThat(ProcessOfTracer.value(decision, "reason")).contains("out of memory");
    assertThat(decision.getError()).hasMessageContaining("out of memory");
    Observation.Context update = one(ofRank, "update");
    assertThat(ProcessOfTracer.tag(update, "outcome")).isEqualTo("dropped");
    assertThat(update.getError()).hasMessageContaining("out of memory");
    assertThat(ofTrainer.stopped).isEmpty();
  }

  @Test
  void aRunThatFailsIsAnErrorOfItsOwn() {
    MeteredWeights weights = open(true);
    MemoryRegion region =
        weights
            .rankEngine
            .register(new HostMemory(Arena.ofAuto().allocate(BYTES, 64)), Access.REMOTE_WRITE)
            .block(PATIENCE);
    RemoteRegion remote = weights.trainerEngine.remote(region.descriptor());
    region.close().block(PATIENCE);
    TargetMemory target = new TargetMemory(List.of(remote), Imm.of(1));
    Flux<RunProgress> failing = weights.trainer.write(new UpdateTargets(9, List.of(target)));
    assertThatThrownBy(() -> failing.blockLast(PATIENCE)).isInstanceOf(TransferException.class);
    Observation.Context run = one(ofTrainer, "run");
    assertThat(ProcessOfTracer.tag(run, "outcome")).isEqualTo("failed");
    assertThat(run.getError()).isInstanceOf(TransferException.class);
    assertThat(ProcessOfTracer.span(run).parent()).isEmpty();
  }

  @Test
  void whereNobodyObservesNothingIsMade() {
    WeightsObservations none = WeightsObservations.of(ObservationRegistry.NOOP);
    MeteredWeights weights =
        new MeteredWeights(engines, true, none, WeightsObservations.of(ofRank.registry), none);
    assertThat(weights.update(7).isFlipped()).isTrue();
    Observation.Context update = one(ofRank, "update");
    assertThat(update).isExactlyInstanceOf(Observation.Context.class);
    assertThat(ProcessOfTracer.span(update).parent()).isEmpty();
  }
}
