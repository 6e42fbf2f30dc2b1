package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.simulation.Faults;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What may happen in a run, and how often compared with the rest; what never does of itself is for
 * runs whose acts are chosen.
 */
enum WeightsActKind {
  UPDATE(40, WeightsActs::update),
  READ(50, WeightsActs::read),
  JOIN(3, WeightsActs::join),
  FILL(0, WeightsActs::fill),
  RECOVER(4, WeightsActs::recover),
  PREPARE_FAILS(3, WeightsActs::failPrepare),
  RIVAL(6, WeightsActs::rival),
  CANCEL(3, WeightsActs::cancel),
  REOPEN_TRAINER(2, WeightsActs::reopenTrainer),
  REOPEN_RANK(2, WeightsActs::reopenRank),
  REOPEN_CONTROLLER(2, WeightsActs::reopenController),
  STRIKE(20, WeightsActs::strike),
  STRIKE_A_FLIP(0, WeightsActs::strikeAFlip),
  REGISTRATION_REFUSED(1, WeightsActs::refuseRegistration),
  CUT(4, Faults::cut),
  CUT_CONTROL(3, Faults::cutControl),
  HALF_OPEN(2, Faults::halfOpen),
  SLOW_CONTROL(2, Faults::slowControl),
  NIC_FAILS(3, Faults::failNic),
  STOP(5, Faults::stop),
  KILL(5, Faults::kill),
  CLOSE_ENGINE(1, Faults::closeEngine);

  private static final WeightsActKind[] LOTS = lots(kind -> true);
  private static final WeightsActKind[] FAULTS = lots(kind -> kind.isFault() && kind != STRIKE);

  private final int weight;

  @SuppressWarnings("ImmutableEnumChecker") // only method references
  private final BiConsumer<WeightsWorld, SplittableRandom> action;

  WeightsActKind(int weight, BiConsumer<WeightsWorld, SplittableRandom> action) {
    this.weight = weight;
    this.action = action;
  }

  private static WeightsActKind[] lots(Predicate<WeightsActKind> which) {
    return Stream.of(values())
        .filter(which)
        .flatMap(kind -> Stream.generate(() -> kind).limit(kind.weight))
        .toArray(WeightsActKind[]::new);
  }

  static WeightsActKind draw(SplittableRandom random) {
    return LOTS[random.nextInt(LOTS.length)];
  }

  /** Only of what goes wrong. */
  static WeightsActKind drawFault(SplittableRandom random) {
    return FAULTS[random.nextInt(FAULTS.length)];
  }

  /** Whether an update may fail for it. */
  boolean isFault() {
    return compareTo(PREPARE_FAILS) > 0;
  }

  void perform(WeightsWorld world, SplittableRandom random) {
    action.accept(world, random);
  }
}
