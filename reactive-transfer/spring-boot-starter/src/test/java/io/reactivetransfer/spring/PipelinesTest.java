package io.reactivetransfer.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvCacheOptions;
import io.reactivetransfer.kvcache.KvRecorder;
import io.reactivetransfer.micrometer.KvMeters;
import io.reactivetransfer.micrometer.KvObservations;
import io.reactivetransfer.micrometer.MoeMeters;
import io.reactivetransfer.micrometer.WeightsMeters;
import io.reactivetransfer.micrometer.WeightsObservations;
import io.reactivetransfer.moe.MoeNode;
import io.reactivetransfer.weights.version.VersionRecorder;
import io.reactivetransfer.weights.version.WeightsController;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Whoever asks for a pipeline is given one on the engine, and nobody else opens it. */
class PipelinesTest {

  private final ApplicationContextRunner without =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  ReactiveTransferAutoConfiguration.class,
                  KvCacheAutoConfiguration.class,
                  MoeAutoConfiguration.class,
                  WeightsAutoConfiguration.class));

  private final ApplicationContextRunner runner =
      without.withPropertyValues("reactive-transfer.backend=loopback");

  /** What was opened, and by which recorder that is known. */
  private static final List<String> OPENED = new CopyOnWriteArrayList<>();

  @Configuration(proxyBeanMethods = false)
  static class Recorders {

    @Bean
    KvRecorder kv() {
      return new KvRecorder() {
        @Override
        public void opened(KvCache cache) {
          OPENED.add("cache");
        }

        @Override
        public void closed(KvCache cache) {
          OPENED.add("no cache");
        }
      };
    }

    @Bean
    VersionRecorder versions() {
      return new VersionRecorder() {
        @Override
        public void opened(WeightsController controller) {
          OPENED.add("controller");
        }
      };
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Registries {

    @Bean
    MeterRegistry meters() {
      return new SimpleMeterRegistry();
    }

    @Bean
    ObservationRegistry observations() {
      return ObservationRegistry.create();
    }
  }

  @Test
  void areOpenedForWhoeverAsksForThem() {
    OPENED.clear();
    runner
        .withUserConfiguration(Recorders.class)
        .run(context -> {
          assertThat(context).hasNotFailed();
          assertThat(OPENED).isEmpty();
          KvCache cache = context.getBean(KvCache.class);
          assertThat(cache.engine()).isSameAs(context.getBean(TransferEngine.class));
          assertThat(context.getBean(KvCache.class)).isSameAs(cache);
          assertThat(context.getBean(WeightsController.class)).isNotNull();
          assertThat(context.getBean(MoeNode.class)).isNotNull();
          assertThat(OPENED).containsExactlyInAnyOrder("cache", "controller");
        });
    assertThat(OPENED).contains("no cache");
  }

  @Test
  void metersAndObservationsAreBeansWhereThereAreRegistries() {
    runner
        .withUserConfiguration(Registries.class)
        .run(context -> {
          assertThat(context).hasSingleBean(KvMeters.class).hasSingleBean(MoeMeters.class);
          assertThat(context).hasSingleBean(WeightsMeters.class);
          assertThat(context).hasSingleBean(WeightsObservations.class);
          assertThat(context.getBeansOfType(KvRecorder.class).values())
              .hasAtLeastOneElementOfType(KvMeters.class)
              .hasAtLeastOneElementOfType(KvObservations.class);
          context.getBean(KvCache.class);
        });
    runner.run(context ->
        assertThat(context)
            .hasNotFailed()
            .doesNotHaveBean(KvMeters.class)
            .hasSingleBean(KvCache.class));
  }

  @Test
  void optionsOfTheApplicationTakeTheirPlace() {
    OPENED.clear();
    runner
        .withUserConfiguration(Recorders.class)
        .withBean(KvCacheOptions.class, KvCacheOptions::defaults)
        .run(context -> {
          context.getBean(KvCache.class);
          assertThat(OPENED).isEmpty();
        });
  }

  @Test
  void whereNoneIsThePrimaryOneThereIsNone() {
    without
        .withPropertyValues(
            "reactive-transfer.engines.one.backend=loopback",
            "reactive-transfer.engines.two.backend=loopback")
        .run(context ->
            assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean("reactiveTransferKvCache")
                .doesNotHaveBean("reactiveTransferMoeNode")
                .doesNotHaveBean("reactiveTransferWeightsController"));
    without.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(KvCache.class));
  }

  @Test
  void metersAndObservationsServeAllEnginesWhereNoneIsThePrimaryOne() {
    without
        .withUserConfiguration(Registries.class)
        .withPropertyValues(
            "reactive-transfer.engines.one.backend=loopback",
            "reactive-transfer.engines.two.backend=loopback")
        .run(context -> {
          assertThat(context).hasSingleBean(MoeMeters.class).hasSingleBean(WeightsMeters.class);
          assertThat(context).hasSingleBean(WeightsObservations.class);
          assertThat(context).hasBean("reactiveTransferKvObservations");
          KvCacheOptions options =
              KvCacheOptions.builder().recorder(context.getBean(KvMeters.class)).build();
          MeterRegistry registry = context.getBean(MeterRegistry.class);
          for (TransferEngine each : context.getBeansOfType(TransferEngine.class).values()) {
            KvCache cache = KvCache.open(each, each.address().toString(), options);
            await()
                .atMost(Node.PATIENCE)
                .until(() ->
                    registry.getMeters().stream()
                        .map(Meter::getId)
                        .filter(id -> id.getName().startsWith("reactive.transfer.kv"))
                        .anyMatch(id -> each.id().toShortString().equals(id.getTag("engine"))));
            cache.dispose();
          }
        });
  }

  @Test
  void withoutAnEngineThereAreNone() {
    without
        .withUserConfiguration(Registries.class)
        .run(context ->
            assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean(KvRecorder.class)
                .doesNotHaveBean(WeightsMeters.class)
                .doesNotHaveBean(MoeMeters.class));
  }

  @Test
  void withoutItsModuleThereIsNone() {
    runner
        .withClassLoader(
            new FilteredClassLoader("io.reactivetransfer.kvcache", "io.reactivetransfer.moe"))
        .run(context ->
            assertThat(context)
                .hasNotFailed()
                .hasSingleBean(WeightsController.class)
                .doesNotHaveBean("reactiveTransferKvCache")
                .doesNotHaveBean("reactiveTransferMoeNode"));
  }
}
