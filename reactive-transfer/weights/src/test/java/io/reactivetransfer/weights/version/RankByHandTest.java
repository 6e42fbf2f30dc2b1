package io.reactivetransfer.weights.version;

import static io.reactivetransfer.weights.version.Cluster.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TraceContext;
import io.reactivetransfer.TransferEngine;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** One rank, and controllers that are led by hand. */
@Timeout(60)
class RankByHandTest {

  private static final Term TERM = new Term(1, 7);

  /** Whoever says that it is a controller. */
  private static final class ByHand {
    final TransferEngine engine;
    private final Peer rank;
    private final BlockingQueue<Report> reports = new LinkedTransferQueue<>();

    ByHand(Cluster cluster) {
      engine = cluster.engine();
      rank = engine.peer(cluster.rankEngines.getFirst().address());
      engine
          .messages(VersionCodec.REPORTS)
          .subscribe(message -> reports.add(VersionCodec.decodeReport(message.bytes())));
    }

    void say(Command command) {
      await(engine.send(rank, VersionCodec.COMMANDS, VersionCodec.encode(command)));
    }

    /** Has the rank obey it. */
    MemberId takeOver() throws InterruptedException {
      say(new Command.Query(TERM, 1));
      return next().member();
    }

    Report next() throws InterruptedException {
      Report report = reports.poll(20, TimeUnit.SECONDS);
      assertThat(report).isNotNull();
      return report;
    }
  }

  private static Command.Prepare prepare(
      MemberId to, long serial, UpdateMode mode, List<MemberId> members) {
    UpdateNumber update = UpdateNumber.of(TERM, serial);
    return new Command.Prepare(
        TERM, to.incarnation(), update, serial, mode, 1, false, members, TraceContext.NONE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"loopback", "tcp"})
  void theLossOfItsControllerIsNoticedHoweverManyOthersSpeak(String backend)
      throws InterruptedException {
    try (Cluster cluster = new Cluster(backend, 1, 0)) {
      WeightsRank rank = cluster.ranks.getFirst();
      ByHand controller = new ByHand(cluster);
      MemberId member = controller.takeOver();
      controller.say(prepare(member, 1, UpdateMode.IN_PLACE, List.of(member)));
      await(rank.statuses().filter(now -> now.state() == RankState.PAUSED).next());
      for (int i = 0; i < 8; i++) {
        ByHand stranger = new ByHand(cluster);
        stranger.say(new Command.Query(Term.NONE, 0));
        assertThat(stranger.next().heard()).isEqualTo(TERM);
      }
      await(controller.engine.close());
      await(rank.serving());
      assertThat(rank.status().reason()).isEqualTo("its controller is lost");
    }
  }

  /** Each update has its own pause and its own reason, though one event ends and begins one. */
  @Test
  void anUpdateThatTakesThePlaceOfAnotherIsToldWithItsOwnPauseAndReason()
      throws InterruptedException {
    List<VersionRecorder.UpdateEnd> ends = new CopyOnWriteArrayList<>();
    VersionRecorder recorder =
        new VersionRecorder() {
          @Override
          public UpdateRecorder updateBegun(UpdateBegin begin) {
            return new UpdateRecorder() {
              @Override
              public void ended(UpdateEnd end) {
                assertThat(end.update()).isEqualTo(begin.update());
                ends.add(end);
              }
            };
          }
        };
    try (Cluster cluster = new Cluster("loopback", 0, 0)) {
      TransferEngine engine = cluster.engine();
      WeightsBuffer[] buffers = new WeightsBuffer[2];
      Arrays.setAll(buffers, i -> WeightsBuffer.of(Arena.ofAuto().allocate(Cluster.BYTES, 64)));
      WeightsRank rank =
          await(
              WeightsRank.on(engine, "rank-0")
                  .buffer(buffers[0])
                  .buffer(buffers[1])
                  .version(0)
                  .recorder(recorder)
                  .open());
      cluster.ranks.add(rank);
      cluster.rankEngines.add(engine);
      ByHand controller = new ByHand(cluster);
      MemberId member = controller.takeOver();
      controller.say(prepare(member, 1, UpdateMode.TWO_BUFFERS_OUTLIVE, List.of(member)));
      controller.say(prepare(member, 2, UpdateMode.IN_PLACE, List.of(member)));
      await(rank.statuses().filter(now -> now.state() == RankState.PAUSED).next());
      await(controller.engine.close());
      await(rank.serving());
      Awaitility.await().atMost(Cluster.PATIENCE).until(() -> ends.size() == 2);
      assertThat(ends.getFirst().reason()).isEqualTo("another update began");
      assertThat(ends.getFirst().pause()).isZero();
      assertThat(ends.getLast().reason()).isEqualTo("its controller is lost");
      assertThat(ends.getLast().pause()).isPositive();
    }
  }

  @Test
  void whatItCouldNotReportItDoesNotBegin() throws InterruptedException {
    try (Cluster cluster = new Cluster("loopback", 0, 0)) {
      EngineOptions options = EngineOptions.builder().maxMessageBytes(8_192).build();
      cluster.addRank(cluster.engine(options), "rank-0", filled -> Mono.empty());
      ByHand controller = new ByHand(cluster);
      MemberId member = controller.takeOver();
      List<MemberId> many =
          IntStream.range(0, 100)
              .mapToObj(i -> new MemberId("a name that takes its room ".repeat(2) + i, 1))
              .toList();
      controller.say(prepare(member, 1, UpdateMode.TWO_BUFFERS_OUTLIVE, many));
      Report refused = controller.next();
      assertThat(refused.pending()).isNull();
      assertThat(refused.ended())
          .containsExactly(new Report.Ended(UpdateNumber.of(TERM, 1), false));
      assertThat(refused.reason())
          .matches("its 100 ranks take \\d+ bytes, and this one can name .* at most 4096 .*");
      // Fewer ones are taken.
      controller.say(prepare(member, 2, UpdateMode.TWO_BUFFERS_OUTLIVE, List.of(member)));
      Report.Pending taken = controller.next().pending();
      assertThat(taken).isNotNull();
      assertThat(taken.update()).isEqualTo(UpdateNumber.of(TERM, 2));
    }
  }
}
