package io.reactivetransfer.weights.version;

import static io.reactivetransfer.weights.version.Cluster.PATIENCE;
import static io.reactivetransfer.weights.version.Cluster.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.TraceContext;
import io.reactivetransfer.TransferEngine;
import java.lang.foreign.Arena;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** What a recorder is told of updates, behind one that throws whatever it is told. */
class RecorderTest {

  private static final TraceContext TRACE = TraceContext.of(Map.of("traceparent", "00-1-2-01"));

  private final List<String> told = new CopyOnWriteArrayList<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final List<VersionRecorder.UpdateBegin> begins = new CopyOnWriteArrayList<>();
  private final List<VersionRecorder.ControllerBegin> asks = new CopyOnWriteArrayList<>();
  private final List<VersionRecorder.UpdateEnd> ends = new CopyOnWriteArrayList<>();
  private final List<UpdateResult> results = new CopyOnWriteArrayList<>();
  private final List<ContextView> looks = new CopyOnWriteArrayList<>();
  private final AtomicInteger thrown = new AtomicInteger();

  /** Of what begins it returns one that throws, too. */
  private final VersionRecorder careless =
      new VersionRecorder() {
        private Unspeakable failure() {
          thrown.incrementAndGet();
          return new Unspeakable();
        }

        @Override
        public void opened(WeightsRank rank) {
          throw failure();
        }

        @Override
        public void closed(WeightsRank rank) {
          throw failure();
        }

        @Override
        public UpdateRecorder updateBegun(UpdateBegin begin) {
          return new UpdateRecorder() {
            @Override
            public Context context(Context context) {
              throw failure();
            }

            @Override
            public void ended(UpdateEnd end) {
              throw failure();
            }
          };
        }

        @Override
        public void opened(WeightsController controller) {
          throw failure();
        }

        @Override
        public void closed(WeightsController controller) {
          throw failure();
        }

        @Override
        public ControllerRecorder updateBegun(ControllerBegin begin) {
          return new ControllerRecorder() {
            @Override
            public TraceContext traceContext() {
              throw failure();
            }

            @Override
            public Context context(Context context) {
              throw failure();
            }

            @Override
            public void ended(ControllerEnd end) {
              throw failure();
            }
          };
        }
      };

  private final VersionRecorder teller =
      new VersionRecorder() {
        @Override
        public void opened(WeightsRank rank) {
          told.add("rank opened");
        }

        @Override
        public void closed(WeightsRank rank) {
          told.add("rank closed");
        }

        @Override
        public UpdateRecorder updateBegun(UpdateBegin begin) {
          begins.add(begin);
          told.add("update begun");
          return new UpdateRecorder() {
            @Override
            public Context context(Context context) {
              asked.add("context");
              return context.put("update", begin.update());
            }

            @Override
            public void ended(UpdateEnd end) {
              assertThat(end.update()).isEqualTo(begin.update());
              ends.add(end);
              told.add("update ended");
            }
          };
        }

        @Override
        public void opened(WeightsController controller) {
          told.add("controller opened");
        }

        @Override
        public void closed(WeightsController controller) {
          told.add("controller closed");
        }

        @Override
        public ControllerRecorder updateBegun(ControllerBegin begin) {
          asks.add(begin);
          told.add("decision begun");
          return new ControllerRecorder() {
            @Override
            public TraceContext traceContext() {
              asked.add("trace context");
              return TRACE;
            }

            @Override
            public Context context(Context context) {
              asked.add("context");
              return context.put("controller", begin.controller());
            }

            @Override
            public void ended(ControllerEnd end) {
              assertThat(end.duration()).isPositive();
              results.add(end.result());
              told.add("decided");
            }
          };
        }
      };

  private final Cluster cluster = new Cluster("loopback", 0, 1);
  private final Arena arena = Arena.ofAuto();
  private final WeightsRank rank = open();

  private WeightsRank open() {
    TransferEngine engine = cluster.engine();
    WeightsRank rank =
        await(
            WeightsRank.on(engine, "rank-0")
                .buffer(WeightsBuffer.of(arena.allocate(Cluster.BYTES, 64)))
                .buffer(WeightsBuffer.of(arena.allocate(Cluster.BYTES, 64)))
                .version(0)
                .verify(filled ->
                    Mono.deferContextual(context -> {
                      looks.add(context);
                      return Mono.empty();
                    }))
                .recorder(careless.andThen(teller))
                .open());
    cluster.ranks.add(rank);
    cluster.rankEngines.add(engine);
    return rank;
  }

  private WeightsController controller() {
    return WeightsController.open(
        cluster.engine(), Schedulers.parallel(), careless.andThen(teller));
  }

  private Mono<UpdateResult> update(WeightsController controller, int version, UpdateMode mode) {
    return controller.update(
        cluster.order(version, mode), cluster.members(controller.engine()), cluster.trainers);
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private void untilEnded(int updates) {
    await().atMost(PATIENCE).until(() -> ends.size() == updates);
  }

  @Test
  void updatesAreToldFromTheirBeginningToTheirEnd() {
    WeightsController controller = controller();
    assertThat(await(update(controller, 1, UpdateMode.TWO_BUFFERS_WAIT)).isFlipped()).isTrue();
    untilEnded(1);
    assertThat(await(update(controller, 2, UpdateMode.IN_PLACE)).isFlipped()).isTrue();
    untilEnded(2);
    controller.close();
    await().atMost(PATIENCE).until(() -> told.contains("controller closed"));
    await(rank.close().thenReturn(true));
    assertThat(told)
        .containsSubsequence(
            "rank opened", "update begun", "update ended", "update begun", "update ended")
        .containsSubsequence("controller opened", "decision begun", "decided", "controller closed")
        .endsWith("rank closed")
        .hasSize(12);
    // It has thrown of all but the beginnings.
    assertThat(thrown).hasValue(told.size() - 4 + asked.size());
    assertThat(results).allMatch(UpdateResult::isFlipped).hasSize(2);
    assertThat(ends).extracting(each -> each.update()).isEqualTo(updates());
    assertThat(ends)
        .allSatisfy(end -> {
          assertThat(end.isFlipped()).isTrue();
          assertThat(end.bytes()).isEqualTo(Cluster.BYTES);
          assertThat(end.reason()).isEmpty();
          assertThat(end.filling()).isPositive().isLessThan(end.duration());
          assertThat(end.pause()).isPositive();
        });
    // Beside what is served a version is written while leases are given; in place none is.
    assertThat(ends.get(0).pause().plus(ends.get(0).filling())).isLessThan(ends.get(0).duration());
    assertThat(ends.get(1).pause()).isGreaterThan(ends.get(1).filling());
  }

  private List<UpdateNumber> updates() {
    return results.stream().map(UpdateResult::update).toList();
  }

  @Test
  void leasesThatAreWaitedForArePartOfThePause() throws Exception {
    WeightsController controller = controller();
    VersionLease lease = rank.lease();
    CompletableFuture<UpdateResult> result =
        update(controller, 1, UpdateMode.TWO_BUFFERS_WAIT).toFuture();
    await(rank.statuses().filter(now -> now.state() == RankState.PAUSED).next());
    assertThat(ends).isEmpty();
    lease.close();
    assertThat(await(Mono.fromFuture(result)).isFlipped()).isTrue();
    untilEnded(1);
    assertThat(ends.getFirst().pause()).isPositive();
  }

  @Test
  void whatIsDroppedIsToldWithItsReason() {
    WeightsController controller = controller();
    cluster.trainers.getFirst().chunksUntilFailure = 3;
    UpdateResult result = await(update(controller, 1, UpdateMode.IN_PLACE));
    assertThat(result.decision()).isEqualTo(UpdateResult.Decision.ABORTED);
    untilEnded(1);
    assertThat(ends.getFirst().isFlipped()).isFalse();
    assertThat(ends.getFirst().bytes()).isZero();
    assertThat(ends.getFirst().reason()).contains("out of memory");
    assertThat(ends.getFirst().filling()).isNull();
    assertThat(ends.getFirst().pause()).isPositive();
    assertThat(rank.status().state()).isEqualTo(RankState.TORN);
    cluster.trainers.getFirst().chunksUntilFailure = -1;
    assertThat(await(update(controller, 2, UpdateMode.TWO_BUFFERS_WAIT)).isFlipped()).isTrue();
    untilEnded(2);
    assertThat(ends.get(1).pause()).isZero(); // there was no version to give leases of
  }

  @Test
  void aRankThatIsClosedEndsItsUpdate() {
    WeightsController controller = controller();
    VersionLease lease = rank.lease();
    update(controller, 1, UpdateMode.TWO_BUFFERS_WAIT).subscribe(done -> {}, failed -> {});
    await(rank.statuses().filter(now -> now.state() == RankState.PAUSED).next());
    await(rank.close().thenReturn(true));
    assertThat(ends).singleElement().matches(end -> !end.isFlipped());
    assertThat(told).containsSubsequence("update begun", "update ended", "rank closed");
    lease.close();
  }

  @Test
  void aRecoveryIsADecision() {
    WeightsController controller = controller();
    await(controller.recover(cluster.members(controller.engine()), PATIENCE));
    assertThat(results)
        .singleElement()
        .matches(result -> result.decision() == UpdateResult.Decision.RECOVERED);
    assertThat(ends).isEmpty();
  }

  @Test
  void whatATracerSendsAlongComesToRanksAndTrainers() {
    WeightsController controller = controller();
    Cluster.TestTrainer writes = cluster.trainers.getFirst();
    List<ContextView> seen = new CopyOnWriteArrayList<>();
    WeightsTrainer trainer =
        order ->
            Flux.deferContextual(context -> {
              seen.add(context);
              return writes.write(order);
            });
    WeightsUpdate update = cluster.order(1, UpdateMode.TWO_BUFFERS_OUTLIVE);
    List<RankMember> members = cluster.members(controller.engine());
    UpdateResult result =
        await(
            controller
                .update(update, members, List.of(trainer))
                .contextWrite(Context.of("who", "subscriber")));
    assertThat(result.isFlipped()).isTrue();
    untilEnded(1);
    assertThat(asks)
        .singleElement()
        .satisfies(begin -> {
          assertThat(begin.controller()).isSameAs(controller);
          assertThat(begin.update()).isEqualTo(update);
          assertThat(begin.ranks()).containsExactly("rank-0");
          assertThat(begin.context().<String>get("who")).isEqualTo("subscriber");
        });
    assertThat(begins)
        .singleElement()
        .satisfies(begin -> {
          assertThat(begin.rank()).isSameAs(rank);
          assertThat(begin.update()).isEqualTo(result.update());
          assertThat(begin.version()).isEqualTo(1);
          assertThat(begin.mode()).isEqualTo(UpdateMode.TWO_BUFFERS_OUTLIVE);
          assertThat(begin.controller().id()).isEqualTo(controller.engine().id());
          assertThat(begin.traceContext()).isEqualTo(TRACE);
        });
    assertThat(writes.last.traceContext()).isEqualTo(TRACE);
    assertThat(seen)
        .singleElement()
        .satisfies(context -> {
          assertThat(context.<String>get("who")).isEqualTo("subscriber");
          assertThat(context.<Object>get("controller")).isSameAs(controller);
        });
    assertThat(looks)
        .singleElement()
        .satisfies(context -> assertThat(context.<Object>get("update")).isEqualTo(result.update()));
  }

  @Test
  void withoutARecorderTrainersSeeTheContextOfTheSubscriber() {
    List<ContextView> seen = new CopyOnWriteArrayList<>();
    List<TraceContext> carried = new CopyOnWriteArrayList<>();
    WeightsTrainer trainer =
        order ->
            Flux.deferContextual(context -> {
              seen.add(context);
              carried.add(order.traceContext());
              return cluster.trainers.getFirst().write(order);
            });
    UpdateResult result =
        await(
            cluster
                .controller
                .update(
                    cluster.order(1, UpdateMode.TWO_BUFFERS_OUTLIVE),
                    cluster.members(),
                    List.of(trainer))
                .contextWrite(Context.of("who", "subscriber")));
    assertThat(result.isFlipped()).isTrue();
    assertThat(carried).containsExactly(TraceContext.NONE);
    assertThat(seen)
        .singleElement()
        .satisfies(context -> assertThat(context.<String>get("who")).isEqualTo("subscriber"));
    assertThat(begins).allMatch(begin -> begin.traceContext().isEmpty());
  }

  /** Who returns nothing, or throws instead, is not told of the end, and the other one is. */
  @Test
  void whatBeginsWronglyIsNobodyElsesMatter() {
    VersionRecorder nothing =
        new VersionRecorder() {
          @Override
          public UpdateRecorder updateBegun(UpdateBegin begin) {
            return null;
          }

          @Override
          public ControllerRecorder updateBegun(ControllerBegin begin) {
            throw new Unspeakable();
          }
        };
    VersionRecorder chain = nothing.andThen(teller);
    WeightsController controller =
        WeightsController.open(cluster.engine(), Schedulers.parallel(), chain);
    assertThat(await(update(controller, 1, UpdateMode.TWO_BUFFERS_WAIT)).isFlipped()).isTrue();
    assertThat(results).hasSize(1);
    UpdateResult result = results.getFirst();
    VersionRecorder.UpdateRecorder ofUpdate = chain.updateBegun(begins.getFirst());
    assertThat(ofUpdate.context(Context.empty()).<Object>get("update")).isEqualTo(result.update());
    WeightsController alone =
        WeightsController.open(cluster.engine(), Schedulers.parallel(), nothing);
    assertThat(await(alone.recover(cluster.members(alone.engine()), PATIENCE)).decision())
        .isEqualTo(UpdateResult.Decision.RECOVERED);
  }

  @Test
  void everythingIsHandedOnToBothOfAChain() throws Exception {
    assertThat(VersionRecorder.NONE.andThen(teller)).isSameAs(teller);
    assertThat(teller.andThen(VersionRecorder.NONE).andThen(teller)).isSameAs(teller);
    List<Method> heard = new CopyOnWriteArrayList<>();
    VersionRecorder chain = careless.andThen(listening(VersionRecorder.class, heard));
    thrown.set(0);
    int throwing = 0;
    int calls = 0;
    for (Method method : methods(VersionRecorder.class)) {
      calls++;
      Object[] nothing = new Object[method.getParameterCount()];
      if (method.getReturnType() == void.class) {
        throwing++;
        assertThatThrownBy(() -> method.invoke(chain, nothing))
            .hasCauseInstanceOf(NoClassDefFoundError.class);
        assertThat(heard).hasSize(calls).last().isEqualTo(method);
      } else {
        Object both = method.invoke(chain, nothing);
        assertThat(heard).hasSize(calls).last().isEqualTo(method);
        for (Method each : methods(method.getReturnType())) {
          calls++;
          throwing++;
          Object[] arguments = new Object[each.getParameterCount()];
          if (each.getReturnType() == void.class) {
            assertThatThrownBy(() -> each.invoke(both, arguments))
                .hasCauseInstanceOf(NoClassDefFoundError.class);
          } else {
            each.invoke(both, arguments);
          }
          assertThat(heard).hasSize(calls).last().isEqualTo(each);
        }
      }
      assertThat(thrown).hasValue(throwing);
    }
    assertThat(calls).isEqualTo(6 + 2 + 3);
  }

  /** All that whoever is told, or returns who is told, may override. */
  private static List<Method> methods(Class<?> type) {
    return Arrays.stream(type.getDeclaredMethods())
        .filter(method -> method.isDefault() && !method.getName().equals("andThen"))
        .toList();
  }

  /** One that notes what it is told, and returns others that do. */
  private static <T> T listening(Class<T> type, List<Method> heard) {
    return type.cast(
        Proxy.newProxyInstance(
            RecorderTest.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              heard.add(method);
              Class<?> returned = method.getReturnType();
              return returned == TraceContext.class
                  ? TRACE
                  : returned == Context.class
                      ? Context.empty()
                      : returned == void.class ? null : listening(returned, heard);
            }));
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
