package io.reactivetransfer.simulation;

import java.util.SplittableRandom;

/**
 * Something that is to happen in a run. What exactly follows from its own seed and from the state
 * that it finds, so that leaving out another act does not change its mind.
 *
 * @param kind what
 * @param nanos when
 * @param seed decides the rest
 */
record Act(ActKind kind, long nanos, long seed) {

  void perform(World world) {
    world.referee().note(-1, kind.name(), seed & 0xffff);
    kind.perform(world, new SplittableRandom(seed));
  }
}
