package io.reactivetransfer.weights.version;

import static io.reactivetransfer.weights.version.Cluster.await;
import static io.reactivetransfer.weights.version.Cluster.awaitState;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Message;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TraceContext;
import io.reactivetransfer.TransferEngine;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** A controller that dies at a step of its update, and another one that finds out what is. */
class RecoveryTest {

  private static final Term TERM = new Term(1, 1);
  private static final UpdateNumber UPDATE = UpdateNumber.of(TERM, 1);
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  /** One that is led by hand. */
  private static final class ByHand {
    private final Cluster cluster;
    final TransferEngine engine;
    private final List<Peer> peers = new ArrayList<>();
    private final List<MemberId> members = new ArrayList<>();
    private final BlockingQueue<Message> reports = new LinkedTransferQueue<>();

    ByHand(Cluster cluster) throws InterruptedException {
      this.cluster = cluster;
      this.engine = cluster.engine();
      engine.messages(VersionCodec.REPORTS).subscribe(reports::add);
      for (RankMember member : cluster.members(engine)) {
        peers.add(member.peer());
        send(peers.size() - 1, new Command.Query(TERM, 1));
        members.add(next(Phase.NEVER, peers.size() - 1).member());
      }
    }

    void send(int rank, Command command) {
      await(engine.send(peers.get(rank), VersionCodec.COMMANDS, VersionCodec.encode(command)));
    }

    Report next(Phase phase, int rank) throws InterruptedException {
      while (true) {
        Message message = reports.poll(20, TimeUnit.SECONDS);
        assertThat(message).as("a report of " + phase).isNotNull();
        Report report = VersionCodec.decodeReport(message.bytes());
        if (report.member().name().equals("rank-" + rank) && report.phase(UPDATE) == phase) {
          return report;
        }
      }
    }

    /** All ranks have all bytes, and have not voted. */
    ByHand fill(UpdateMode mode) throws InterruptedException {
      List<RankTarget> targets = new ArrayList<>();
      for (int i = 0; i < peers.size(); i++) {
        long to = members.get(i).incarnation();
        send(
            i,
            new Command.Prepare(
                TERM, to, UPDATE, 5, mode, Cluster.CHUNKS, false, members, TraceContext.NONE));
        next(Phase.PREPARED, i);
        send(i, new Command.Open(TERM, to, UPDATE));
        targets.add(next(Phase.OPEN, i).pending().target());
      }
      await(
          Flux.fromIterable(cluster.trainers)
              .flatMap(
                  trainer -> trainer.write(new WriteOrder(UPDATE, 5, targets, TraceContext.NONE)))
              .then());
      for (int i = 0; i < peers.size(); i++) {
        next(Phase.FILLED, i);
      }
      return this;
    }

    void hold(int rank) throws InterruptedException {
      send(rank, new Command.Hold(TERM, members.get(rank).incarnation(), UPDATE));
      next(Phase.HELD, rank);
    }

    void commit(int rank) throws InterruptedException {
      send(rank, new Command.Commit(TERM, members.get(rank).incarnation(), UPDATE));
      next(Phase.FLIPPED, rank);
    }
  }

  private static UpdateResult recover(Cluster cluster) {
    return await(cluster.controller.recover(cluster.members(), DEADLINE));
  }

  private static void requireServe(Cluster cluster, int version) {
    for (WeightsRank rank : cluster.ranks) {
      await(rank.serving());
      try (VersionLease lease = rank.lease()) {
        assertThat(lease.version()).isEqualTo(version);
        assertThat(Cluster.read(lease)).isEqualTo(version);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"loopback", "tcp"})
  void nobodyWaitsBeforeItsVote(String backend) throws InterruptedException {
    try (Cluster cluster = new Cluster(backend, 2, 1)) {
      ByHand first = new ByHand(cluster).fill(UpdateMode.TWO_BUFFERS_OUTLIVE);
      requireServe(cluster, 0);
      await(first.engine.close());
      UpdateResult recovery = recover(cluster);
      assertThat(recovery.decision()).isEqualTo(UpdateResult.Decision.RECOVERED);
      assertThat(recovery.ranks().get("rank-0").end()).isEqualTo(RankOutcome.End.KEPT);
      requireServe(cluster, 0);
      assertThat(await(cluster.update(6, UpdateMode.TWO_BUFFERS_OUTLIVE)).isFlipped()).isTrue();
      requireServe(cluster, 6);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"loopback", "tcp"})
  void oneThatHasNotVotedMeansThatNobodyFlips(String backend) throws InterruptedException {
    try (Cluster cluster = new Cluster(backend, 3, 1)) {
      ByHand first = new ByHand(cluster).fill(UpdateMode.TWO_BUFFERS_WAIT);
      first.hold(0);
      first.hold(2);
      awaitState(cluster.ranks.get(0), RankState.UNDECIDED);
      assertThat(cluster.ranks.get(0).tryLease()).isNull();
      await(first.engine.close());
      assertThat(recover(cluster).decision()).isEqualTo(UpdateResult.Decision.RECOVERED);
      requireServe(cluster, 0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"loopback", "tcp"})
  void oneThatHasFlippedMeansThatAllFlip(String backend) throws InterruptedException {
    try (Cluster cluster = new Cluster(backend, 3, 1)) {
      ByHand first = new ByHand(cluster).fill(UpdateMode.TWO_BUFFERS_OUTLIVE);
      for (int i = 0; i < 3; i++) {
        first.hold(i);
      }
      first.commit(1);
      await(first.engine.close());
      UpdateResult recovery = recover(cluster);
      assertThat(recovery.decision()).isEqualTo(UpdateResult.Decision.RECOVERED);
      assertThat(recovery.ranks().get("rank-0").version()).hasValue(5);
      requireServe(cluster, 5);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"loopback", "tcp"})
  void aVoterWaitsUntilWhoMayHaveFlippedAnswersOrIsDead(String backend)
      throws InterruptedException {
    try (Cluster cluster = new Cluster(backend, 3, 1)) {
      ByHand first = new ByHand(cluster).fill(UpdateMode.IN_PLACE);
      for (int i = 0; i < 3; i++) {
        first.hold(i);
      }
      await(first.engine.close());
      await(cluster.rankEngines.get(1).close());
      List<RankMember> all = cluster.members();
      UpdateResult blocked = await(cluster.controller.recover(all, Duration.ofSeconds(2)));
      assertThat(blocked.decision()).isEqualTo(UpdateResult.Decision.BLOCKED);
      assertThat(blocked.reason()).contains("rank-1");
      awaitState(cluster.ranks.get(0), RankState.UNDECIDED);
      // The application has made sure that it is dead.
      cluster.ranks.remove(1);
      cluster.rankEngines.remove(1);
      assertThat(recover(cluster).decision()).isEqualTo(UpdateResult.Decision.RECOVERED);
      requireServe(cluster, 5);
    }
  }

  /** It never answers under the name that the controller has for it, and need not be waited for. */
  @Test
  void aRankThatCallsItselfOtherwiseIsNamed() {
    try (Cluster cluster = new Cluster("loopback", 1, 1)) {
      Peer peer = cluster.controllerEngine.peer(cluster.rankEngines.getFirst().address());
      List<RankMember> members = List.of(new RankMember("other", peer));
      WeightsUpdate update =
          new WeightsUpdate(1, UpdateMode.IN_PLACE, Map.of("other", 1L), Duration.ofSeconds(15));
      String why =
          "rank other is not there: the engine at " + peer.address() + " calls itself rank rank-0";
      UpdateResult updated = await(cluster.controller.update(update, members, cluster.trainers));
      assertThat(updated.reason()).isEqualTo(why);
      assertThat(updated.decision()).isEqualTo(UpdateResult.Decision.ABORTED);
      UpdateResult recovered = await(cluster.controller.recover(members, Duration.ofSeconds(15)));
      assertThat(recovered.reason()).isEqualTo(why);
      assertThat(recovered.decision()).isEqualTo(UpdateResult.Decision.BLOCKED);
      assertThat(await(cluster.update(1, UpdateMode.IN_PLACE)).isFlipped()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"loopback", "tcp"})
  void anotherVersionOfTheMessagesIsNamed(String backend) {
    try (Cluster cluster = new Cluster(backend, 1, 1)) {
      TransferEngine newer = cluster.engine();
      newer
          .messages(VersionCodec.COMMANDS)
          .subscribe(message -> {
            byte[] bytes =
                VersionCodecTest.bytes(VersionCodec.encode(VersionCodecTest.REPORTS.getFirst()));
            bytes[0] = 4;
            newer
                .send(
                    message.sender(),
                    VersionCodec.REPORTS,
                    ByteBuffer.wrap(VersionCodecTest.sealed(bytes)))
                .subscribe();
          });
      RankMember member = new RankMember("rank-0", cluster.controllerEngine.peer(newer.address()));
      UpdateResult result =
          await(
              cluster.controller.update(
                  cluster.order(1, UpdateMode.IN_PLACE), List.of(member), cluster.trainers));
      assertThat(result.decision()).isEqualTo(UpdateResult.Decision.ABORTED);
      assertThat(result.reason())
          .contains("rank rank-0 cannot be understood")
          .contains("expected version 3, got version 4");
    }
  }
}
