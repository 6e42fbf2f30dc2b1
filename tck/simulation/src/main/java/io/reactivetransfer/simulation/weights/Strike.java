package io.reactivetransfer.simulation.weights;

import java.util.SplittableRandom;

/**
 * Something that goes wrong when an update is at a certain step.
 *
 * @param step at which
 * @param fault what
 * @param seed decides the rest
 */
record Strike(Step step, WeightsActKind fault, long seed) {

  private static final int MAX_DELAY_BITS = 15;
  private static final long MAX_TAKE_OVER_NANOS = 500_000;

  /** How far an update is, somewhere. */
  enum Step {
    /** A controller asks for it. */
    ASKED,
    /** Trainers are told. */
    ORDERED,
    /** A byte comes to a rank. */
    WRITTEN,
    /** A rank gives no leases. */
    PAUSED,
    /** A rank has voted. */
    UNDECIDED,
    /** A rank has flipped. */
    FLIPPED,
    /** A controller says what came of it. */
    ENDED
  }

  static Strike draw(SplittableRandom random) {
    Step[] steps = Step.values();
    return draw(steps[random.nextInt(steps.length)], random);
  }

  static Strike draw(Step step, SplittableRandom random) {
    return new Strike(step, WeightsActKind.drawFault(random), random.nextLong());
  }

  void perform(WeightsWorld world) {
    SplittableRandom random = new SplittableRandom(seed);
    world
        .time()
        .after(
            random.nextLong(1L << random.nextInt(MAX_DELAY_BITS)),
            () -> {
              world.referee().note(-1, "strike " + fault + " at " + step, seed & 0xffff);
              WeightsNode inCharge = world.laboratory().nodeInCharge();
              if (inCharge != null && inCharge.isUp() && random.nextInt(3) == 0) {
                fell(world, inCharge, random);
              } else {
                fault.perform(world, random);
              }
            });
  }

  /** The controller dies or stands still, at times a rank with it, and another one takes over. */
  private static void fell(WeightsWorld world, WeightsNode inCharge, SplittableRandom random) {
    fell(world, inCharge, random.nextBoolean(), random);
    Serving serving = random.nextInt(3) > 0 ? null : WeightsActs.role(world, Serving.class, random);
    if (serving != null) {
      fell(world, serving.node, random.nextBoolean(), random);
    }
    world
        .time()
        .after(
            random.nextLong(MAX_TAKE_OVER_NANOS),
            () -> {
              Steering next = WeightsActs.role(world, Steering.class, random);
              if (next != null) {
                world.laboratory().recover(next, world.laboratory().drawDeadline(random));
              }
            });
  }

  private static void fell(
      WeightsWorld world, WeightsNode node, boolean dies, SplittableRandom random) {
    if (dies) {
      node.kill();
      world.replace(node, random);
    } else {
      node.stop(random.nextLong(MAX_TAKE_OVER_NANOS));
    }
  }
}
