package io.reactivetransfer.simulation;

import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** What may happen in a run, and how often compared with the rest. */
enum ActKind {
  SUBMIT(30, UserActs::submit),
  STREAM(14, UserActs::stream),
  RETRY(8, UserActs::retry),
  CLAIM(22, UserActs::claim),
  SEND(12, UserActs::send),
  READ(4, UserActs::read),
  QUIESCED(3, RegionActs::quiesced),
  REGISTER(2, RegionActs::register),
  REVOKE(4, RegionActs::revoke),
  CLOSE_REGION(2, RegionActs::close),
  BARRIER(3, UserActs::barrier),
  STATE(2, UserActs::state),
  FIND(3, UserActs::find),
  CUT(3, Faults::cut),
  CUT_CONTROL(3, Faults::cutControl),
  HALF_OPEN(2, Faults::halfOpen),
  SLOW_CONTROL(1, Faults::slowControl),
  NIC_FAILS(1, Faults::failNic),
  STOP(1, Faults::stop),
  KILL(1, Faults::kill),
  CLOSE_ENGINE(1, Faults::closeEngine),
  START(1, World::start);

  /** As many of each as it weighs. */
  private static final ActKind[] LOTS =
      Stream.of(values())
          .flatMap(kind -> Stream.generate(() -> kind).limit(kind.weight))
          .toArray(ActKind[]::new);

  private final int weight;

  @SuppressWarnings("ImmutableEnumChecker") // only method references
  private final BiConsumer<World, SplittableRandom> action;

  ActKind(int weight, BiConsumer<World, SplittableRandom> action) {
    this.weight = weight;
    this.action = action;
  }

  static ActKind draw(SplittableRandom random) {
    return LOTS[random.nextInt(LOTS.length)];
  }

  /** Whether it is something that goes wrong, rather than something that a user does. */
  boolean isFault() {
    return compareTo(CUT) >= 0;
  }

  void perform(World world, SplittableRandom random) {
    action.accept(world, random);
  }
}
