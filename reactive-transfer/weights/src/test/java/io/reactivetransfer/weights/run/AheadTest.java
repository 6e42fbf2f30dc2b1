package io.reactivetransfer.weights.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** However much one rank says of updates to come, what others have said stays known. */
@Timeout(60)
class AheadTest {

  private static final int MANY = 40;

  private static void requireGranted(DeskRig.Other asker) throws InterruptedException {
    assertThat(asker.next()).isInstanceOf(GatherMessage.Temporaries.class);
    assertThat(asker.next()).isInstanceOf(GatherMessage.Grant.class);
  }

  private static void askForMany(DeskRig.Other other) throws InterruptedException {
    for (int i = 1; i <= MANY; i++) {
      other.ask(1 + i);
    }
    other.requireRead();
  }

  @Test
  void aQuestionForTheCurrentRunIsKept() throws InterruptedException {
    try (DeskRig rig = new DeskRig()) {
      DeskRig.Other asker = rig.new Other(1);
      Run run = rig.run(1);
      rig.desk.begin(run);
      asker.ask(1);
      askForMany(asker);
      askForMany(rig.new Other(2));
      rig.desk.open(run, rig.step);
      requireGranted(asker);
      rig.desk.end(run, false).block(Cluster.PATIENCE);
    }
  }

  @Test
  void aQuestionForARunThatHasNotBegunIsKept() throws InterruptedException {
    try (DeskRig rig = new DeskRig()) {
      DeskRig.Other asker = rig.new Other(1);
      asker.ask(1);
      asker.requireRead();
      askForMany(rig.new Other(2));
      Run run = rig.run(1);
      rig.desk.begin(run);
      rig.desk.open(run, rig.step);
      requireGranted(asker);
      rig.desk.end(run, false).block(Cluster.PATIENCE);
    }
  }

  @Test
  void theEndOfARunThatHasNotBegunIsKept() throws InterruptedException {
    try (DeskRig rig = new DeskRig()) {
      DeskRig.Other asker = rig.new Other(1);
      asker.ask(1);
      asker.say(new GatherMessage.Failed(1, "no more memory on the device"));
      asker.requireRead();
      DeskRig.Other other = rig.new Other(2);
      for (int i = 1; i <= MANY; i++) {
        other.say(new GatherMessage.Failed(1 + i, "it has ended this one, too"));
      }
      other.requireRead();
      Run run = rig.run(1);
      rig.desk.begin(run);
      assertThat(asker.next())
          .isInstanceOfSatisfying(
              GatherMessage.Failed.class,
              end -> {
                assertThat(end.update()).isEqualTo(1);
                assertThat(end.why()).contains("no more memory on the device");
              });
      rig.desk.end(run, false).block(Cluster.PATIENCE);
    }
  }
}
