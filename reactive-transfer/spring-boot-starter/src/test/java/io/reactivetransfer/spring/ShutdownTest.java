package io.reactivetransfer.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.WriteImm;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SignalType;

/** An engine ends with its context: what is in flight is waited for, and nothing is left. */
class ShutdownTest {

  /** Owns memory that the engine writes from, and frees it when the context destroys it. */
  static final class Owner implements DisposableBean {

    static final AtomicReference<Boolean> HAD_CLOSED = new AtomicReference<>();

    final Arena arena = Arena.ofShared();
    private final TransferEngine engine;

    Owner(TransferEngine engine) {
      this.engine = engine;
    }

    @Override
    public void destroy() {
      HAD_CLOSED.set(engine.isClosed() && engine.stats().openRegions() == 0);
      arena.close();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Owning {

    @Bean
    Owner owner(TransferEngine engine) {
      return new Owner(engine);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Failing {

    static final AtomicReference<TransferEngine> GIVEN = new AtomicReference<>();

    @Bean
    Object failing(TransferEngine engine) {
      GIVEN.set(engine);
      throw new IllegalStateException("this application is broken");
    }
  }

  /** Owns memory, too, and then another bean fails. */
  @Configuration(proxyBeanMethods = false)
  static class OwningAndFailing {

    @Bean
    Owner owner(TransferEngine engine) {
      Owner.HAD_CLOSED.set(null);
      return new Owner(engine);
    }

    @Bean
    Object failing(Owner owner) {
      throw new IllegalStateException("this application is broken beside " + owner);
    }
  }

  /** Is destroyed by itself before the context has started, which is no reason to close engines. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Discarding {

    @Bean
    Object discarding(TransferEngine engine, AutowireCapableBeanFactory beans) {
      beans.destroyBean(new Owner(engine));
      return "a bean";
    }
  }

  /** Has threads that run tasks. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Working {

    @Bean
    ThreadPoolTaskExecutor executor() {
      return new ThreadPoolTaskExecutor();
    }
  }

  @Test
  void whatIsInFlightIsDoneAndEveryStreamEnds() {
    try (Node target = Node.overTcp();
        Arena arena = Arena.ofShared()) {
      MemoryRegion destination =
          target.engine().register(arena.allocate(64 * 1024)).block(Node.PATIENCE);
      Node origin =
          Node.start(Owning.class, "reactive-transfer.backend=tcp", "reactive-transfer.nics=1");
      TransferEngine engine = origin.engine();
      Arena owned = origin.context.getBean(Owner.class).arena;
      MemoryRegion source = engine.register(owned.allocate(64 * 1024)).block(Node.PATIENCE);
      RemoteRegion remote = engine.remote(destination.descriptor());
      AtomicLong done = new AtomicLong();
      AtomicReference<SignalType> ended = new AtomicReference<>();
      AtomicReference<Throwable> failure = new AtomicReference<>();
      Flux<WriteImm> endless =
          Flux.generate(sink -> sink.next(WriteImm.of(source.whole(), remote.whole(), Imm.of(3))));
      var _ =
          engine
              .submit(endless)
              .doFinally(ended::set)
              .subscribe(_ -> done.incrementAndGet(), failure::set);
      await().atMost(Node.PATIENCE).until(() -> done.get() > 20);

      origin.close();

      assertThat(engine.isClosed()).isTrue();
      await().atMost(Node.PATIENCE).until(() -> ended.get() != null);
      assertThat(ended).hasValue(SignalType.ON_ERROR);
      assertThat(failure.get()).isInstanceOf(TransferRejectedException.class);
      target.engine().counter(Imm.of(3)).next(done.intValue()).block(Node.PATIENCE);
      await("no more has come than was done")
          .atMost(Node.PATIENCE)
          .untilAsserted(() -> assertThat(target.engine().stats().unclaimedImms()).isZero());
      assertThat(Owner.HAD_CLOSED).hasValue(true);
    }
  }

  @Test
  void enginesAreClosedWhereAnotherBeanFailsTheStart() {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(ReactiveTransferAutoConfiguration.class))
        .withUserConfiguration(Failing.class)
        .withPropertyValues("reactive-transfer.backend=tcp")
        .run(context -> {
          assertThat(context).hasFailed();
          assertThat(Failing.GIVEN.get().isClosed()).isTrue();
          Failing.GIVEN.get().onClose().block(Node.PATIENCE);
        });
  }

  @Test
  void enginesAreClosedBeforeMemoryIsFreedWhereAnotherBeanFailsTheStart() {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(ReactiveTransferAutoConfiguration.class))
        .withUserConfiguration(OwningAndFailing.class)
        .withPropertyValues("reactive-transfer.backend=tcp")
        .run(context -> {
          assertThat(context).hasFailed();
          assertThat(Owner.HAD_CLOSED).hasValue(true);
        });
  }

  @Test
  void enginesStayOpenWhereOneBeanIsDestroyed() {
    try (Node node = Node.start(Discarding.class, "reactive-transfer.backend=tcp")) {
      assertThat(node.engine().isClosed()).isFalse();
    }
  }

  @Test
  void tasksThatRunEndBeforeEnginesClose() throws InterruptedException {
    Node node = Node.start(Working.class, "reactive-transfer.backend=tcp");
    TransferEngine engine = node.engine();
    ThreadPoolTaskExecutor executor = node.context.getBean(ThreadPoolTaskExecutor.class);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    Future<Boolean> hadClosed =
        executor.submit(() -> {
          begun.countDown();
          mayEnd.await();
          return engine.isClosed();
        });
    begun.await();
    Thread closing = Thread.ofPlatform().start(node::close);
    await().atMost(Node.PATIENCE).until(() -> !executor.isRunning());
    mayEnd.countDown();
    closing.join();
    assertThat(hadClosed).succeedsWithin(Node.PATIENCE).isEqualTo(false);
    assertThat(engine.isClosed()).isTrue();
  }

  /** As a bean that is made late, by another thread, while the context closes. */
  @Test
  void anEngineThatIsOpenedWhileOthersCloseIsClosedToo() {
    AtomicReference<TransferEngine> opened = new AtomicReference<>();
    EngineRecorder recorder =
        new EngineRecorder() {
          @Override
          public void opened(TransferEngine engine) {
            opened.set(engine);
          }
        };
    AtomicReference<Engines> engines = new AtomicReference<>();
    ReactiveTransferProperties properties = new ReactiveTransferProperties();
    properties.setBackend("loopback");
    engines.set(
        new Engines(
            properties,
            Node.PATIENCE,
            new BackendChoice(List.of(), null),
            List.of((name, options) -> engines.get().stop()),
            List.of(recorder),
            List.of()));
    assertThatThrownBy(() -> engines.get().open("default"))
        .isInstanceOf(EngineOpeningException.class)
        .hasMessageContaining("while its application context closes");
    assertThat(opened.get().isClosed()).isTrue();
    opened.get().onClose().block(Node.PATIENCE);
  }

  @Test
  void anEngineThatHasClosedMeanwhileFailsNoStart() {
    ReactiveTransferProperties properties = new ReactiveTransferProperties();
    properties.setBackend("loopback");
    Engines engines =
        new Engines(
            properties,
            Node.PATIENCE,
            new BackendChoice(List.of(), null),
            List.of(),
            List.of(),
            List.of());
    engines.open("default").close().block(Node.PATIENCE);
    engines.start();
    assertThat(engines.isRunning()).isTrue();
    engines.stop();
  }

  @Test
  void aContextThatIsOpenedAgainAndAgainLeavesNoThread() {
    Set<Thread> before = threads();
    for (int i = 0; i < 3; i++) {
      try (Node node = Node.overTcp("health.peers=127.0.0.1:1")) {
        assertThat(threads()).anyMatch(each -> !before.contains(each));
        assertThat(node.engine().isClosed()).isFalse();
      }
    }
    await().atMost(Node.PATIENCE).untilAsserted(() -> assertThat(before).containsAll(threads()));
  }

  /** Those of engines; Reactor and Netty share others, which stay. */
  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("transfer-"))
        .collect(Collectors.toSet());
  }

  @Test
  void aContextThatWasStoppedIsNotStartedAgain() {
    try (Node node = Node.overTcp()) {
      node.context.stop();
      assertThat(node.engine().isClosed()).isTrue();
      assertThatThrownBy(node.context::start)
          .hasStackTraceContaining("expected a new application context for the engine 'default'");
    }
  }
}
