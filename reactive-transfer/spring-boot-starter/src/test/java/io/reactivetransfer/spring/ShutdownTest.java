package io.reactivetransfer.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.WriteImm;
import java.lang.foreign.Arena;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
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
      await().until(() -> done.get() > 20);

      origin.close();

      assertThat(engine.isClosed()).isTrue();
      await().until(() -> ended.get() != null);
      assertThat(ended).hasValue(SignalType.ON_ERROR);
      assertThat(failure.get()).isInstanceOf(TransferRejectedException.class);
      target.engine().counter(Imm.of(3)).next(done.intValue()).block(Node.PATIENCE);
      await("no more has come than was done")
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
  void aContextThatIsOpenedAgainAndAgainLeavesNoThread() {
    Set<Thread> before = threads();
    for (int i = 0; i < 3; i++) {
      try (Node node = Node.overTcp("health.peers=127.0.0.1:1")) {
        assertThat(threads()).hasSizeGreaterThan(before.size());
        assertThat(node.engine().isClosed()).isFalse();
      }
    }
    await().untilAsserted(() -> assertThat(before).containsAll(threads()));
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
