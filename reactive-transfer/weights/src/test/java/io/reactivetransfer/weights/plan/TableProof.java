package io.reactivetransfer.weights.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.weights.kernel.PrepareFunction;

/** Does what a table says with random weights, and looks at every byte of every target. */
final class TableProof {

  private final RandomModel model;

  TableProof(RandomModel model) {
    this.model = model;
  }

  /** Fails unless each byte was written once, with what it must be, and nothing else was. */
  void require(RoutingTable table) {
    ModelBytes bytes = new ModelBytes(model);
    require(table, bytes, new Rehearsal(table, bytes.sources, null));
    require(table, bytes, new Rehearsal(table, bytes.sources, PrepareFunction.standard()));
  }

  private static void require(RoutingTable table, ModelBytes bytes, Rehearsal rehearsal) {
    rehearsal.run();
    assertThat(rehearsal.arrivals).isEqualTo(table.arrivals());
    for (int rank = 0; rank < bytes.targets.size(); rank++) {
      assertThat(rehearsal.written.get(rank))
          .as("times written")
          .isDeepEqualTo(bytes.counts.get(rank));
      assertThat(rehearsal.targets.get(rank)).as("bytes").isDeepEqualTo(bytes.targets.get(rank));
    }
  }
}
