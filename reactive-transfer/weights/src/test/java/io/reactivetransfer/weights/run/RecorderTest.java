package io.reactivetransfer.weights.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.TraceContext;
import io.reactivetransfer.weights.kernel.PrepareFunction;
import io.reactivetransfer.weights.plan.ModelBytes;
import io.reactivetransfer.weights.plan.Step;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.test.scheduler.VirtualTimeScheduler;
import reactor.util.context.Context;

/** What a recorder is told of runs, behind one that throws whatever it is told. */
class RecorderTest {

  private final Cluster cluster = Cluster.loopback();
  private final List<String> told = new CopyOnWriteArrayList<>();
  private final List<RunRecorder.RunBegin> begins = new CopyOnWriteArrayList<>();
  private final List<RunRecorder.RunEnd> ends = new CopyOnWriteArrayList<>();
  private final List<Boolean> areQuiet = new CopyOnWriteArrayList<>();
  private final AtomicInteger thrown = new AtomicInteger();

  /** Of what begins it returns one that throws, too. */
  private final RunRecorder careless =
      new RunRecorder() {
        private Unspeakable failure() {
          thrown.incrementAndGet();
          return new Unspeakable();
        }

        @Override
        public void opened(TrainerRank rank) {
          throw failure();
        }

        @Override
        public void closed(TrainerRank rank) {
          throw failure();
        }

        @Override
        public OneRunRecorder runBegun(RunBegin begin) {
          return new OneRunRecorder() {
            @Override
            public void ended(RunEnd end) {
              throw failure();
            }
          };
        }
      };

  private final RunRecorder teller =
      new RunRecorder() {
        @Override
        public void opened(TrainerRank rank) {
          told.add("opened " + rank.name());
        }

        @Override
        public void closed(TrainerRank rank) {
          told.add("closed " + rank.name());
        }

        @Override
        public OneRunRecorder runBegun(RunBegin begin) {
          TrainerRank rank = begin.rank();
          begins.add(begin);
          told.add("begun " + rank.name());
          return new OneRunRecorder() {
            @Override
            public void ended(RunEnd end) {
              assertThat(end.progress().number()).isEqualTo(begin.number());
              ends.add(end);
              // Nobody else begins before all were told.
              areQuiet.add(rank.whenQuiet().toFuture().isDone());
              told.add("ended " + rank.name());
            }
          };
        }
      };

  /** All trainers prepare something, and none gathers. */
  private static Case aCase() {
    return Case.from(
        0,
        table ->
            table.cost().gathered().stream().allMatch(bytes -> bytes == 0)
                && table.steps(0).stream().anyMatch(Step.Prepare.class::isInstance));
  }

  private RunOptions.Builder options() {
    return RunOptions.builder().temporaryBytes(1 << 20).recorder(careless.andThen(teller));
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  @Test
  void runsAreToldWithWhatTheyWrote() {
    Case of = aCase();
    ModelBytes bytes = new ModelBytes(of.model());
    List<RunProgress> last;
    List<String> names;
    try (Rig rig = new Rig(cluster, of.table(), options())) {
      names = rig.trainers.stream().map(TrainerRank::name).toList();
      rig.fill(bytes);
      last = rig.update(1).block(Cluster.PATIENCE);
      rig.requireArrived(bytes);
    }
    for (String name : names) {
      assertThat(told)
          .containsSubsequence(
              "opened " + name, "begun " + name, "ended " + name, "closed " + name);
    }
    assertThat(told).hasSize(4 * names.size());
    assertThat(thrown).hasValue(told.size() - begins.size()); // of all but the beginnings
    assertThat(begins).allMatch(begin -> begin.traceContext().isEmpty());
    assertThat(ends)
        .extracting(RunRecorder.RunEnd::progress)
        .containsExactlyInAnyOrderElementsOf(last);
    assertThat(areQuiet).hasSize(names.size()).containsOnly(false);
    assertThat(ends)
        .allMatch(end -> end.failure() == null && !end.isCancelled())
        .allMatch(end -> end.progress().isDone())
        .anyMatch(end -> end.progress().prepared().bytes() > 0);
  }

  @Test
  void aCancelAndAFailureAreTold() {
    Case of = aCase();
    CountDownLatch preparing = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    AtomicInteger runs = new AtomicInteger();
    PrepareFunction function =
        task -> {
          if (runs.get() == 0) {
            preparing.countDown();
            awaitLatch(cancelled);
          } else {
            throw new IllegalStateException("thrown by a test");
          }
        };
    try (Rig rig = new Rig(cluster, of.table(), options().prepare(function))) {
      TrainerRank first = rig.trainers.getFirst();
      Disposable run = first.write(rig.targets(0, 1)).subscribe(progress -> {}, why -> {});
      awaitLatch(preparing);
      run.dispose();
      cancelled.countDown();
      first.whenQuiet().block(Cluster.PATIENCE);
      assertThat(ends).singleElement().matches(RunRecorder.RunEnd::isCancelled);
      assertThat(ends.getFirst().failure()).isNull();
      runs.set(1);
      rig.renewImmediates();
      assertThatThrownBy(() -> first.write(rig.targets(0, 2)).blockLast(Cluster.PATIENCE))
          .isInstanceOf(PrepareFailedException.class);
    }
    assertThat(ends)
        .last()
        .matches(end -> end.failure() instanceof PrepareFailedException && !end.isCancelled());
  }

  @Test
  void aCancelOfARunThatHasFailedBeforeIsNone() {
    Case of = aCase();
    CountDownLatch preparing = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    VirtualTimeScheduler timers = VirtualTimeScheduler.create();
    PrepareFunction function =
        task -> {
          preparing.countDown();
          awaitLatch(cancelled);
        };
    RunOptions.Builder options = options().prepare(function).timers(timers);
    try (Rig rig = new Rig(cluster, of.table(), options.deadline(Duration.ofSeconds(1)))) {
      TrainerRank first = rig.trainers.getFirst();
      Disposable run = first.write(rig.targets(0, 1)).subscribe(progress -> {}, why -> {});
      awaitLatch(preparing);
      timers.advanceTimeBy(Duration.ofSeconds(2));
      run.dispose();
      cancelled.countDown();
      first.whenQuiet().block(Cluster.PATIENCE);
    } finally {
      timers.dispose();
    }
    assertThat(ends)
        .singleElement()
        .matches(end -> end.failure() instanceof DeadlineExceededException && !end.isCancelled());
  }

  @Test
  void aBeginningIsToldWithTheContextOfTheSubscriber() {
    TraceContext carried = TraceContext.of(Map.of("traceparent", "00-1-2-01"));
    try (Rig rig = new Rig(cluster, aCase().table(), options())) {
      TrainerRank first = rig.trainers.getFirst();
      first
          .write(rig.targets(0, 1))
          .contextWrite(Context.of(TraceContext.class, carried, "who", "subscriber"))
          .blockLast(Cluster.PATIENCE);
      assertThat(begins)
          .singleElement()
          .satisfies(begin -> {
            assertThat(begin.rank()).isSameAs(first);
            assertThat(begin.number()).isEqualTo(1);
            assertThat(begin.context().<String>get("who")).isEqualTo("subscriber");
            assertThat(begin.traceContext()).isEqualTo(carried);
          });
    }
  }

  @Test
  void everythingIsHandedOnToBothOfAChain() throws Exception {
    assertThat(RunRecorder.NONE.andThen(teller)).isSameAs(teller);
    assertThat(teller.andThen(RunRecorder.NONE).andThen(teller)).isSameAs(teller);
    List<Method> heard = new CopyOnWriteArrayList<>();
    RunRecorder next =
        listening(
            RunRecorder.class, heard, listening(RunRecorder.OneRunRecorder.class, heard, null));
    RunRecorder chain = careless.andThen(next);
    RunRecorder.OneRunRecorder both = chain.runBegun(null);
    assertThat(heard).hasSize(1);
    assertThatThrownBy(() -> both.ended(null)).isInstanceOf(NoClassDefFoundError.class);
    assertThat(heard).hasSize(2).last().extracting(Method::getName).isEqualTo("ended");
    assertThatThrownBy(() -> chain.opened(null)).isInstanceOf(NoClassDefFoundError.class);
    assertThatThrownBy(() -> chain.closed(null)).isInstanceOf(NoClassDefFoundError.class);
    assertThat(thrown).hasValue(3);
    assertThat(heard).hasSize(4);
    // There is nothing else to tell.
    assertThat(RunRecorder.class.getDeclaredMethods())
        .filteredOn(Method::isDefault)
        .extracting(Method::getName)
        .containsExactlyInAnyOrder("opened", "closed", "runBegun", "andThen");
    assertThat(RunRecorder.OneRunRecorder.class.getDeclaredMethods())
        .filteredOn(Method::isDefault)
        .hasSize(1);
  }

  /** One that notes what it is told. */
  private static <T> T listening(Class<T> type, List<Method> heard, Object answer) {
    return type.cast(
        Proxy.newProxyInstance(
            RecorderTest.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              heard.add(method);
              return answer;
            }));
  }

  /** Who returns nothing is not told of the end, and the other one is. */
  @Test
  void whatBeginsWronglyIsNobodyElsesMatter() {
    RunRecorder nothing =
        new RunRecorder() {
          @Override
          public OneRunRecorder runBegun(RunBegin begin) {
            return null;
          }
        };
    RunOptions.Builder options =
        RunOptions.builder().temporaryBytes(1 << 20).recorder(nothing.andThen(teller));
    try (Rig rig = new Rig(cluster, aCase().table(), options)) {
      rig.trainers.getFirst().write(rig.targets(0, 1)).blockLast(Cluster.PATIENCE);
      assertThat(ends).singleElement().matches(end -> end.failure() == null);
    }
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /** Cannot even be logged. */
  @SuppressWarnings("serial") // nobody writes it down
  private static final class Unspeakable extends NoClassDefFoundError {

    @Override
    public String getMessage() {
      throw new IllegalStateException("thrown by a test, too");
    }
  }
}
