package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Box;
import java.util.List;

/**
 * What a rank of the trainer does at once for one tensor. All steps of a table have an order, which
 * each rank keeps for its own: so the earliest one that is not done waits for nobody.
 */
public sealed interface Step {

  /** Its number in the order; the steps that gather for another one have the number of that one. */
  long order();

  /** The tensor of the inference engine that it is for; an index into those of the table. */
  int tensor();

  /** What is written. */
  Runs runs();

  /**
   * Bytes are written to inference ranks as they lie.
   *
   * @param order its number
   * @param tensor the tensor
   * @param runs from regions of this rank to regions of inference ranks
   */
  record Write(long order, int tensor, Runs runs) implements Step {}

  /**
   * Bytes are written to another rank of the trainer, which prepares something of them.
   *
   * @param order that of the step that they are gathered for
   * @param tensor the tensor
   * @param preparer the rank of the trainer
   * @param gatherBytes how long its temporary is
   * @param runs from regions of this rank to that temporary
   */
  record Gather(long order, int tensor, int preparer, long gatherBytes, Runs runs)
      implements Step {}

  /**
   * Elements are brought together, cast or quantised, in a temporary, and are written from there.
   *
   * <p>What is made lies there without gaps, the last dimension fastest, in the type of the tensor;
   * the scales in the same way, in a temporary of their own. Each unit that shares a scale begins
   * where the box begins, or a multiple of units from there.
   *
   * @param order its number
   * @param tensor the tensor
   * @param box which elements of it
   * @param inputs of what; together they are the box, each element once
   * @param gatherBytes how long the temporary is that other ranks write into; 0 if none does
   * @param gatherWrites how many runs they write
   * @param runs from the temporaries of this step to regions of inference ranks
   */
  record Prepare(
      long order,
      int tensor,
      Box box,
      List<Input> inputs,
      long gatherBytes,
      long gatherWrites,
      Runs runs)
      implements Step {

    /** Keeps the list as it is. */
    public Prepare {
      inputs = List.copyOf(inputs);
    }
  }
}
