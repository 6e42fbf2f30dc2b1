package io.reactivetransfer.moe;

import io.reactivetransfer.MemoryRegion;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Where one step after the other is done, in memory of its own. All ranks begin the same steps in
 * the same order; the tokens may be as many as it goes or none. Safe from any thread, but for one
 * {@code begin} at a time.
 */
public final class MoeLane {

  private final Group group;
  private final int index;
  private final AtomicReference<@Nullable MoeStep> current = new AtomicReference<>();

  final OwnRouting routing;
  final float[] weights;
  final RouteTable table;
  final Dispatch dispatch;
  final Combine combine;
  final ExpertBatch batch;

  /** The results of others, or that they have none because the step is refused. */
  final Arrivals results;

  /** Null if nobody is told of steps. */
  private final @Nullable RecordedSteps recorded;

  /** The one of all steps, where that is wanted. */
  private @Nullable MoeStep reused;

  /** The number of the last step whose dispatch was begun. */
  private long begun;

  /** The number of the last step that is over. */
  private long ended;

  MoeLane(Group group, int index) {
    this.group = group;
    this.index = index;
    MoeShape shape = group.shape;
    int rank = group.ranks.own();
    LaneMemory memory = new LaneMemory(group, index);
    Arrangement arrangement = new Arrangement(shape, rank);
    routing = new OwnRouting(shape, shape.groups().groupOf(rank));
    weights = new float[shape.maxPairs()];
    recorded = group.recording.isOn() ? new RecordedSteps(group.recording, this) : null;
    table = new RouteTable(shape);
    dispatch = new Dispatch(group, this, memory, arrangement);
    combine = new Combine(group, this, memory, arrangement);
    results =
        new Arrivals(
            group, this, Ranks.RESULTS, group.counter(index, Ranks.RESULTS), this::resultsCame);
    batch =
        new ExpertBatch(
            shape,
            rank,
            index,
            arrangement,
            memory.whole(),
            memory.ofExperts(MoeMemory.Section.TOKENS),
            memory.ofExperts(MoeMemory.Section.RESULTS));
  }

  /** Its number in the group. */
  public int index() {
    return index;
  }

  /**
   * Takes the routing of the next step. Nothing is sent before {@link MoeStep#dispatchSend} is
   * subscribed to; until then, another one may be taken instead.
   *
   * @param tokens how many tokens this rank's group has, 0 to {@link MoeShape#maxTokens()}
   * @param experts the experts of each token, {@link MoeShape#topK()} different ones for each, one
   *     token after the other; not kept
   * @param weights what the result of each is multiplied with, as many as experts, each a finite
   *     number; not kept
   * @throws IllegalArgumentException if these are others, with the index; nothing has begun then
   * @throws IllegalStateException if the step before it is not over: {@link MoeStep#combineReceive}
   *     has not completed, nor was the step refused, nor is the group over
   */
  public MoeStep begin(int tokens, int[] experts, float[] weights) {
    Objects.requireNonNull(experts, "experts");
    Objects.requireNonNull(weights, "weights");
    if (group.failure() != null) {
      // Nothing can begin; whoever subscribes to a half is told, when it is quiet.
      Checks.between("tokens", tokens, 0, group.shape.maxTokens());
      return new MoeStep(group, this, tokens);
    }
    MoeStep before = current.get();
    if (before != null && !before.isReplaceable()) {
      throw new IllegalStateException(
          "expected the step before to be over on lane "
              + index
              + ", got one of which combineReceive has not completed; take another lane to"
              + " overlap");
    }
    current.set(null); // what it was given is overwritten
    routing.route(tokens, experts);
    int pairs = tokens * group.shape.topK();
    if (weights.length < pairs) {
      throw new IllegalArgumentException(
          "expected a weight for each of " + pairs + " experts, got " + weights.length);
    }
    for (int pair = 0; pair < pairs; pair++) {
      if (!Float.isFinite(weights[pair])) {
        throw new IllegalArgumentException(
            "expected weights that are finite numbers, got "
                + weights[pair]
                + " as number "
                + pair % group.shape.topK()
                + " of token "
                + pair / group.shape.topK());
      }
      this.weights[pair] = weights[pair];
    }
    MoeStep last = reused;
    // Of one of which a signal is still to come, another object must be the next.
    MoeStep step =
        last == null || !last.isReusable() ? new MoeStep(group, this, tokens) : last.anew(tokens);
    reused = group.options.reusesSteps() ? step : null;
    current.set(step);
    return step;
  }

  /** The step that was begun last, or null. */
  @Nullable MoeStep current() {
    return current.get();
  }

  boolean isCurrent(MoeStep step) {
    return current.get() == step;
  }

  // In turns

  private void resultsCame() {
    if (dispatch.isRefused()) {
      dispatch.othersClosed();
    } else {
      combine.resultsCame();
    }
  }

  /** The next step begins: its number, from 1 on. */
  long beginStep() {
    begun++;
    if (recorded != null) {
      recorded.begun();
    }
    group.departures.requireAll(index, begun);
    return begun;
  }

  void tokensCame() {
    if (recorded != null) {
      recorded.tokensCame();
    }
  }

  void combining() {
    if (recorded != null) {
      recorded.combining();
    }
  }

  /** The group has failed, and with it a step that is under way. */
  void failed(GroupFailedException why) {
    if (recorded != null) {
      recorded.ended(why);
    }
  }

  void endStep() {
    endStep(null);
  }

  private void endStep(@Nullable StepRefusedException refusal) {
    ended = begun;
    if (recorded != null) {
      recorded.ended(refusal);
    }
    MoeStep step = current.get();
    if (step != null) {
      step.over();
    }
  }

  void refused(StepRefusedException refusal) {
    MoeStep step = current.get();
    if (step != null) {
      step.refused(refusal);
    }
    endStep(refusal);
  }

  /**
   * How far this rank has got, as one number that rises: four times the step, and 1 when its routes
   * were sent, 2 when its tokens were, 3 when its results were, or that there are none.
   */
  long progress() {
    if (begun == ended) {
      return 4 * begun + 3;
    }
    boolean haveResults =
        dispatch.isRefused() ? dispatch.hasClosed() : dispatch.hasReceived() && combine.hasSent();
    return 4 * begun + (haveResults ? 3 : dispatch.hasSent() ? 2 : 1);
  }

  /** Whether a step is under way, or what it writes. */
  boolean isBusy() {
    return begun > ended || dispatch.isSending() || combine.isSending();
  }

  /** How many steps are over. */
  long steps() {
    return ended;
  }

  /** What was freed or closed of the tokens and sums of a step that is under way, or null. */
  @Nullable String freed() {
    String freed =
        Freed.text("tokens", dispatch.tokens(), "dispatchSend has ended on lane " + index);
    if (freed == null) {
      freed = closed(dispatch.source());
    }
    return freed != null
        ? freed
        : Freed.text("sums", combine.sums(), "combineReceive has ended on lane " + index);
  }

  /** An engine that closes closes its regions, too, and that is another reason. */
  private @Nullable String closed(@Nullable MemoryRegion tokens) {
    return tokens == null || !tokens.isClosed() || group.engine.isClosed()
        ? null
        : "expected the region of the tokens to be open until dispatchSend has ended on lane "
            + index
            + ", got one of "
            + tokens.length()
            + " bytes that was closed before";
  }

  /** The number of the step that is neither over nor still to begin, or 0. */
  long stepUnderWay() {
    return begun > ended ? begun : 0;
  }
}
