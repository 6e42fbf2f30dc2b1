package io.reactivetransfer.micrometer;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import io.reactivetransfer.TraceContext;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.run.RunRecorder;
import io.reactivetransfer.weights.version.UpdateResult;
import io.reactivetransfer.weights.version.UpdateResult.Decision;
import io.reactivetransfer.weights.version.VersionRecorder;
import io.reactivetransfer.weights.version.WeightsUpdate;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;

/**
 * Shows updates of weights as observations of Micrometer, so that they have traces: a recorder for
 * trainers, inference ranks and controllers. Needs {@code reactive-transfer-weights} on the class
 * path.
 *
 * <pre>{@code
 * WeightsObservations observations = WeightsObservations.of(registry);
 * RunOptions run = RunOptions.builder().recorder(observations).build(); // of a rank of the trainer
 * WeightsRankBuilder rank = WeightsRank.on(engine, "rank-0").recorder(observations);
 * WeightsController controller =
 *     WeightsController.open(engine, Schedulers.parallel(), observations);
 * }</pre>
 *
 * <p>An update or a recovery of a controller is a part of the observation that is in the Context of
 * its subscriber under {@code micrometer.observation}, and else of none: it may begin on another
 * thread than the subscriber's. What a tracer adds there is sent along to inference ranks and to
 * trainers, so what they do for the update becomes a part of it, in their own processes. A run that
 * no message has begun takes its parent from its own subscriber's Context; publishers of {@code
 * WeightsTrainer.write} and of {@code WeightsRankBuilder.verify} see the observation of their
 * update there. Names and keys are in {@code docs/observability.md}; of 64 names of trainers, and
 * as many of inference ranks, the first ones, there are keys, and all others are {@code other}.
 *
 * <p>One object may serve several of all three, and stands beside {@link WeightsMeters} by {@code
 * andThen}. Nothing is observed of a step, a write or a lease; with {@link
 * ObservationRegistry#NOOP} nothing is made.
 */
public final class WeightsObservations implements RunRecorder, VersionRecorder {

  /** Names of ranks of each side that keys have; a registry of meters has some for each. */
  private static final int MAX_RANKS = 64;

  private final ObservationRegistry registry;
  private final Named<String> trainers = new Named<>(MAX_RANKS, rank -> rank);
  private final Named<String> ranks = new Named<>(MAX_RANKS, rank -> rank);

  private WeightsObservations(ObservationRegistry registry) {
    this.registry = registry;
  }

  /**
   * A recorder for as many ranks and controllers as are opened with it.
   *
   * @param registry whose handlers are told, such as those of a tracer; stays the caller's
   */
  public static WeightsObservations of(ObservationRegistry registry) {
    return new WeightsObservations(Objects.requireNonNull(registry, "registry"));
  }

  @Override
  public ControllerRecorder updateBegun(ControllerBegin begin) {
    if (registry.isNoop()) {
      return ControllerRecorder.NONE;
    }
    WeightsUpdate update = begin.update();
    SenderContext<Map<String, String>> sent = TraceFields.sender(Kind.PRODUCER);
    Observation observation =
        named("decision", sent, begin.controller().engine())
            .lowCardinalityKeyValue("mode", update == null ? "recovery" : tag(update.mode()))
            .highCardinalityKeyValue("ranks", String.valueOf(begin.ranks().size()));
    if (update != null) {
      observation.highCardinalityKeyValue("version", String.valueOf(update.version()));
    }
    TraceFields.start(registry, observation, TraceFields.in(begin.context()));
    return new ControllerRecorder() {
      @Override
      public TraceContext traceContext() {
        return TraceFields.sent(sent);
      }

      @Override
      public Context context(Context context) {
        return TraceFields.with(observation, context);
      }

      @Override
      public void ended(ControllerEnd end) {
        UpdateResult result = end.result();
        Decision decision = result.decision();
        boolean isDone = decision == Decision.FLIPPED || decision == Decision.RECOVERED;
        observation
            .lowCardinalityKeyValue("outcome", tag(decision))
            .highCardinalityKeyValue("update", result.update().toString())
            .highCardinalityKeyValue("reason", result.reason());
        stop(observation, isDone ? null : new NotFlippedException(result.reason()));
      }
    };
  }

  @Override
  public UpdateRecorder updateBegun(UpdateBegin begin) {
    if (registry.isNoop()) {
      return UpdateRecorder.NONE;
    }
    Observation observation =
        named("update", come(begin.traceContext()), begin.rank().engine())
            .lowCardinalityKeyValue("rank", ranks.of(begin.rank().name()))
            .lowCardinalityKeyValue("mode", tag(begin.mode()))
            .highCardinalityKeyValue("update", begin.update().toString())
            .highCardinalityKeyValue("version", String.valueOf(begin.version()));
    TraceFields.start(registry, observation, null);
    return new UpdateRecorder() {
      @Override
      public Context context(Context context) {
        return TraceFields.with(observation, context);
      }

      @Override
      public void ended(UpdateEnd end) {
        Duration filling = end.filling();
        if (filling != null) {
          observation.highCardinalityKeyValue("filling", filling.toString());
        }
        observation
            .lowCardinalityKeyValue(
                "outcome", (end.isFlipped() ? UpdateOutcome.FLIPPED : UpdateOutcome.DROPPED).tag)
            .highCardinalityKeyValue("pause", end.pause().toString())
            .highCardinalityKeyValue("reason", end.reason());
        stop(observation, end.isFlipped() ? null : new NotFlippedException(end.reason()));
      }
    };
  }

  @Override
  public OneRunRecorder runBegun(RunBegin begin) {
    if (registry.isNoop()) {
      return OneRunRecorder.NONE;
    }
    Observation observation =
        named("run", come(begin.traceContext()), begin.rank().engine())
            .lowCardinalityKeyValue("rank", trainers.of(begin.rank().name()));
    TraceFields.start(registry, observation, TraceFields.in(begin.context()));
    return new OneRunRecorder() {
      @Override
      public void ended(RunEnd end) {
        observation
            .lowCardinalityKeyValue("outcome", RunOutcome.of(end).tag)
            .highCardinalityKeyValue("steps", String.valueOf(end.progress().written().steps()))
            .highCardinalityKeyValue("bytes", String.valueOf(end.progress().written().bytes()));
        stop(observation, end.failure());
      }
    };
  }

  /** Behind it nothing is told to the observation any more, whatever a handler throws. */
  private static void stop(Observation observation, @Nullable Throwable failure) {
    try {
      if (failure != null) {
        observation.error(failure);
      }
    } finally {
      observation.stop();
    }
  }

  /** A part of what a message has carried, if it has carried something. */
  private static Observation.Context come(TraceContext carried) {
    return carried.isEmpty()
        ? new Observation.Context()
        : TraceFields.receiver(Kind.CONSUMER, carried);
  }

  private Observation named(String name, Observation.Context context, TransferEngine engine) {
    return Observation.createNotStarted(Meters.PREFIX + "weights." + name, () -> context, registry)
        .contextualName("weights " + name)
        .lowCardinalityKeyValue("engine", engine.id().toShortString())
        .lowCardinalityKeyValue("backend", engine.backend());
  }

  private static String tag(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
