package io.reactivetransfer.weights.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Peer;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.weights.kernel.PrepareFunction;
import io.reactivetransfer.weights.plan.ModelBytes;
import io.reactivetransfer.weights.plan.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

/** A rank that is closed while a run is made ready: nothing begins after the close. */
@Timeout(60)
class ClosedMeanwhileTest {

  /** Remote memory that does something as a write to it is made. */
  private record Closing(RemoteRegion inner, Runnable close) implements RemoteRegion {

    @Override
    public Peer peer() {
      return inner.peer();
    }

    @Override
    public long length() {
      close.run();
      return inner.length();
    }

    @Override
    public RegionDescriptor descriptor() {
      return inner.descriptor();
    }

    @Override
    public RemoteSlice slice(long offset, long length) {
      return inner.slice(offset, length);
    }
  }

  @Test
  void nothingIsPreparedAfterTheClose() {
    Case of =
        Case.from(
            0,
            table ->
                table.cost().gathered().stream().allMatch(bytes -> bytes == 0)
                    && table.steps(0).stream().anyMatch(Step.Prepare.class::isInstance));
    AtomicInteger prepared = new AtomicInteger();
    PrepareFunction counting =
        task -> {
          prepared.incrementAndGet();
          PrepareFunction.standard().prepare(task);
        };
    try (Cluster cluster = Cluster.loopback();
        Rig rig = new Rig(cluster, of.table(), RunOptions.builder().prepare(counting))) {
      rig.fill(new ModelBytes(of.model()));
      TrainerRank trainer = rig.trainers.getFirst();
      AtomicBoolean isMadeReady = new AtomicBoolean();
      AtomicReference<CompletableFuture<Void>> closed = new AtomicReference<>();
      Runnable close =
          () -> {
            if (isMadeReady.get() && closed.get() == null) {
              closed.set(trainer.close().toFuture());
            }
          };
      List<TargetMemory> targets = new ArrayList<>();
      for (TargetMemory target : rig.targets(0, 1).targets()) {
        List<RemoteRegion> regions = new ArrayList<>();
        target.regions().forEach(region -> regions.add(new Closing(region, close)));
        targets.add(new TargetMemory(regions, target.imm()));
      }
      Flux<RunProgress> run = trainer.write(new UpdateTargets(1, targets));
      isMadeReady.set(true);
      assertThatThrownBy(() -> run.blockLast(Cluster.PATIENCE))
          .isInstanceOf(CancellationException.class)
          .hasMessageEndingWith(" was closed");
      assertThat(closed.get()).isNotNull();
      assertThat(closed.get()).succeedsWithin(Cluster.PATIENCE);
      assertThat(prepared).hasValue(0);
      assertThatThrownBy(() -> trainer.write(rig.targets(0, 2)).blockLast(Cluster.PATIENCE))
          .isInstanceOf(TransferRejectedException.class)
          .hasMessageEndingWith(" is closed");
    }
  }
}
