package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredEngines.PATIENCE;
import static io.reactivetransfer.micrometer.MeteredEngines.close;
import static io.reactivetransfer.micrometer.MeteredEngines.sum;
import static io.reactivetransfer.micrometer.MeteredEngines.tag;
import static io.reactivetransfer.micrometer.MeteredEngines.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import io.micrometer.core.instrument.cumulative.CumulativeTimer;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.TransferEngine;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.scheduler.Schedulers;

/** Engines do not feel their meters, and another recorder hears as much. */
class HarmlessMetersTest {

  @RegisterExtension final MeteredEngines engines = new MeteredEngines();

  @Test
  void aRegistryThatLocksKeepsNobodyWaiting() throws InterruptedException {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    registry
        .config()
        .onMeterAdded(_ -> {
          asked.countDown();
          try {
            answered.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    EngineMeters meters = EngineMeters.of(registry).build();
    TransferEngine origin = engines.open(meters);
    TransferEngine target = engines.open(meters);
    assertThat(asked.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    engines.write(origin, target, 5);
    answered.countDown();
    until(1, registry, "streams", "engine", tag(origin)); // it had ended before it had a timer
    until(5, registry, "transfers", "engine", tag(origin));
  }

  @Test
  void whatARegistryThrowsEndsNothing() {
    SimpleMeterRegistry registry =
        new SimpleMeterRegistry() {
          @Override
          protected Timer newTimer(
              Meter.Id id, DistributionStatisticConfig statistics, PauseDetector pauses) {
            return new CumulativeTimer(
                id, Clock.SYSTEM, statistics, pauses, TimeUnit.SECONDS, false) {
              @Override
              protected void recordNonNegative(long amount, TimeUnit unit) {
                throw new IllegalStateException("thrown by a test");
              }
            };
          }
        };
    registry
        .config()
        .meterFilter(
            new MeterFilter() {
              @Override
              public MeterFilterReply accept(Meter.Id id) {
                if (id.getName().contains("nic.")) {
                  throw new AssertionError("thrown by a test");
                }
                return MeterFilterReply.NEUTRAL;
              }
            });
    EngineMeters meters =
        EngineMeters.of(registry)
            .peerName(_ -> {
              throw new IllegalStateException("thrown by a test");
            })
            .build();
    TransferEngine origin = engines.open(meters);
    TransferEngine target = engines.open(meters);
    engines.write(origin, target, 5);
    engines.write(target, origin, 5);
    until(5, registry, "transfers", "engine", tag(origin));
    until(1, registry, "peer.up", "engine", tag(origin), "peer", "other");
    assertThat(sum(registry, "nic.writes")).isZero();
    assertThat(sum(registry, "defects")).isZero();
    close(origin);
    close(target);
    assertThat(origin.stats().defects() + target.stats().defects()).isZero();
    await().atMost(PATIENCE).until(() -> registry.getMeters().isEmpty());
  }

  @Test
  void anotherRecorderIsToldEverything() {
    List<String> told = new CopyOnWriteArrayList<>();
    EngineRecorder other = recorder(told);
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    TransferEngine origin = engines.open(EngineMeters.of(registry).build().andThen(other));
    TransferEngine target = engines.open(EngineMeters.of(registry).build());
    engines.write(origin, target, 1);
    close(target);
    until(1, registry, "peers.lost", "engine", tag(origin));
    close(origin);
    assertThat(told)
        .containsSubsequence("opened", "peerFound", "streamEnded", "peerLost", "closed");
  }

  /** Of the application, which Reactor runs on the NIC's thread when a task is handed over. */
  @Test
  void whatAHookThrowsStopsNoMeters() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    List<String> told = new CopyOnWriteArrayList<>();
    EngineRecorder meters = EngineMeters.of(registry).build().andThen(recorder(told));
    TransferEngine engine = engines.open(EngineRecorder.NONE);
    Thread caller = Thread.currentThread();
    Schedulers.onScheduleHook(
        "refusing",
        task -> {
          if (Thread.currentThread() == caller) {
            throw new IllegalStateException("thrown by a test");
          }
          return task;
        });
    try {
      meters.opened(engine);
      assertThat(told).containsExactly("opened");
      meters.closed(engine, null); // nobody asks again
    } finally {
      Schedulers.resetOnScheduleHook("refusing");
    }
    await()
        .atMost(PATIENCE)
        .until(() -> {
          meters.opened(engine); // shown once the first has gone
          return sum(registry, "regions.open", "engine", tag(engine)) == 0
              && !registry.getMeters().isEmpty();
        });
    meters.closed(engine, null);
    await().atMost(PATIENCE).until(() -> registry.getMeters().isEmpty());
  }

  private static EngineRecorder recorder(List<String> told) {
    return (EngineRecorder)
        Proxy.newProxyInstance(
            HarmlessMetersTest.class.getClassLoader(),
            new Class<?>[] {EngineRecorder.class},
            (_, method, _) -> {
              told.add(method.getName());
              return null;
            });
  }

  @Test
  void whatTheOtherOneThrowsIsADefectOfTheEngineAsEver() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    EngineRecorder careless =
        new EngineRecorder() {
          @Override
          public void opened(TransferEngine engine) {
            throw new AssertionError("thrown by a test");
          }
        };
    TransferEngine engine = engines.open(EngineMeters.of(registry).build().andThen(careless));
    until(1, registry, "defects", "engine", tag(engine));
  }
}
