package io.reactivetransfer.simulation;

import java.util.function.IntPredicate;

/** A world in which a seed decides everything: run again, it does the same again. */
public interface SeededRun {

  /** Runs one seed. */
  default Simulation.Result run(long seed) {
    return run(seed, act -> true);
  }

  /** Runs one seed without some of its acts, which are numbered from 0 on. */
  Simulation.Result run(long seed, IntPredicate acts);

  /** How many acts a seed has. */
  int acts(long seed);
}
