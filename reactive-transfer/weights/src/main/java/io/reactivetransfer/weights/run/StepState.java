package io.reactivetransfer.weights.run;

import io.reactivetransfer.Transfer;
import io.reactivetransfer.weights.kernel.PrepareTask;
import io.reactivetransfer.weights.plan.Runs;
import io.reactivetransfer.weights.plan.Step;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A step of this rank: what is the same in every run, and how far the present one is. What is of
 * the run is guarded by it, unless said otherwise.
 */
final class StepState {

  static final Transfer[] NONE = {};

  /** Stands for the end of a mesh group, at which nothing is written. */
  static final StepState END_OF_GROUP =
      new StepState(new Step.Write(0, 0, Runs.builder().build()), "", 0, 0);

  final Step step;
  final String tensor;

  /** Mesh groups that take turns: which one; else 0. */
  final int phase;

  final long temporaryBytes;
  final long bytes;

  /** Where its temporary begins. */
  long offset;

  /** Who waits for its room; null if nobody does. */
  @Nullable StepState successor;

  /** How many have to be done before its room is free. */
  int predecessors;

  /** What is to be prepared; null if nothing is. */
  @Nullable PrepareTask task;

  /** What is copied to the host before it is prepared; null if nothing is. */
  @Nullable DeviceInputs deviceInputs;

  /** Where that is copied to; null if nothing is. */
  @Nullable MemorySegment copies;

  /** What others write here is counted by this one of the leased immediates; -1 if they do not. */
  int gatherIndex = -1;

  // Of the present run.

  Transfer[] transfers = NONE;
  int waitsFor;
  boolean isAdmitted;

  /**
   * Of a step that gathers for another rank: whether that one has room, and what is sent is here.
   */
  boolean isGranted;

  boolean isLoaded;
  long admittedNanos;

  /** Transfers that are not done; only the stream of the engine looks at it. */
  int left;

  StepState(Step step, String tensor, int phase, long temporaryBytes) {
    this.step = step;
    this.tensor = tensor;
    this.phase = phase;
    this.temporaryBytes = temporaryBytes;
    this.bytes = step.runs().bytes();
  }

  /** Where what it makes begins among the temporaries, behind what is gathered. */
  long outputOffset() {
    return offset + (step instanceof Step.Prepare prepare ? prepare.gatherBytes() : 0);
  }

  /** Where its scales begin: behind what it makes. */
  long scalesOffset() {
    PrepareTask made = task;
    return outputOffset() + (made == null ? 0 : made.output().byteSize());
  }

  /** Whether nothing has to be done before it is written. */
  boolean isDirect() {
    return step instanceof Step.Write;
  }

  void reset() {
    waitsFor = predecessors;
    isAdmitted = false;
    isGranted = false;
    isLoaded = temporaryBytes == 0;
    left = 0;
  }
}
