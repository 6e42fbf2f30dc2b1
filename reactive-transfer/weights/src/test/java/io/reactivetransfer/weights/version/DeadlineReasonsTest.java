package io.reactivetransfer.weights.version;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.weights.version.UpdateResult.Decision;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An update that runs out of time says for whom it waited, and for what. */
class DeadlineReasonsTest {

  private final MachineRig rig = new MachineRig();

  private void unheard(Class<? extends Command> what, String... ranks) {
    rig.unheard = (rank, command) -> what.isInstance(command) && List.of(ranks).contains(rank);
  }

  private UpdateResult lastResult() {
    rig.controller.deadline();
    rig.run();
    rig.controller.deadline();
    return rig.results.getLast();
  }

  private String reason() {
    rig.update("rank-0", "rank-1", "rank-2");
    UpdateResult result = lastResult();
    assertThat(result.decision()).isIn(Decision.ABORTED, Decision.UNKNOWN);
    return result.reason();
  }

  @Test
  void forAnAnswer() {
    unheard(Command.Query.class, "rank-1");
    assertThat(reason()).isEqualTo("no answer of rank rank-1");
  }

  @Test
  void forReadersOfAnOldVersion() {
    // Both buffers are taken when the second update has ended: readers of the first one go on.
    rig.reading.add("rank-2");
    rig.update("rank-0", "rank-1", "rank-2");
    rig.update("rank-0", "rank-1", "rank-2");
    assertThat(rig.results).hasSize(2).allMatch(UpdateResult::isFlipped);
    assertThat(reason())
        .isEqualTo("the deadline is over while waiting for rank rank-2, whose buffer is not free");
  }

  @Test
  void forMemoryToBeOpened() {
    unheard(Command.Open.class, "rank-0", "rank-2");
    assertThat(reason())
        .isEqualTo(
            "the deadline is over while waiting for rank rank-0, rank rank-2 to open its memory");
  }

  @Test
  void forBytes() {
    rig.unfilled.add("rank-1");
    assertThat(reason())
        .isEqualTo(
            "the deadline is over while waiting for rank rank-1, which has not all bytes or has not"
                + " looked at them; all trainers of the update have written: it may lack one that"
                + " its table names");
  }

  @Test
  void forVotes() {
    unheard(Command.Hold.class, "rank-1");
    assertThat(reason()).isEqualTo("the deadline is over while waiting for rank rank-1 to vote");
  }

  @Test
  void whyARankIsLost() {
    unheard(Command.Hold.class, "rank-1");
    rig.update("rank-0", "rank-1", "rank-2");
    rig.controller.lost("rank-1", "it said nothing for 3 s");
    rig.controller.lost("rank-1", ""); // its state has ended, too
    rig.run();
    UpdateResult result = rig.results.getLast();
    assertThat(result.reason()).isEqualTo("rank rank-1 is lost: it said nothing for 3 s");
    assertThat(result.ranks().get("rank-1").text())
        .isEqualTo("it is lost: it said nothing for 3 s");
  }

  @Test
  void whyARankIsLostBeforeItHasAnswered() {
    unheard(Command.Query.class, "rank-1");
    rig.update("rank-0", "rank-1", "rank-2");
    rig.controller.lost("rank-1", "it said nothing for 3 s");
    rig.run();
    assertThat(rig.results.getLast().reason())
        .isEqualTo("rank rank-1 is lost: it said nothing for 3 s");
  }
}
