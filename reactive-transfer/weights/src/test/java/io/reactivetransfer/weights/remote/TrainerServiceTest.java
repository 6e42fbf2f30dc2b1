package io.reactivetransfer.weights.remote;

import static io.reactivetransfer.weights.remote.Rig.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Message;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.TraceContext;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.RegionSpec;
import io.reactivetransfer.weights.check.ChecksumScope;
import io.reactivetransfer.weights.kernel.PrepareFunction;
import io.reactivetransfer.weights.plan.Step;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.run.RunRecorder;
import io.reactivetransfer.weights.version.RankTarget;
import io.reactivetransfer.weights.version.UpdateNumber;
import io.reactivetransfer.weights.version.WriteOrder;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One trainer, and controllers that are led by hand. */
@Timeout(120)
class TrainerServiceTest {

  private static final Rig.Case OF =
      Rig.Case.from(
          11,
          table ->
              table.cost().gathered().stream().allMatch(bytes -> bytes == 0)
                  && table.steps(0).stream().anyMatch(Step.Prepare.class::isInstance));

  private final AtomicInteger prepared = new AtomicInteger();
  private final List<TraceContext> traces = new CopyOnWriteArrayList<>();
  private final RunRecorder recorder =
      new RunRecorder() {
        @Override
        public OneRunRecorder runBegun(RunBegin begin) {
          traces.add(begin.traceContext());
          return OneRunRecorder.NONE;
        }
      };
  private volatile CountDownLatch goOn = new CountDownLatch(0);
  private final Rig rig =
      new Rig(
          "loopback",
          OF,
          () ->
              RunOptions.builder()
                  .parallelism(1)
                  .recorder(recorder)
                  .prepare(task -> {
                    prepared.incrementAndGet();
                    waitFor(goOn);
                    PrepareFunction.standard().prepare(task);
                  }));
  private final Arena arena = Arena.ofShared();

  private static void waitFor(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @AfterEach
  void close() {
    rig.close();
    arena.close();
  }

  /** Whoever says that it is a controller; the weights go to its own memory. */
  private final class ByHand {
    final TransferEngine engine = rig.engine();
    final Peer trainer = engine.peer(rig.trainerEngines.getFirst().address());
    private final BlockingQueue<Message> answers = new LinkedTransferQueue<>();

    ByHand() {
      engine.messages(TrainerService.ANSWERS).subscribe(answers::add);
    }

    WriteOrder order(UpdateNumber update) {
      List<RankTarget> targets = new ArrayList<>();
      for (Rank rank : OF.table().targets()) {
        List<RegionDescriptor> regions = new ArrayList<>();
        for (RegionSpec spec : rank.regions()) {
          HostMemory memory = new HostMemory(arena.allocate(spec.bytes(), 64));
          regions.add(await(engine.register(memory, Access.REMOTE_WRITE)).descriptor());
        }
        targets.add(new RankTarget(rank.name(), regions, engine.lease().imm(), 1));
      }
      return new WriteOrder(update, 1, targets, TraceContext.NONE);
    }

    RemoteMessage.Start start(UpdateNumber update) {
      return new RemoteMessage.Start(order(update), ChecksumScope.sampled());
    }

    void say(RemoteMessage.Order order) {
      engine.send(trainer, TrainerService.ORDERS, RemoteCodec.encode(order)).block(Rig.PATIENCE);
    }

    RemoteMessage.Answer next() throws InterruptedException {
      Message message = answers.poll(30, TimeUnit.SECONDS);
      assertThat(message).isNotNull();
      return RemoteCodec.decodeAnswer(message.bytes());
    }

    /** The next answer that is an end. */
    RemoteMessage.Answer end(UpdateNumber update) throws InterruptedException {
      while (true) {
        RemoteMessage.Answer answer = next();
        boolean isEnd =
            answer instanceof RemoteMessage.Done || answer instanceof RemoteMessage.Failed;
        if (isEnd && answer.update().equals(update)) {
          return answer;
        }
      }
    }

    String reason(UpdateNumber update) throws InterruptedException {
      RemoteMessage.Answer end = end(update);
      assertThat(end).isInstanceOf(RemoteMessage.Failed.class);
      return ((RemoteMessage.Failed) end).why();
    }
  }

  private static UpdateNumber update(long serial) {
    return new UpdateNumber(1, 77, serial);
  }

  private static int prepares() {
    return (int) OF.table().steps(0).stream().filter(Step.Prepare.class::isInstance).count();
  }

  @Test
  void anOrderThatComesTwiceIsDoneOnce() throws InterruptedException {
    ByHand controller = new ByHand();
    RemoteMessage.Start start = controller.start(update(1));
    goOn = new CountDownLatch(1);
    controller.say(start);
    controller.say(start);
    assertThat(controller.next()).isInstanceOf(RemoteMessage.Accepted.class);
    goOn.countDown();
    assertThat(controller.end(update(1))).isInstanceOf(RemoteMessage.Done.class);
    controller.say(start);
    assertThat(controller.end(update(1))).isInstanceOf(RemoteMessage.Done.class);
    controller.say(new RemoteMessage.Ask(update(1)));
    assertThat(controller.end(update(1))).isInstanceOf(RemoteMessage.Done.class);
    assertThat(prepared).hasValue(prepares());
  }

  @Test
  void aRunIsToldWithWhatATracerHasSentAlong() throws InterruptedException {
    ByHand controller = new ByHand();
    TraceContext carried = TraceContext.of(Map.of("traceparent", "00-1-2-01"));
    WriteOrder order = controller.order(update(1));
    WriteOrder traced = new WriteOrder(order.update(), order.version(), order.targets(), carried);
    controller.say(new RemoteMessage.Start(traced, ChecksumScope.sampled()));
    assertThat(controller.end(update(1))).isInstanceOf(RemoteMessage.Done.class);
    controller.say(controller.start(update(2)));
    assertThat(controller.end(update(2))).isInstanceOf(RemoteMessage.Done.class);
    assertThat(traces).containsExactly(carried, TraceContext.NONE);
  }

  @Test
  void aStopThatOvertakesItsStartWins() throws InterruptedException {
    ByHand controller = new ByHand();
    RemoteMessage.Start start = controller.start(update(1));
    controller.say(new RemoteMessage.Stop(update(1)));
    assertThat(controller.reason(update(1))).isEqualTo("it was stopped before it began");
    controller.say(start);
    assertThat(controller.reason(update(1))).isEqualTo("it was stopped before it began");
    assertThat(prepared).hasValue(0);
    controller.say(controller.start(update(2)));
    assertThat(controller.end(update(2))).isInstanceOf(RemoteMessage.Done.class);
  }

  @Test
  void whatOthersSayHasNoStopForgotten() throws InterruptedException {
    ByHand controller = new ByHand();
    ByHand other = new ByHand();
    RemoteMessage.Start start = controller.start(update(1));
    controller.say(new RemoteMessage.Stop(update(1)));
    assertThat(controller.reason(update(1))).isEqualTo("it was stopped before it began");
    for (int i = 1; i <= 300; i++) {
      other.say(new RemoteMessage.Ask(update(i)));
      assertThat(other.reason(update(i))).contains("knows nothing of it");
    }
    controller.say(start);
    assertThat(controller.reason(update(1))).isEqualTo("it was stopped before it began");
    assertThat(prepared).hasValue(0);
  }

  @Test
  void onlyWhoBeganARunStopsIt() throws InterruptedException {
    ByHand controller = new ByHand();
    ByHand other = new ByHand();
    goOn = new CountDownLatch(1);
    controller.say(controller.start(update(5)));
    assertThat(controller.next()).isInstanceOf(RemoteMessage.Accepted.class);
    other.say(new RemoteMessage.Stop(update(5)));
    assertThat(other.reason(update(5))).isEqualTo("it was stopped before it began");
    other.say(other.start(update(4)));
    assertThat(other.reason(update(4))).contains("it writes update 1.4d#5");
    goOn.countDown();
    assertThat(controller.end(update(5))).isInstanceOf(RemoteMessage.Done.class);
  }

  @Test
  void theLaterUpdateTakesThePlaceOfTheOneBefore() throws InterruptedException {
    ByHand controller = new ByHand();
    goOn = new CountDownLatch(1);
    controller.say(controller.start(update(1)));
    assertThat(controller.next()).isInstanceOf(RemoteMessage.Accepted.class);
    controller.say(controller.start(update(2)));
    assertThat(controller.next()).isNotInstanceOf(RemoteMessage.Done.class);
    goOn.countDown();
    assertThat(controller.end(update(2))).isInstanceOf(RemoteMessage.Done.class);
    controller.say(new RemoteMessage.Ask(update(1)));
    assertThat(controller.reason(update(1))).isEqualTo("update 1.4d#2 began");
  }

  @Test
  void aRunIsStoppedAndAnUnknownOneIsNamed() throws InterruptedException {
    ByHand controller = new ByHand();
    controller.say(new RemoteMessage.Ask(update(1)));
    assertThat(controller.reason(update(1))).contains("knows nothing of it");
    goOn = new CountDownLatch(1);
    controller.say(controller.start(update(2)));
    controller.say(new RemoteMessage.Stop(update(2)));
    assertThat(controller.reason(update(2))).isEqualTo("it was stopped");
    goOn.countDown();
    rig.requireQuiet();
  }

  @Test
  void aRunWhoseControllerIsLostIsStopped() throws InterruptedException {
    ByHand controller = new ByHand();
    goOn = new CountDownLatch(1);
    controller.say(controller.start(update(1)));
    assertThat(controller.next()).isInstanceOf(RemoteMessage.Accepted.class);
    controller.engine.close().block(Rig.PATIENCE);
    goOn.countDown();
    rig.requireQuiet();
    ByHand next = new ByHand();
    next.say(next.start(new UpdateNumber(2, 1, 1)));
    assertThat(next.end(new UpdateNumber(2, 1, 1))).isInstanceOf(RemoteMessage.Done.class);
  }
}
