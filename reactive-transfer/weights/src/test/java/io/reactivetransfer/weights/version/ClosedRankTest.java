package io.reactivetransfer.weights.version;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A rank that is closed gives no lease any more, whatever else becomes of it. */
class ClosedRankTest {

  private static final String NAME = "rank-0";

  private final MachineRig rig = new MachineRig();
  private final RankMachine<String> rank = rig.ranks.get(NAME);

  @BeforeEach
  void serves() {
    rank.begin(1);
    assertThat(rig.giving).contains(NAME);
  }

  private void requireClosed() {
    rig.run();
    assertThat(rig.giving).doesNotContain(NAME);
    assertThat(rank.state()).isEqualTo(RankState.CLOSED);
  }

  @Test
  void whenTheBytesOfAnUpdateDoNotComeAnyMore() {
    rig.unfilled.add(NAME);
    rig.update(NAME);
    Report.Pending pending = rank.report().pending();
    assertThat(pending).isNotNull();
    assertThat(pending.phase()).isEqualTo(Phase.OPEN);
    rank.close();
    requireClosed();
    rank.failed(pending.update(), "its engine has closed");
    requireClosed();
  }

  @Test
  void whenTheControllerHasDecidedMeanwhile() {
    List<Command> decisions = new ArrayList<>();
    rig.unheard = (to, command) -> command instanceof Command.Commit && decisions.add(command);
    rig.update(NAME);
    assertThat(decisions).isNotEmpty();
    rank.close();
    requireClosed();
    rank.receive(decisions.getFirst(), "controller");
    requireClosed();
  }

  @Test
  void whenTheControllerGivesTheUpdateUp() {
    rig.unfilled.add(NAME);
    rig.update(NAME);
    rank.close();
    rank.lost("controller");
    requireClosed();
  }
}
