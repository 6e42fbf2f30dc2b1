package io.reactivetransfer.weights.check;

import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.run.StepReader;
import io.reactivetransfer.weights.run.TargetMemory;
import io.reactivetransfer.weights.run.TrainerRank;
import io.reactivetransfer.weights.run.UpdateTargets;
import io.reactivetransfer.weights.version.UpdateNumber;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * What one rank of the trainer says to inference ranks of the bytes that it writes to them: on
 * message channel 24, to their {@link Checksums}. Immutable; safe from any thread.
 */
public final class TrainerSums {

  /** What trainers say to inference ranks. */
  static final MessageChannel CHANNEL = new MessageChannel(24);

  private static final Logger LOG = Loggers.getLogger(TrainerSums.class);

  /** Longer messages would keep others waiting. */
  private static final int MOST_BYTES = 64 << 10;

  private final TransferEngine engine;
  private final RoutingTable table;
  private final int rank;
  private final String name;

  private TrainerSums(TransferEngine engine, RoutingTable table, int rank, String name) {
    this.engine = engine;
    this.table = table;
    this.rank = rank;
    this.name = name;
  }

  /**
   * Those of a trainer.
   *
   * @param engine its engine
   * @param table the table that it was opened with, or all of it
   * @throws IllegalArgumentException if the table does not name it, or is the part of another, or
   *     the engine is
   */
  public static TrainerSums of(TransferEngine engine, TrainerRank trainer, RoutingTable table) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(trainer, "trainer");
    Objects.requireNonNull(table, "table");
    if (!trainer.engine().id().equals(engine.id())) {
      throw new IllegalArgumentException(
          "expected the engine of trainer "
              + trainer.name()
              + ", which is "
              + trainer.engine().id()
              + ", got "
              + engine.id());
    }
    List<String> names = table.sources().stream().map(Rank::name).toList();
    int rank = names.indexOf(trainer.name());
    if (rank < 0) {
      throw new IllegalArgumentException(
          "expected a table with trainer "
              + trainer.name()
              + ", got one with "
              + names.size()
              + " others");
    }
    table.requireStepsOf(rank);
    return new TrainerSums(engine, table, rank, trainer.name());
  }

  /**
   * Looks at one run, for {@link TrainerRank#write(UpdateTargets, StepReader)}.
   *
   * @param update its number, by which samples are drawn, too
   * @param targets where it goes
   * @param scope of which bytes sums are said
   * @throws IllegalArgumentException if it names a tensor that there is not, or an inference rank
   *     would get more sums than it takes
   */
  public OfRun begin(UpdateNumber update, UpdateTargets targets, ChecksumScope scope) {
    return new OfRun(update, targets, scope);
  }

  /** What is said of one run. */
  public final class OfRun {

    /** For each inference rank what is said to it; none if nothing is said to anybody. */
    private final List<Sinks.One<List<SumMessage>>> made = new ArrayList<>();

    private final UpdateNumber update;
    private final UpdateTargets targets;
    private final @Nullable SumMaker maker;

    private OfRun(UpdateNumber update, UpdateTargets targets, ChecksumScope scope) {
      this.update = update;
      this.targets = targets;
      if (!scope.isSome()) {
        maker = null;
        return;
      }
      SumPlan plan = SumPlan.of(table, rank, scope, seed(update));
      for (int i = 0; i < plan.sums.length; i++) {
        if (!targets.targets().get(i).isNone()) {
          plan.requireFew(i, SumCodec.MAX_SUMS);
        }
      }
      int most = Math.min(MOST_BYTES, engine.options().maxMessageBytes());
      for (int steps : plan.steps) {
        made.add(steps == 0 ? empty() : Sinks.one());
      }
      maker =
          new SumMaker(
              update,
              name,
              plan,
              most,
              (target, messages) -> made.get(target).tryEmitValue(messages));
    }

    private static Sinks.One<List<SumMessage>> empty() {
      Sinks.One<List<SumMessage>> none = Sinks.one();
      none.tryEmitEmpty();
      return none;
    }

    /** What looks at the steps of the run; it is for one run. */
    public StepReader reader() {
      SumMaker makes = maker;
      return makes == null ? (step, sources) -> {} : makes;
    }

    /**
     * Says the sums to each inference rank when all steps that write to it were looked at. Begins
     * when it is subscribed to, which happens once. Completes when all messages were taken over,
     * which takes as long as an inference rank does not read them. It is logged to whom they cannot
     * be said, which ends nothing for others. Cancelling says no more.
     */
    public Mono<Void> said() {
      return Flux.range(0, made.size()).flatMap(this::sayTo, Math.max(1, made.size())).then();
    }

    private Mono<Void> sayTo(int target) {
      TargetMemory to = targets.targets().get(target);
      if (to.isNone()) {
        return Mono.empty();
      }
      Peer peer = to.regions().getFirst().peer();
      return made.get(target)
          .asMono()
          .flatMapMany(Flux::fromIterable)
          .concatMap(message -> say(peer, message))
          .then()
          .onErrorResume(why -> {
            unsaid(target, why);
            return Mono.empty();
          });
    }

    /** In shorter messages where the inference rank takes shorter ones only. */
    private Mono<Void> say(Peer to, SumMessage message) {
      // What is too long for this engine throws at once.
      return Mono.defer(() -> engine.send(to, CHANNEL, SumCodec.encode(message)))
          .onErrorResume(
              TransferRejectedException.class,
              why -> {
                List<SumMessage> halves = message.halves();
                return halves.size() < 2
                    ? Mono.error(why)
                    : Flux.fromIterable(halves).concatMap(half -> say(to, half)).then();
              });
    }

    private void unsaid(int target, Throwable why) {
      if (why instanceof TransferRejectedException rejected && rejected.peer() == null) {
        LOG.debug("sums of update {} were not said: {}", update, why.toString());
        return; // this engine is closed, as it may be while a rank reads none
      }
      LOG.warn(
          "trainer {} could not say the sums of update {} to rank {}: {}",
          name,
          update,
          table.targets().get(target).name(),
          why.toString());
    }
  }

  /** Samples of each trainer and each update are others. */
  private long seed(UpdateNumber update) {
    return Objects.hash(update, rank) * 0x9e3779b97f4a7c15L;
  }
}
