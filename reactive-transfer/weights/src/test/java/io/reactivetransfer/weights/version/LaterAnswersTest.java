package io.reactivetransfer.weights.version;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A rank that did not hear how an update ended, and asks when others have gone on without it. */
class LaterAnswersTest {

  private final MachineRig rig = new MachineRig();

  private void deaf(String deaf) {
    rig.unheard = (rank, command) -> rank.equals(deaf) && command instanceof Command.Commit;
  }

  @Test
  void isTold() {
    deaf("rank-2");
    rig.update("rank-0", "rank-1", "rank-2");
    rig.controller.lost("rank-2", "");
    assertThat(rig.results).singleElement().matches(UpdateResult::isFlipped);
    assertThat(rig.results.getFirst().isConfirmed()).isFalse();
    rig.update("rank-0", "rank-1");
    assertThat(rig.results.get(1).isFlipped()).isTrue();
    RankMachine<String> late = rig.ranks.get("rank-2");
    assertThat(late.state()).isEqualTo(RankState.UNDECIDED);
    deaf("");
    late.tick();
    rig.run();
    assertThat(late.state()).isEqualTo(RankState.SERVING);
    assertThat(late.report().update()).isEqualTo(rig.results.getFirst().update());
  }

  /** What was sent may come yet, and then it stops for an update that is over for all others. */
  @Test
  void whoHasNotHeardOfAnUpdateHasNotConfirmedItsEnd() {
    rig.update("rank-0", "rank-1");
    assertThat(rig.results.getFirst().isConfirmed()).isTrue();
    List<Command> late = new ArrayList<>();
    rig.unheard =
        (rank, command) -> {
          boolean isLate =
              rank.equals("rank-1")
                  && (command instanceof Command.Prepare || command instanceof Command.Abort);
          if (isLate) {
            late.add(command);
          }
          return isLate;
        };
    rig.update("rank-0", "rank-1");
    rig.controller.cancel("closed");
    rig.run();
    rig.controller.deadline();
    UpdateResult result = rig.results.get(1);
    assertThat(result.decision()).isEqualTo(UpdateResult.Decision.ABORTED);
    assertThat(result.isConfirmed()).isFalse();
    assertThat(result.ranks().get("rank-0").end()).isEqualTo(RankOutcome.End.KEPT);
    RankOutcome silent = result.ranks().get("rank-1");
    assertThat(silent.end()).isEqualTo(RankOutcome.End.UNCONFIRMED);
    assertThat(silent.state()).contains(RankState.SERVING);
    assertThat(silent.version()).hasValue(1);
    RankMachine<String> rank = rig.ranks.get("rank-1");
    rank.receive(late.getFirst(), "controller");
    assertThat(rank.report().phase(result.update()).isPending()).isTrue();
  }

  /** What nobody has said is not told as if it were a fact. */
  @Test
  void whoHasSaidNothingHasNoStateAndNoVersion() {
    rig.unheard = (rank, command) -> rank.equals("rank-1");
    rig.update("rank-0", "rank-1");
    rig.controller.deadline();
    assertThat(rig.results).singleElement().matches(result -> !result.isConfirmed());
    RankOutcome silent = rig.results.getFirst().ranks().get("rank-1");
    assertThat(silent.end()).isEqualTo(RankOutcome.End.UNCONFIRMED);
    assertThat(silent.state()).isEmpty();
    assertThat(silent.version()).isEmpty();
    RankOutcome heard = rig.results.getFirst().ranks().get("rank-0");
    assertThat(heard.end()).isEqualTo(RankOutcome.End.EMPTY);
    assertThat(heard.state()).contains(RankState.EMPTY);
    assertThat(heard.version()).isEmpty();
  }

  /** 0 is a version, too. */
  @Test
  void aRankThatHasVersion0SaysSo() {
    rig.ranks.get("rank-0").begin(0);
    rig.unheard = (rank, command) -> rank.equals("rank-1");
    rig.update("rank-0", "rank-1");
    rig.controller.deadline();
    RankOutcome heard = rig.results.getFirst().ranks().get("rank-0");
    assertThat(heard.end()).isEqualTo(RankOutcome.End.KEPT);
    assertThat(heard.version()).hasValue(0);
  }

  /** Whoever may be a controller may be the last one: that is said, and nobody waits in vain. */
  @Test
  void nobodyCanReplaceAControllerWhoseTermIsTheLast() {
    rig.ranks
        .get("rank-1")
        .receive(new Command.Query(new Term(Long.MAX_VALUE, -1), 1), "controller");
    rig.run();
    rig.controller.recover(List.of("rank-0", "rank-1"));
    rig.run();
    assertThat(rig.results)
        .singleElement()
        .matches(result -> result.decision() == UpdateResult.Decision.SUPERSEDED)
        .extracting(UpdateResult::reason)
        .asString()
        .startsWith("rank rank-1 obeys a controller whose term is the last one");
  }
}
