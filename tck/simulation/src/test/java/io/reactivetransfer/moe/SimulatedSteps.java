package io.reactivetransfer.moe;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.moe.MoeMemory.Section;
import io.reactivetransfer.moe.SimulatedWorld.Outcome;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/** The steps of all ranks of a world, whose halves are driven apart, with pauses of any length. */
final class SimulatedSteps {

  private static final byte MARK = 0x55;

  /** Of more ranks nobody looks at the flags after each event: that would take too long. */
  private static final int MOST_WATCHED = 8;

  private final SimulatedWorld world;
  private final MoeShape shape;
  private final List<MoeGroup> groups;

  /** The engine of each rank. */
  private final int[] members;

  private final RandomSteps random;
  private final List<List<Rig.Tokens>> tokens = new ArrayList<>();

  /** By rank, then by lane: how the steps of a lane have ended. */
  final List<List<Outcome<Void>>> outcomes = new ArrayList<>();

  /** By rank, then by lane: what steps were refused with. */
  private final List<List<List<String>>> refusals = new ArrayList<>();

  /** Where sums were to go of steps that failed. */
  private final List<MemorySegment> givenBack = new ArrayList<>();

  /** Whether members of a group that are not the first have other experts at times. */
  private boolean haveOtherExperts;

  /** Who does nothing between its halves any more, or -1. */
  private int idle = -1;

  /** Where each lane of each rank has its words, and what lay there when they were raised. */
  private final List<List<Seen>> seen = new ArrayList<>();

  /** The first thing that must not be, or null. */
  AssertionError wrong;

  /** Of the group that the world begins with. */
  SimulatedSteps(SimulatedWorld world, RandomSteps random, int steps) {
    this(world, world.groups, IntStream.range(0, world.groups.size()).toArray(), random, steps);
  }

  SimulatedSteps(
      SimulatedWorld world, List<MoeGroup> groups, int[] members, RandomSteps random, int steps) {
    this.world = world;
    this.groups = groups;
    this.members = members;
    this.shape = groups.get(0).shape();
    this.random = random;
    for (int lane = 0; lane < shape.lanes(); lane++) {
      tokens.add(StepsTest.tokens(random, shape, steps));
    }
  }

  /** From now on a rank takes up nothing any more, though it lives. */
  void idle(int rank) {
    idle = rank;
  }

  /** From now on nobody waits any more for what a rank does. */
  void cancel(int rank) {
    outcomes.get(rank).forEach(Outcome::cancel);
  }

  /** Members of a group disagree at times. */
  SimulatedSteps disagreeing() {
    haveOtherExperts = true;
    return this;
  }

  void start() {
    for (int rank = 0; rank < shape.ranks(); rank++) {
      List<Outcome<Void>> ofRank = new ArrayList<>();
      List<Seen> seenOfRank = new ArrayList<>();
      seen.add(seenOfRank);
      refusals.add(new ArrayList<>());
      for (int lane = 0; lane < shape.lanes(); lane++) {
        int ofLane = lane;
        int who = rank;
        seenOfRank.add(new Seen(who, lane));
        List<Mono<Void>> writing = random.chance(50) ? new ArrayList<>() : null;
        List<String> refused = new ArrayList<>();
        refusals.get(rank).add(refused);
        Mono<Void> steps =
            Flux.fromIterable(tokens.get(lane))
                .concatMap(step ->
                    step(who, ofLane, step, writing)
                        .onErrorResume(
                            StepRefusedException.class,
                            e -> Mono.fromRunnable(() -> refused.add(e.getMessage()))))
                .then(Mono.defer(() -> writing == null ? Mono.<Void>empty() : Mono.when(writing)))
                .doOnError(GroupFailedException.class, e -> requireQuiet(who));
        ofRank.add(world.start(members[rank], random.between(0, 100_000), steps));
      }
      outcomes.add(ofRank);
    }
    if (shape.ranks() <= MOST_WATCHED) {
      world.watch = () -> seen.forEach(ofRank -> ofRank.forEach(Seen::look));
    }
  }

  /**
   * The arrival flags of a lane: when they are raised all has come, and they are raised when a
   * signal says so.
   */
  private final class Seen {
    private final int rank;
    private final int lane;
    private final MemorySegment words;
    private final long[] raised = new long[2];
    private byte[] tokens = new byte[0];
    private byte[] results = new byte[0];
    private byte[] came = new byte[0];
    private long steps;

    Seen(int rank, int lane) {
      this.rank = rank;
      this.lane = lane;
      this.words = world.flags.get(members[rank]).asSlice(3L * lane * Long.BYTES, 3 * Long.BYTES);
    }

    void look() {
      if (words.getAtIndex(ValueLayout.JAVA_LONG, 0) == raised[0] + 1) {
        raised[0]++;
        tokens = tokensThere();
      }
      if (words.getAtIndex(ValueLayout.JAVA_LONG, 1) == raised[1] + 1) {
        raised[1]++;
        results = resultsThere();
      }
    }

    private byte[] tokensThere() {
      byte[] first = bytes(rank, lane, Section.PRIVATE);
      byte[] later = bytes(rank, lane, Section.OVERFLOW);
      byte[] all = Arrays.copyOf(first, first.length + later.length);
      System.arraycopy(later, 0, all, first.length, later.length);
      return all;
    }

    private byte[] resultsThere() {
      return bytes(rank, lane, Section.RETURNED);
    }

    /** All tokens of a step are there. */
    void tokensCame() {
      came = tokensThere();
      require(0, "tokens", tokens, tokensThere());
    }

    /** Nobody writes to what experts may still read. */
    void requireTokensStay() {
      if (!Arrays.equals(came, tokensThere()) && wrong == null) {
        wrong = new AssertionError("tokens were written to that experts have on rank " + rank);
      }
    }

    /** What was written of a step is read by no NIC any more, unless the next one has begun. */
    void requireUnread(long step, Section section) {
      if (step == steps) {
        SimulatedSteps.this.requireUnread(rank, lane, section);
      }
    }

    /** All results are, and summed up. */
    void resultsCame() {
      require(1, "results", results, resultsThere());
    }

    private void require(int word, String what, byte[] early, byte[] now) {
      String of = what + " of step " + steps + " on rank " + rank + ", lane " + lane;
      if (words.getAtIndex(ValueLayout.JAVA_LONG, word) < steps && wrong == null) {
        wrong = new AssertionError("a signal came before the flag for " + of);
      }
      if (raised[word] == steps && !Arrays.equals(early, now) && wrong == null) {
        wrong = new AssertionError("a flag was raised before all had come for " + of);
      }
    }
  }

  /** After all is over: no rank has refused what another has not. */
  void requireSameRefusals() {
    for (int rank = 1; rank < refusals.size(); rank++) {
      assertThat(refusals.get(rank)).as("refused by rank %s", rank).isEqualTo(refusals.get(0));
    }
  }

  /** After all is over: whoever was told of a failure has its memory for itself. */
  void requireNothingComesLate() {
    for (MemorySegment sums : givenBack) {
      for (long i = 0; i < sums.byteSize(); i++) {
        assertThat(sums.get(ValueLayout.JAVA_BYTE, i)).as("a sum that came late").isEqualTo(MARK);
      }
    }
  }

  private Mono<Void> pause(int rank) {
    if (rank == idle) {
      return Mono.never();
    }
    if (random.chance(50)) {
      return Mono.empty();
    }
    Duration time = Duration.ofNanos(random.between(1, 500_000));
    return Mono.delay(time, world.schedulers.get(members[rank])).then();
  }

  /** The memory of a lane, as it is at the engine of a rank. */
  private MemorySegment section(int rank, int lane, Section section) {
    MoeMemory memory = shape.memory(rank);
    return world
        .memory
        .get(members[rank])
        .asSlice(memory.offset(lane, section), memory.length(section));
  }

  private byte[] bytes(int rank, int lane, Section section) {
    return section(rank, lane, section).toArray(ValueLayout.JAVA_BYTE);
  }

  private int[] experts(int rank, Rig.Tokens step) {
    int group = shape.groups().groupOf(rank);
    boolean areOthers = haveOtherExperts && !shape.groups().isFirst(rank) && random.chance(20);
    return areOthers ? random.experts(shape, step.count[group]) : step.experts[group];
  }

  /**
   * One step of one rank.
   *
   * @param writing gets what is still being written when the step is over; null if the step waits
   *     for that
   */
  private Mono<Void> step(int rank, int lane, Rig.Tokens step, @Nullable List<Mono<Void>> writing) {
    return Mono.defer(() -> {
      if (!world.tokens.areNext()) {
        return step(rank, lane, step, null, writing);
      }
      int group = shape.groups().groupOf(rank);
      return world
          .tokens
          .give(members[rank], step.payload[group], step.count[group], shape.tokenBytes())
          .doOnNext(given -> world.given(members[rank], given))
          .flatMap(given -> step(rank, lane, step, given, writing));
    });
  }

  private Mono<Void> step(
      int rank,
      int lane,
      Rig.Tokens step,
      RegisteredTokens.@Nullable Given given,
      @Nullable List<Mono<Void>> writing) {
    return Mono.defer(() -> {
      int group = shape.groups().groupOf(rank);
      MemorySegment sums =
          MemorySegment.ofArray(new byte[(int) (step.count[group] * shape.sumBytes())]);
      MemorySegment payload =
          MemorySegment.ofArray(new byte[(int) step.payload[group].byteSize()])
              .copyFrom(step.payload[group]);
      byte[] overflow = bytes(rank, lane, Section.OVERFLOW);
      Seen flags = seen.get(rank).get(lane);
      long number = ++flags.steps;
      MoeStep halves =
          groups
              .get(rank)
              .lane(lane)
              .begin(step.count[group], experts(rank, step), step.weights[group]);
      Mono<Void> combined =
          Mono.when(
              written(
                  Mono.defer(halves::combineSend)
                      .doOnSubscribe(begun -> flags.requireTokensStay())
                      .doOnSuccess(done -> flags.requireUnread(number, Section.BLOCKS))
                      .doOnSuccess(done -> flags.requireUnread(number, ofResults()))
                      .doOnSuccess(done -> useResults(rank, lane)),
                  writing),
              Mono.defer(() -> pause(rank).then(halves.combineReceive(sums)))
                  .doOnSuccess(done -> flags.resultsCame()));
      Mono<Void> received =
          Mono.defer(() -> pause(rank).then(halves.dispatchReceive()))
              .doOnNext(batch -> payload.fill(MARK))
              .doOnNext(batch -> flags.tokensCame())
              .doOnNext(batch -> requireUnread(rank, lane, ofResults()))
              .doOnNext(batch -> section(rank, lane, ofResults()).fill(MARK))
              .flatMap(batch -> {
                Mono<Void> computed =
                    pause(rank).then(Mono.fromRunnable(() -> Model.compute(shape, batch)));
                return world.mistake == Mistake.SENDS_RESULTS_EARLY
                    ? Mono.when(combined, computed)
                    : computed.then(Mono.defer(() -> pause(rank).then(combined)));
              });
      Mono<Void> sent =
          written(
              (given == null ? halves.dispatchSend(payload) : fromRegistered(rank, halves, given))
                  .doOnSubscribe(begun -> useSoon(rank, given == null ? payload : given.memory()))
                  .doOnSuccess(done -> flags.requireUnread(number, Section.SEND))
                  .doOnSuccess(done -> payload.fill(MARK)),
              writing);
      return Mono.when(sent, received)
          .doOnError(e -> givenBack.add(sums.fill(MARK)))
          .doOnError(e -> requireUnread(rank, given))
          .doOnError(StepRefusedException.class, e -> requireNothingIn(rank, lane, overflow))
          .doOnSuccess(done -> {
            if (sums.mismatch(step.expected[group]) != -1 && wrong == null) {
              wrong = new AssertionError("other sums on rank " + rank + ", lane " + lane);
            }
          });
    });
  }

  /** Writes to the tokens as soon as they were sent, or the group is over. */
  private Mono<Void> fromRegistered(int rank, MoeStep step, RegisteredTokens.Given given) {
    return step.dispatchSend(given.slice(), given.stride())
        .doOnTerminate(() -> requireUnread(rank, given))
        .doOnTerminate(given::spoil)
        .doFinally(end -> {
          if (end == SignalType.CANCEL) {
            world.cancelled(members[rank], given);
          } else {
            world.giveBack(members[rank], given);
          }
        });
  }

  private void requireUnread(int rank, RegisteredTokens.@Nullable Given given) {
    if (given != null && world.readersOf(given) != 0 && wrong == null) {
      wrong =
          new AssertionError("tokens of rank " + rank + " are read though their half has ended");
    }
  }

  /** A half that writes, or one that has begun it and is waited for later. */
  private static Mono<Void> written(Mono<Void> half, @Nullable List<Mono<Void>> writing) {
    return writing == null
        ? half
        : Mono.fromRunnable(() -> {
          Mono<Void> begun =
              half.onErrorResume(StepRefusedException.class, e -> Mono.empty()).cache();
          begun.subscribe(null, failure -> {});
          writing.add(begun);
        });
  }

  /** The mistake: some time after they were given, though they may still be read. */
  private void useSoon(int rank, MemorySegment payload) {
    if (world.mistake == Mistake.USES_TOKENS_EARLY) {
      var _ =
          world.schedulers.get(members[rank]).schedule(() -> payload.fill(MARK), 50, MICROSECONDS);
    }
  }

  /** The mistake: when they were written, though they may not be summed up. */
  private void useResults(int rank, int lane) {
    if (world.mistake == Mistake.USES_RESULTS_EARLY) {
      section(rank, lane, ofResults()).fill(MARK);
    }
  }

  /** Where experts put results. */
  private Section ofResults() {
    return shape.isInPlace() ? Section.BLOCKS : Section.RESULTS;
  }

  /** No rank has sent what its tokens need beyond private slots in a step that is refused. */
  private void requireNothingIn(int rank, int lane, byte[] overflowBefore) {
    MemorySegment now = section(rank, lane, Section.OVERFLOW);
    if (now.mismatch(MemorySegment.ofArray(overflowBefore)) != -1 && wrong == null) {
      wrong = new AssertionError("rank " + rank + " got overflow in a step that is refused");
    }
  }

  /** Whoever is told that it was written may take it that no NIC reads it any more. */
  private void requireUnread(int rank, int lane, Section section) {
    MoeMemory memory = shape.memory(rank);
    long offset = memory.offset(lane, section);
    long length = memory.length(section);
    if (length > 0
        && world.network.readersOf(world.memory.get(members[rank]), offset, length) != 0) {
      wrong = new AssertionError("rank " + rank + " has not written all of " + section);
    }
  }

  /** Whoever is told of a failure may take it that nothing is under way here any more. */
  private void requireQuiet(int rank) {
    if (world.readersOf(members[rank]) != 0 && wrong == null) {
      wrong = new AssertionError("rank " + rank + " was told of a failure before it was quiet");
    }
  }

  boolean areOver(int rank) {
    return outcomes.get(rank).stream().allMatch(Outcome::isOver);
  }

  boolean areAllOver() {
    for (int rank = 0; rank < outcomes.size(); rank++) {
      if (!areOver(rank)) {
        return false;
      }
    }
    return true;
  }
}
