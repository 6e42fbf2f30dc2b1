package io.reactivetransfer.weights.remote;

import static io.reactivetransfer.weights.remote.Rig.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Message;
import io.reactivetransfer.TraceContext;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.weights.check.ChecksumScope;
import io.reactivetransfer.weights.run.RunProgress;
import io.reactivetransfer.weights.run.StageProgress;
import io.reactivetransfer.weights.version.RankMember;
import io.reactivetransfer.weights.version.UpdateMode;
import io.reactivetransfer.weights.version.UpdateNumber;
import io.reactivetransfer.weights.version.WeightsController;
import io.reactivetransfer.weights.version.WeightsTrainer;
import io.reactivetransfer.weights.version.WeightsUpdate;
import io.reactivetransfer.weights.version.WriteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

/** Trainers that call themselves what they like: the controller keeps one name of each. */
@Timeout(60)
class TrainerNamesTest {

  private static final UpdateNumber UPDATE = new UpdateNumber(1, 77, 1);
  private static final WriteOrder ORDER = new WriteOrder(UPDATE, 1, List.of(), TraceContext.NONE);

  private final List<TransferEngine> engines = new ArrayList<>();
  private final TransferEngine controller = engine();
  private final RemoteTrainers remote = RemoteTrainers.open(controller);

  private TransferEngine engine() {
    EngineOptions options = EngineOptions.builder().nics(1).build();
    TransferEngine engine =
        await(TransferEngineBuilder.create().backend("loopback").options(options).open());
    engines.add(engine);
    return engine;
  }

  @AfterEach
  void close() {
    Flux.fromIterable(engines).flatMap(TransferEngine::close).then().block(Rig.PATIENCE);
  }

  /** A trainer that is led by hand, and has an order. */
  private final class ByHand {
    private final TransferEngine engine = engine();
    private final Message order;
    private final CompletableFuture<Void> written;

    ByHand() throws InterruptedException {
      BlockingQueue<Message> orders = new LinkedTransferQueue<>();
      engine.messages(TrainerService.ORDERS).subscribe(orders::add);
      written =
          Flux.from(remote.trainer(controller.peer(engine.address())).write(ORDER))
              .then()
              .toFuture();
      order = orders.poll(30, TimeUnit.SECONDS);
      assertThat(order).isNotNull();
    }

    void say(RemoteMessage.Answer answer) {
      engine
          .send(order.sender(), TrainerService.ANSWERS, RemoteCodec.encode(answer))
          .block(Rig.PATIENCE);
    }

    void sayProgress(String name, long bytes) {
      say(new RemoteMessage.Progress(UPDATE, name, run(bytes)));
    }

    /** When this returns, all that it has said was heard. */
    void sayDone(String name, long bytes) throws Exception {
      say(new RemoteMessage.Done(UPDATE, name, run(bytes)));
      written.get(30, TimeUnit.SECONDS);
    }
  }

  private static RunProgress run(long bytes) {
    StageProgress none = new StageProgress(0, 0, 0);
    StageProgress written = new StageProgress(1, bytes, 0);
    return new RunProgress(RunNumber.of(UPDATE), 1, bytes, none, none, none, written, 0, 0, 0);
  }

  private Map<String, RunProgress> shown() {
    return await(remote.progress().next()).trainers();
  }

  @Test
  void aTrainerIsShownOnceHoweverOftenItTakesAnotherName() throws Exception {
    ByHand trainer = new ByHand();
    trainer.say(new RemoteMessage.Accepted(UPDATE, "trainer-0"));
    for (int i = 1; i <= 100; i++) {
      trainer.sayProgress("trainer-" + i, i);
    }
    trainer.sayDone("trainer-101", 101);
    assertThat(shown()).isEqualTo(Map.of("trainer-0", run(101)));
  }

  @Test
  void aTrainerThatTakesTheNameOfAnotherIsNotShownInItsPlace() throws Exception {
    ByHand first = new ByHand();
    ByHand second = new ByHand();
    first.sayDone("trainer-0", 7);
    second.sayDone("trainer-0", 1);
    assertThat(shown()).isEqualTo(Map.of("trainer-0", run(7)));
  }

  @Test
  void oneThatIsAskedForTwiceIsOneTrainer() {
    TransferEngine first = engine();
    WeightsTrainer trainer = remote.trainer(controller.peer(first.address()));
    WeightsTrainer again = remote.trainer(controller.peer(first.address()), ChecksumScope.all());
    WeightsTrainer other = remote.trainer(controller.peer(engine().address()));
    assertThat(other).isNotEqualTo(trainer);
    WeightsUpdate update =
        new WeightsUpdate(1, UpdateMode.IN_PLACE, Map.of("rank", 1L), Rig.PATIENCE);
    RankMember rank = new RankMember("rank", controller.peer(engine().address()));
    assertThatThrownBy(() ->
            WeightsController.open(controller)
                .update(update, List.of(rank), List.of(trainer, other, again)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected each trainer once, got trainer at " + first.address() + " twice");
  }
}
