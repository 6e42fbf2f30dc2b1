package io.reactivetransfer.weights.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** A table with one defect is found by what looks at tables: the guards are guarded. */
class TableSabotageTest {

  private static final int MODELS = 60;

  /** Makes one defect. */
  private interface Defect extends UnaryOperator<Runs> {}

  /** Runs with one of them changed. */
  private static Runs with(Runs runs, int changed, int times, long sourceShift, long targetShift) {
    Runs.Builder builder = Runs.builder();
    for (int run = 0; run < runs.size(); run++) {
      for (int i = 0; i < (run == changed ? times : 1); i++) {
        boolean isChanged = run == changed;
        builder
            .from(
                runs.targetRanks(run),
                runs.sourceRegion(run),
                runs.sourceOffset(run) + (isChanged ? sourceShift : 0),
                runs.targetRegion(run),
                runs.targetOffset(run) + (isChanged ? targetShift : 0))
            .rows(
                runs.rowBytes(run), runs.rows(run), runs.sourceStride(run), runs.targetStride(run));
      }
    }
    return builder.build();
  }

  private static Step with(Step step, Runs runs) {
    return switch (step) {
      case Step.Write write -> new Step.Write(write.order(), write.tensor(), runs);
      case Step.Gather gather ->
          new Step.Gather(
              gather.order(), gather.tensor(), gather.preparer(), gather.gatherBytes(), runs);
      case Step.Prepare prepare ->
          new Step.Prepare(
              prepare.order(),
              prepare.tensor(),
              prepare.box(),
              prepare.inputs(),
              prepare.gatherBytes(),
              prepare.gatherWrites(),
              runs);
    };
  }

  /** Each defect at the first step of each kind: found by looking at bytes, or refused at once. */
  private static void requireFound(Class<? extends Step> kind, Defect defect) {
    int made = 0;
    for (long seed = 0; seed < MODELS; seed++) {
      RandomModel model = new RandomModel(seed);
      RoutingTable table = Planner.create().stepBytes(64).plan(model.sources, model.targets);
      new TableProof(model).require(table);
      for (int source = 0; source < table.sources().size(); source++) {
        for (int i = 0; i < table.steps(source).size(); i++) {
          Step step = table.steps(source).get(i);
          if (kind.isInstance(step) && step.runs().size() > 0 && made < 2 * (seed + 1)) {
            int at = i;
            int rank = source;
            made++;
            assertThatThrownBy(
                    () -> {
                      RoutingTable bad = replaced(table, rank, at, defect.apply(step.runs()));
                      new TableProof(model).require(bad);
                    })
                .as("seed %d, source %d, step %d", seed, source, i)
                .isInstanceOfAny(AssertionError.class, IllegalArgumentException.class);
          }
        }
      }
    }
    assertThat(made).isGreaterThan(5);
  }

  private static RoutingTable replaced(RoutingTable table, int source, int at, Runs runs) {
    List<List<Step>> steps = new ArrayList<>();
    for (int i = 0; i < table.sources().size(); i++) {
      steps.add(new ArrayList<>(table.steps(i)));
    }
    List<Step> ofRank = steps.get(source);
    ofRank.set(at, with(ofRank.get(at), runs));
    return new RoutingTable(
        table.sources(), table.targets(), table.groups(), table.tensors(), table.unused(), steps);
  }

  @Test
  void aRunThatIsMissing() {
    requireFound(Step.Write.class, runs -> with(runs, 0, 0, 0, 0));
    requireFound(Step.Prepare.class, runs -> with(runs, 0, 0, 0, 0));
    requireFound(Step.Gather.class, runs -> with(runs, 0, 0, 0, 0));
  }

  @Test
  void aRunThatComesTwice() {
    requireFound(Step.Write.class, runs -> with(runs, 0, 2, 0, 0));
    requireFound(Step.Prepare.class, runs -> with(runs, 0, 2, 0, 0));
    requireFound(Step.Gather.class, runs -> with(runs, 0, 2, 0, 0));
  }

  @Test
  void aRunThatGoesToAnotherPlace() {
    requireFound(Step.Write.class, runs -> with(runs, 0, 1, 0, 1));
    requireFound(Step.Prepare.class, runs -> with(runs, 0, 1, 0, 1));
    requireFound(Step.Gather.class, runs -> with(runs, 0, 1, 0, 1));
  }
}
