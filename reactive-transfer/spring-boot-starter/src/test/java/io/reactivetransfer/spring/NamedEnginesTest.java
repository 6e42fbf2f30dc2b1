package io.reactivetransfer.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanDefinitionCustomizer;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.contributor.ReactiveHealthContributors.Entry;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.support.GenericApplicationContext;

/** Which engines of an application health and information show, and under which names. */
class NamedEnginesTest {

  private final GenericApplicationContext context = new GenericApplicationContext();
  private final List<TransferEngine> opened = new ArrayList<>();

  private TransferEngine open() {
    TransferEngine engine =
        TransferEngineBuilder.create().backend("loopback").open().block(Node.PATIENCE);
    opened.add(engine);
    return engine;
  }

  private void define(String name, BeanDefinitionCustomizer... customizers) {
    context.registerBean(name, TransferEngine.class, this::open, customizers);
  }

  private Map<String, TransferEngine> engines() {
    return new NamedEngines(context.getDefaultListableBeanFactory()).get();
  }

  @AfterEach
  void close() {
    context.close();
    opened.forEach(engine -> engine.close().block(Node.PATIENCE));
  }

  /** An engine that an application opens only when it is needed. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class LateEngine {

    @Bean(destroyMethod = "")
    @Lazy
    TransferEngine lateTransferEngine() {
      return TransferEngineBuilder.create().backend("loopback").open().block();
    }
  }

  @Test
  void suffixesAreLeftOutUnlessTwoWouldHaveTheSameName() {
    define("decode");
    define("decodeTransferEngine");
    define("prefillTransferEngine");
    context.refresh();
    assertThat(engines()).containsOnlyKeys("decode", "decodeTransferEngine", "prefill");
    assertThat(engines().get("decode")).isSameAs(context.getBean("decode"));
  }

  @Test
  void noneIsOpenedToBeLookedAt() {
    define("lazy", bean -> bean.setLazyInit(true));
    define("each", bean -> bean.setScope(BeanDefinition.SCOPE_PROTOTYPE));
    context.refresh();
    assertThat(engines()).isEmpty();
    assertThat(opened).isEmpty();
    var _ = context.getBean("lazy");
    assertThat(engines()).containsOnlyKeys("lazy");
    assertThat(opened).hasSize(1);
  }

  @Test
  void whatStandsForThoseOfRequestsIsNone() {
    define("perRequest");
    define("scopedTarget.perRequest", bean -> bean.setScope(BeanDefinition.SCOPE_PROTOTYPE));
    context.refresh();
    assertThat(engines()).isEmpty();
  }

  /** As a mock of Mockito does that was told nothing: empty lists, and null for all else. */
  private static TransferEngine mock() {
    return (TransferEngine)
        Proxy.newProxyInstance(
            NamedEnginesTest.class.getClassLoader(),
            new Class<?>[] {TransferEngine.class},
            (mock, method, arguments) ->
                switch (method.getName()) {
                  case "equals" -> mock == arguments[0];
                  case "hashCode" -> 7;
                  case "toString" -> "a mock";
                  case "isClosed" -> false;
                  default -> method.getReturnType().equals(List.class) ? List.of() : null;
                });
  }

  @Test
  void whatATestHasPutInThePlaceOfOneIsPassedOver() {
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                ReactiveTransferAutoConfiguration.class,
                EngineHealthAutoConfiguration.class,
                EngineInfoAutoConfiguration.class))
        .withBean("mockTransferEngine", TransferEngine.class, NamedEnginesTest::mock)
        .withBean("realTransferEngine", TransferEngine.class, this::open)
        .run(context -> {
          assertThat(context).hasNotFailed();
          assertThat(context.getBean(EngineHealthContributor.class).stream())
              .extracting(Entry::name)
              .containsExactly("real");
          Info.Builder info = new Info.Builder();
          context.getBean(InfoContributor.class).contribute(info);
          assertThat(info.build().getDetails().get("reactiveTransfer"))
              .asInstanceOf(InstanceOfAssertFactories.MAP)
              .containsOnlyKeys("real");
        });
  }

  @Test
  void thoseOfTheContextAroundAreAmongThem() {
    define("decode");
    define("late", bean -> bean.setLazyInit(true));
    context.refresh();
    try (GenericApplicationContext inner = new GenericApplicationContext(context)) {
      inner.refresh();
      assertThat(new NamedEngines(inner.getDefaultListableBeanFactory()).get())
          .containsOnlyKeys("decode");
    }
  }

  @Test
  void healthLooksAfterOneFromWhenItIsMade() {
    try (Node node = Node.start(LateEngine.class)) {
      EngineHealthContributor health = node.context.getBean(EngineHealthContributor.class);
      assertThat(health.stream()).isEmpty();
      TransferEngine engine = node.engine();
      assertThat(health.stream()).extracting(Entry::name).containsExactly("late");
      node.awaitUp("late");
      engine.close().block(Node.PATIENCE);
      node.awaitDown("late", "the engine was closed");
    }
  }
}
