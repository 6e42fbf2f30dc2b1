package io.reactivetransfer.weights.run;

import io.reactivetransfer.RegionDescriptor;
import java.util.List;

/** What ranks of a trainer say to each other about what is gathered for an update. */
sealed interface GatherMessage {

  /** The number of the update. */
  long update();

  /**
   * To a rank that prepares: where to write for these steps?
   *
   * @param steps which ones
   */
  record Ask(long update, List<AskedStep> steps) implements GatherMessage {

    /** Keeps the list as it is. */
    public Ask {
      steps = List.copyOf(steps);
    }
  }

  /**
   * A step that somebody gathers for.
   *
   * @param order its number in the table
   * @param bytes how long its temporary is, so that tables that differ are found out
   */
  record AskedStep(long order, long bytes) {}

  /**
   * To a rank that gathers, before the first grant of an update: where the temporaries are.
   *
   * @param descriptor of all of them
   */
  record Temporaries(long update, RegionDescriptor descriptor) implements GatherMessage {}

  /**
   * To a rank that gathers: there is room now.
   *
   * @param order the number of the step
   * @param offset where its temporary begins
   * @param imm what its writes carry
   */
  record Grant(long update, long order, long offset, int imm) implements GatherMessage {}

  /**
   * To all that wait for this rank: it has ended its run.
   *
   * @param why for people
   */
  record Failed(long update, String why) implements GatherMessage {}
}
