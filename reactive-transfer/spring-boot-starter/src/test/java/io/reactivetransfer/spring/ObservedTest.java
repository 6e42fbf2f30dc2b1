package io.reactivetransfer.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.micrometer.EngineMeters;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.contributor.ReactiveHealthContributor;
import org.springframework.boot.health.registry.ReactiveHealthContributorRegistry;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Meters and information are there by themselves, where there is what shows them. */
class ObservedTest {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  ReactiveTransferAutoConfiguration.class,
                  EngineHealthAutoConfiguration.class,
                  EngineInfoAutoConfiguration.class,
                  EngineMetersAutoConfiguration.class))
          .withPropertyValues("reactive-transfer.engines.decode.backend=loopback");

  @Configuration(proxyBeanMethods = false)
  static class Registry {

    @Bean
    MeterRegistry registry() {
      return new SimpleMeterRegistry();
    }
  }

  /** One recorder is a bean, one is set by a customizer. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Recorders {

    static final Set<EngineId> BY_BEAN = ConcurrentHashMap.newKeySet();
    static final Set<EngineId> BY_CUSTOMIZER = ConcurrentHashMap.newKeySet();

    @Bean
    EngineRecorder bean() {
      return new EngineRecorder() {
        @Override
        public void opened(TransferEngine engine) {
          BY_BEAN.add(engine.id());
          throw new IllegalStateException("a recorder that is broken");
        }
      };
    }

    @Bean
    EngineOptionsCustomizer customizer() {
      return (engine, options) ->
          options.recorder(
              new EngineRecorder() {
                @Override
                public void opened(TransferEngine engine) {
                  BY_CUSTOMIZER.add(engine.id());
                }
              });
    }
  }

  private static void awaitMeters(MeterRegistry registry, String... tags) {
    await()
        .atMost(Node.PATIENCE)
        .until(() -> !registry.find("reactive.transfer.nic.up").tags(tags).gauges().isEmpty());
  }

  @Test
  void metersHaveTheNameOfTheEngine() {
    runner
        .withUserConfiguration(Registry.class)
        .run(context -> awaitMeters(context.getBean(MeterRegistry.class), "name", "decode"));
  }

  @Test
  void recordersOfTheApplicationAreToldToo() {
    runner
        .withUserConfiguration(Registry.class, Recorders.class)
        .run(context -> {
          awaitMeters(context.getBean(MeterRegistry.class), "name", "decode");
          TransferEngine engine = context.getBean(TransferEngine.class);
          assertThat(Recorders.BY_BEAN).contains(engine.id());
          assertThat(Recorders.BY_CUSTOMIZER).contains(engine.id());
          assertThat(engine.stats().defects()).as("what a recorder has thrown").isEqualTo(1);
        });
  }

  @Test
  void metersThatTheApplicationHasItselfAreTheOnlyOnes() {
    MeterRegistry registry = new SimpleMeterRegistry();
    runner
        .withUserConfiguration(Registry.class)
        .withBean(EngineMeters.class, () -> EngineMeters.of(registry).build())
        .run(context -> {
          awaitMeters(registry);
          assertThat(context).doesNotHaveBean(EngineRecorderFactory.class);
        });
  }

  @Test
  void theInformationSaysWhereEnginesAreReached() {
    runner.run(context -> {
      TransferEngine engine = context.getBean(TransferEngine.class);
      Info.Builder builder = new Info.Builder();
      context.getBean(InfoContributor.class).contribute(builder);
      assertThat(builder.build().getDetails())
          .extractingByKey("reactiveTransfer")
          .extracting("decode")
          .asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
          .containsEntry("backend", "loopback")
          .containsEntry("engine", engine.id().toString())
          .containsEntry("address", engine.address().control().toString());
    });
  }

  @Test
  void whatShowsThemNeedNotBeThere() {
    runner
        .withClassLoader(
            new FilteredClassLoader(
                "io.micrometer",
                "io.reactivetransfer.micrometer",
                "io.reactivetransfer.tcp",
                "io.reactivetransfer.libfabric",
                "io.reactivetransfer.ibverbs",
                "io.reactivetransfer.control",
                "org.springframework.boot.health",
                "org.springframework.boot.actuate"))
        .run(context -> {
          assertThat(context).hasNotFailed().hasSingleBean(TransferEngine.class);
          assertThat(context)
              .doesNotHaveBean(ReactiveHealthContributor.class)
              .doesNotHaveBean(InfoContributor.class);
        });
  }

  @Test
  void healthAndInformationAreSwitchedOffAsAlways() {
    runner
        .withPropertyValues(
            "management.health.reactive-transfer.enabled=false",
            "management.info.reactive-transfer.enabled=false")
        .run(context ->
            assertThat(context)
                .doesNotHaveBean(ReactiveHealthContributor.class)
                .doesNotHaveBean(InfoContributor.class));
  }

  @Test
  void isFoundByTheNameUnderWhichEndpointsShowIt() {
    try (Node node = Node.overTcp()) {
      var registry = node.context.getBean(ReactiveHealthContributorRegistry.class);
      assertThat(registry.getContributor("reactiveTransfer")).isNotNull();
    }
  }
}
