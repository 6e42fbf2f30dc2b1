package io.reactivetransfer.weights.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Step;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;

/** What a run asks of the desk when the next one has begun already. */
@Timeout(60)
class GatherDeskTest {

  static Step.Gather gathered(Case of) {
    for (int rank = 0; rank < of.table().sources().size(); rank++) {
      for (Step step : of.table().steps(rank)) {
        if (step instanceof Step.Gather gather && gather.preparer() == 0) {
          return gather;
        }
      }
    }
    throw new AssertionError("nothing is gathered");
  }

  /** Others gather for the first rank, which gathers for nobody. */
  static boolean isGatheredBy0(RoutingTable table) {
    return table.steps(0).stream()
            .anyMatch(step -> step instanceof Step.Prepare prepare && prepare.gatherWrites() > 0)
        && table.steps(0).stream().noneMatch(Step.Gather.class::isInstance);
  }

  static Run run(Trainer trainer, Rig rig, long number) {
    UpdateTargets update = rig.targets(0, number);
    PreparedWrites writes = PreparedWrites.of(List.of(), List.of(), List.of(), null);
    Run[] made = new Run[1];
    Flux.<RunProgress>create(sink -> made[0] = new Run(trainer, update, () -> writes, null, sink))
        .subscribe();
    return made[0];
  }

  @Test
  void roomOfARunThatIsOverIsNotGrantedToTheNext() throws InterruptedException {
    Case of = Case.from(0, GatherDeskTest::isGatheredBy0);
    try (Cluster cluster = Cluster.loopback();
        Arena arena = Arena.ofShared();
        Rig rig = new Rig(cluster, of.table(), RunOptions.builder())) {
      rig.trainers.forEach(trainer -> trainer.close().block(Cluster.PATIENCE));
      int count = of.table().sources().size();
      TransferEngine engine = cluster.trainer(0);
      RunOptions options = RunOptions.builder().trainers(cluster.addresses(count)).build();
      Trainer trainer = new Trainer(engine, of.table(), 0, rig.memory(0), options);
      HostMemory memory = new HostMemory(arena.allocate(trainer.temporaryBytes, 64));
      trainer.place(memory.segment());
      MemoryRegion region = Cluster.await(engine.register(memory, Access.REMOTE_WRITE));
      GatherDesk desk = GatherDesk.open(trainer, region);

      BlockingQueue<GatherMessage> answers = new LinkedTransferQueue<>();
      TransferEngine asker = cluster.trainer(1);
      asker
          .messages(GatherDesk.CHANNEL)
          .subscribe(message -> answers.add(GatherCodec.decode(message.bytes())));
      Peer to = asker.peer(engine.address());

      Step.Gather gather = gathered(of);
      StepState step =
          trainer.steps.stream()
              .filter(one -> one.gatherIndex >= 0 && one.step.order() == gather.order())
              .findFirst()
              .orElseThrow();
      desk.begin(run(trainer, rig, 2));
      desk.open(run(trainer, rig, 1), step);
      GatherMessage.AskedStep asked =
          new GatherMessage.AskedStep(gather.order(), gather.gatherBytes());
      ask(asker, to, new GatherMessage.Ask(2, List.of(asked)));
      // Refused, and so answered: whatever was said to the question before it comes first.
      ask(asker, to, new GatherMessage.Ask(3, List.of(new GatherMessage.AskedStep(1L << 40, 1))));
      assertThat(answers.poll(20, TimeUnit.SECONDS)).isInstanceOf(GatherMessage.Failed.class);
      desk.close().block(Cluster.PATIENCE);
      region.close().block(Cluster.PATIENCE);
    }
  }

  /** What comes late of a run before would be taken for where there is room now. */
  @Test
  void temporariesOfARunThatIsOverDoNotReplaceThoseOfTheNext() throws InterruptedException {
    try (DeskRig rig = new DeskRig(true)) {
      DeskRig.Other preparer = rig.new Other(0);
      rig.desk.begin(rig.run(2));
      assertThat(preparer.next()).isInstanceOf(GatherMessage.Ask.class);
      preparer.sayTemporaries(2, rig.asked.bytes());
      preparer.sayTemporaries(1, 1);
      preparer.say(new GatherMessage.Grant(2, rig.asked.order(), 0, 1 << 28));
      preparer.requireRead();
      assertThat(rig.step.isGranted).isTrue();
    }
  }

  /** Whoever waits for one that has failed hears of it, however short messages are. */
  @ParameterizedTest
  @CsvSource({"100, 1000", "1000, 100", "100, 100"})
  void whyARunHasEndedIsCutToWhatAMessageTakes(int own, int ofOthers) throws InterruptedException {
    Case of = Case.from(0, GatherDeskTest::isGatheredBy0);
    try (Cluster cluster = Cluster.loopback();
        Arena arena = Arena.ofShared()) {
      cluster.maxMessageBytes = own;
      TransferEngine engine = cluster.trainer(0);
      cluster.maxMessageBytes = ofOthers;
      try (Rig rig = new Rig(cluster, of.table(), RunOptions.builder())) {
        rig.trainers.forEach(trainer -> trainer.close().block(Cluster.PATIENCE));
        int count = of.table().sources().size();
        RunOptions options = RunOptions.builder().trainers(cluster.addresses(count)).build();
        Trainer trainer = new Trainer(engine, of.table(), 0, rig.memory(0), options);
        HostMemory memory = new HostMemory(arena.allocate(trainer.temporaryBytes, 64));
        MemoryRegion region = Cluster.await(engine.register(memory, Access.REMOTE_WRITE));
        GatherDesk desk = GatherDesk.open(trainer, region);
        BlockingQueue<GatherMessage> answers = new LinkedTransferQueue<>();
        TransferEngine asker = cluster.trainer(1);
        asker
            .messages(GatherDesk.CHANNEL)
            .subscribe(message -> answers.add(GatherCodec.decode(message.bytes())));

        Run run = run(trainer, rig, 1);
        desk.begin(run);
        desk.failed(run, new IllegalStateException("it was too long to say".repeat(50)));
        // Nobody has asked so far: who asks later is answered.
        Step.Gather gather = gathered(of);
        GatherMessage.AskedStep asked =
            new GatherMessage.AskedStep(gather.order(), gather.gatherBytes());
        ask(asker, asker.peer(engine.address()), new GatherMessage.Ask(1, List.of(asked)));
        assertThat(answers.poll(20, TimeUnit.SECONDS)).isInstanceOf(GatherMessage.Failed.class);
        desk.close().block(Cluster.PATIENCE);
        region.close().block(Cluster.PATIENCE);
      }
    }
  }

  private static void ask(TransferEngine from, Peer to, GatherMessage question) {
    from.send(to, GatherDesk.CHANNEL, GatherCodec.encode(question)).block(Cluster.PATIENCE);
  }
}
