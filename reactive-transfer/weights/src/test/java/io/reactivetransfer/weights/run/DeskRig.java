package io.reactivetransfer.weights.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Step;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * The desk of a rank that others gather for, or of one of those, whose runs are led by hand, as are
 * the others.
 */
final class DeskRig implements AutoCloseable {

  /** An update that nobody begins. */
  private static final long NEVER = 1_000;

  final GatherDesk desk;

  /** A step that others gather for, or this rank for the first one. */
  final StepState step;

  final GatherMessage.AskedStep asked;

  private final Cluster cluster = Cluster.loopback();
  private final Arena arena = Arena.ofShared();
  private final Rig rig;
  private final Trainer trainer;
  private final MemoryRegion region;
  private final PeerAddress own;

  /** Of the first rank, which gathers for nobody. */
  DeskRig() {
    this(false);
  }

  /**
   * The same.
   *
   * @param gathers whether it is the desk of a rank that gathers for the first one
   */
  DeskRig(boolean gathers) {
    Case of =
        Case.from(0, table -> table.sources().size() > 2 && GatherDeskTest.isGatheredBy0(table));
    rig = new Rig(cluster, of.table(), RunOptions.builder());
    rig.trainers.forEach(one -> one.close().block(Cluster.PATIENCE));
    int count = of.table().sources().size();
    Step.Gather gather = GatherDeskTest.gathered(of);
    int rank = gathers ? rankOf(of.table(), gather) : 0;
    TransferEngine engine = cluster.trainer(rank);
    own = engine.address();
    RunOptions options = RunOptions.builder().trainers(cluster.addresses(count)).build();
    trainer = new Trainer(engine, of.table(), rank, rig.memory(rank), options);
    long bytes = Math.max(1, trainer.temporaryBytes);
    HostMemory memory = new HostMemory(arena.allocate(bytes, 64));
    trainer.place(memory.segment());
    region = Cluster.await(engine.register(memory, Access.REMOTE_WRITE));
    desk = GatherDesk.open(trainer, region);
    trainer.gathering = desk;
    for (int other = 1; gathers && other < count; other++) {
      if (other != rank) { // it may be asked, too
        cluster.trainer(other).messages(GatherDesk.CHANNEL).subscribe();
      }
    }
    asked = new GatherMessage.AskedStep(gather.order(), gather.gatherBytes());
    step =
        trainer.steps.stream()
            .filter(one -> gathers || one.gatherIndex >= 0)
            .filter(one -> one.step.order() == gather.order())
            .findFirst()
            .orElseThrow();
  }

  private static int rankOf(RoutingTable table, Step.Gather gather) {
    return IntStream.range(0, table.sources().size())
        .filter(rank -> table.steps(rank).contains(gather))
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
      to = engine.peer(own);
      engine
          .messages(GatherDesk.CHANNEL)
          .subscribe(message -> answers.add(GatherCodec.decode(message.bytes())));
    }

    void say(GatherMessage message) {
      engine.send(to, GatherDesk.CHANNEL, GatherCodec.encode(message)).block(Cluster.PATIENCE);
    }

    /** Says anything. */
    void sayBytes(byte[] message) {
      engine.send(to, GatherDesk.CHANNEL, ByteBuffer.wrap(message)).block(Cluster.PATIENCE);
    }

    void sayTemporaries(long update, long bytes) {
      say(new GatherMessage.Temporaries(update, room(bytes)));
    }

    /** Memory for temporaries. */
    RegionDescriptor room(long bytes) {
      HostMemory memory = new HostMemory(arena.allocate(bytes, 64));
      return Cluster.await(engine.register(memory, Access.REMOTE_WRITE)).descriptor();
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
      assertThat(read()).isEmpty();
    }

    /** The same, with what it was answered so far. */
    List<GatherMessage> read() throws InterruptedException {
      say(new GatherMessage.Ask(NEVER, List.of(new GatherMessage.AskedStep(1L << 40, 1))));
      List<GatherMessage> all = new ArrayList<>();
      for (GatherMessage answer = next(); answer.update() != NEVER; answer = next()) {
        all.add(answer);
      }
      return all;
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
