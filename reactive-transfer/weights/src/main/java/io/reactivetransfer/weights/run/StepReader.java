package io.reactivetransfer.weights.run;

import io.reactivetransfer.weights.plan.Step;
import java.util.function.IntFunction;

/** Looks at what a rank of the trainer writes to inference ranks, where it is written from. */
@FunctionalInterface
public interface StepReader {

  /**
   * Reads what a step writes. Called once in a run for each step that writes to inference ranks, on
   * the scheduler of the options, for several steps at once; what was prepared, after that, and
   * before it is written. The run does not end while a call lasts.
   *
   * @param step the step
   * @param sources for a run of the step, the memory in which its offset at the source counts: what
   *     is registered may lie on an accelerator; what was prepared lies in the host. Only to be
   *     read, and not after the call has returned
   */
  void read(Step step, IntFunction<SourceMemory> sources);
}
