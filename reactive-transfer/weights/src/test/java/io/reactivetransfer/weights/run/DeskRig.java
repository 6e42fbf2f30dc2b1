package io.reactivetransfer.weights.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.plan.Step;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;

/** The desk of a rank that others gather for, whose runs are led by hand, as are the others. */
final class DeskRig implements AutoCloseable {

  /** An update that nobody begins. */
  private static final long NEVER = 1_000;

  final GatherDesk desk;

  /** A step that others gather for. */
  final StepState step;

  private final Cluster cluster = Cluster.loopback();
  private final Arena arena = Arena.ofShared();
  private final Rig rig;
  private final Trainer trainer;
  private final MemoryRegion region;
  private final GatherMessage.AskedStep asked;

  DeskRig() {
    Case of =
        Case.from(0, table -> table.sources().size() > 2 && GatherDeskTest.isGatheredBy0(table));
    rig = new Rig(cluster, of.table(), RunOptions.builder());
    rig.trainers.forEach(one -> one.close().block(Cluster.PATIENCE));
    TransferEngine engine = cluster.trainer(0);
    int count = of.table().sources().size();
    RunOptions options = RunOptions.builder().trainers(cluster.addresses(count)).build();
    trainer = new Trainer(engine, of.table(), 0, rig.memory(0), options);
    HostMemory memory = new HostMemory(arena.allocate(trainer.temporaryBytes, 64));
    trainer.place(memory.segment());
    region = Cluster.await(engine.register(memory, Access.REMOTE_WRITE));
    desk = GatherDesk.open(trainer, region);
    trainer.gathering = desk;
    Step.Gather gather = GatherDeskTest.gathered(of);
    asked = new GatherMessage.AskedStep(gather.order(), gather.gatherBytes());
    step =
        trainer.steps.stream()
            .filter(one -> one.gatherIndex >= 0 && one.step.order() == gather.order())
            .findFirst()
            .orElseThrow();
  }

  Run run(long number) {
    return GatherDeskTest.run(trainer, rig, number);
  }

  /** Another rank of the trainer. */
  final class Other {
    private final TransferEngine engine;
    private final Peer to;
    private final BlockingQueue<GatherMessage> answers = new LinkedTransferQueue<>();

    Other(int rank) {
      engine = cluster.trainer(rank);
      to = engine.peer(cluster.trainer(0).address());
      engine
          .messages(GatherDesk.CHANNEL)
          .subscribe(message -> answers.add(GatherCodec.decode(message.bytes())));
    }

    void say(GatherMessage message) {
      engine.send(to, GatherDesk.CHANNEL, GatherCodec.encode(message)).block(Cluster.PATIENCE);
    }

    void ask(long update) {
      say(new GatherMessage.Ask(update, List.of(asked)));
    }

    GatherMessage next() throws InterruptedException {
      GatherMessage answer = answers.poll(20, TimeUnit.SECONDS);
      assertThat(answer).isNotNull();
      return answer;
    }

    /** Returns when all was read that it has said: what is refused is answered behind that. */
    void requireRead() throws InterruptedException {
      say(new GatherMessage.Ask(NEVER, List.of(new GatherMessage.AskedStep(1L << 40, 1))));
      GatherMessage answer = next();
      assertThat(answer).isInstanceOf(GatherMessage.Failed.class);
      assertThat(answer.update()).isEqualTo(NEVER);
    }
  }

  @Override
  public void close() {
    desk.close().block(Cluster.PATIENCE);
    region.close().block(Cluster.PATIENCE);
    rig.close();
    cluster.close();
    arena.close();
  }
}
