package io.reactivetransfer.weights.version;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TrafficStats;
import io.reactivetransfer.weights.internal.Turns;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/** An outage that is over ends no update: a rank is lost if it is lost now. */
class EarlierLossTest {

  private static final String RANK = "rank-1";
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final PeerState LOST =
      new PeerState.Lost(new PeerUnreachableException("its cable was out"));

  private final Scheduler timers = Schedulers.newSingle("timers", true);
  private final Sinks.Many<PeerState> changes = Sinks.many().multicast().directBestEffort();
  private final MachineRig rig = new MachineRig();
  private final ControllerRun run =
      new ControllerRun(
          new Turns(),
          rig.controller,
          timers,
          Map.of(RANK, new KnownPeer()),
          LONG,
          1,
          List.of(),
          Context.empty());

  @AfterEach
  void end() {
    timers.dispose();
  }

  /** One that was lost when it was last heard of. */
  private final class KnownPeer implements Peer {
    private final EngineId id = new EngineId(1, 2);

    @Override
    public EngineId id() {
      return id;
    }

    @Override
    public EngineId engine() {
      return new EngineId(1, 1);
    }

    @Override
    public PeerAddress address() {
      return new PeerAddress("none", id, new HostPort("rank-1", 7_400));
    }

    @Override
    public Flux<PeerState> state() {
      return Flux.concat(Flux.just(LOST), changes.asFlux());
    }

    @Override
    public PeerState present() {
      return LOST;
    }

    @Override
    public TrafficStats stats() {
      throw new UnsupportedOperationException();
    }
  }

  private void beginUpdate() {
    rig.unheard = (rank, command) -> rank.equals(RANK);
    rig.update("rank-0", RANK, "rank-2");
    run.watch(LONG);
    rig.run();
    assertThat(rig.results).isEmpty();
  }

  private void requireAborted() {
    rig.run();
    assertThat(rig.results)
        .singleElement()
        .satisfies(result -> {
          assertThat(result.decision()).isEqualTo(UpdateResult.Decision.ABORTED);
          assertThat(result.reason()).contains(RANK, "lost");
        });
  }

  @Test
  void isNoneOfThisUpdate() {
    beginUpdate();
    changes.tryEmitNext(new PeerState.Alive());
    rig.run();
    assertThat(rig.results).isEmpty();
    changes.tryEmitNext(LOST);
    requireAborted();
  }

  /** Nothing changes then: what it is told does not come to it. */
  @Test
  void isFoundOutAnewIfItHasNotEnded() {
    beginUpdate();
    run.unreachable(RANK).accept(new IllegalStateException("it does not listen"));
    requireAborted();
  }
}
