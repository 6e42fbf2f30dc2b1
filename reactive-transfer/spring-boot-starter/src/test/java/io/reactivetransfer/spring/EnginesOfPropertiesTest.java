package io.reactivetransfer.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Device;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.IdleStrategy;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Which engines there are, and how they are set up, is said by properties. */
class EnginesOfPropertiesTest {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(ReactiveTransferAutoConfiguration.class));

  /** Who is given engines by their names. */
  record User(TransferEngine decode, TransferEngine prefill) {}

  @Configuration(proxyBeanMethods = false)
  static class Users {

    @Bean
    User user(
        @Qualifier("decode") TransferEngine decode, @Qualifier("prefill") TransferEngine prefill) {
      return new User(decode, prefill);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnEngine {

    @Bean
    TransferEngine own() {
      return TransferEngineBuilder.create().backend("loopback").open().block();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Customizers {

    static final Scheduler SIGNALS = Schedulers.single();

    @Bean
    EngineOptionsCustomizer signals() {
      return (engine, options) -> options.signalScheduler(SIGNALS).window(engine.length());
    }
  }

  @Test
  void withoutPropertiesThereIsNone() {
    runner.run(context -> assertThat(context).doesNotHaveBean(TransferEngine.class));
  }

  @Test
  void systemPropertiesOfBackendsAreOfNoEngine() {
    runner
        .withSystemProperties("reactivetransfer.libfabric.provider=tcp")
        .run(context -> assertThat(context).doesNotHaveBean(TransferEngine.class));
    runner
        .withSystemProperties("reactivetransfer.libfabric.provider=tcp")
        .withPropertyValues("reactive-transfer.engines.decode.backend=loopback")
        .run(context -> assertThat(context).hasSingleBean(TransferEngine.class));
  }

  @Test
  void oneAloneHasItsPropertiesWithoutAName() {
    runner
        .withPropertyValues("reactive-transfer.backend=loopback")
        .run(context -> {
          assertThat(context).hasSingleBean(TransferEngine.class);
          TransferEngine engine = context.getBean("defaultTransferEngine", TransferEngine.class);
          assertThat(engine.backend()).isEqualTo("loopback");
          assertThat(engine.options().window()).isEqualTo(EngineOptions.defaults().window());
        });
  }

  @Test
  void oneAloneMayBeSetUpByEnvironmentVariables() {
    TestPropertyValues variables =
        TestPropertyValues.of(
            "REACTIVE_TRANSFER_BACKEND=loopback", "REACTIVE_TRANSFER_MESSAGE_CREDITS=7");
    runner
        .withInitializer(context ->
            variables.applyTo(context.getEnvironment(), TestPropertyValues.Type.SYSTEM_ENVIRONMENT))
        .run(context -> {
          assertThat(context).hasSingleBean(TransferEngine.class);
          assertThat(context.getBean(TransferEngine.class).options().messageCredits()).isEqualTo(7);
        });
  }

  @Test
  void severalMayBeSetUpByEnvironmentVariablesWithoutDashes() {
    TestPropertyValues variables =
        TestPropertyValues.of(
            "REACTIVETRANSFER_ENGINES_DECODE_BACKEND=loopback",
            "REACTIVETRANSFER_ENGINES_DECODE_MESSAGECREDITS=7");
    runner
        .withInitializer(context ->
            variables.applyTo(context.getEnvironment(), TestPropertyValues.Type.SYSTEM_ENVIRONMENT))
        .run(context -> {
          TransferEngine engine = context.getBean("decodeTransferEngine", TransferEngine.class);
          assertThat(engine.options().messageCredits()).isEqualTo(7);
        });
  }

  @Test
  void severalHaveTheirNamesAsQualifiers() {
    runner
        .withUserConfiguration(Users.class)
        .withPropertyValues(
            "reactive-transfer.engines.decode.backend=loopback",
            "reactive-transfer.engines.decode.window=7",
            "reactive-transfer.engines.prefill.backend=tcp",
            "reactive-transfer.engines.prefill.host=127.0.0.1")
        .run(context -> {
          User user = context.getBean(User.class);
          assertThat(user.decode().options().window()).isEqualTo(7);
          assertThat(user.prefill().backend()).isEqualTo("tcp");
          assertThat(context.getBeanProvider(TransferEngine.class).getIfUnique()).isNull();
        });
  }

  @Test
  void theOneCalledDefaultIsPrimary() {
    runner
        .withPropertyValues(
            "reactive-transfer.engines.decode.backend=loopback",
            "reactive-transfer.backend=loopback",
            "reactive-transfer.window=5")
        .run(context ->
            assertThat(context.getBean(TransferEngine.class).options().window()).isEqualTo(5));
  }

  @Test
  void anEngineOfTheApplicationIsTheOnlyOne() {
    runner
        .withUserConfiguration(OwnEngine.class)
        .withPropertyValues("reactive-transfer.backend=loopback")
        .run(context -> {
          assertThat(context).hasSingleBean(TransferEngine.class).hasBean("own");
          context.getBean(TransferEngine.class).close().block(Node.PATIENCE);
        });
  }

  @Test
  void enginesAreSwitchedOffByOneProperty() {
    runner
        .withPropertyValues("reactive-transfer.backend=loopback", "reactive-transfer.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(TransferEngine.class));
  }

  @Test
  void whatIsNoPropertyIsSetByCustomizers() {
    runner
        .withUserConfiguration(Customizers.class)
        .withPropertyValues("reactive-transfer.engines.four.backend=loopback")
        .run(context -> {
          EngineOptions options = context.getBean(TransferEngine.class).options();
          assertThat(options.signalScheduler()).isSameAs(Customizers.SIGNALS);
          assertThat(options.window()).isEqualTo(4);
        });
  }

  @Test
  void everyOptionReachesTheEngine() {
    TestPropertyValues withColon =
        TestPropertyValues.of(Map.of("reactive-transfer.device-nics[fake:3]", "loopback0"));
    runner
        .withInitializer(withColon::applyTo)
        .withPropertyValues(
            "reactive-transfer.backend=loopback",
            "reactive-transfer.nics=1",
            "reactive-transfer.window=11",
            "reactive-transfer.nic-depth=12",
            "reactive-transfer.peer-depth=13",
            "reactive-transfer.peer-bytes=14KB",
            "reactive-transfer.max-submissions=15",
            "reactive-transfer.min-piece-bytes=16KB",
            "reactive-transfer.max-unclaimed-imms=17",
            "reactive-transfer.max-message-bytes=18KB",
            "reactive-transfer.message-credits=19",
            "reactive-transfer.max-waiting-messages=20",
            "reactive-transfer.liveness-deadline=21s",
            "reactive-transfer.transfer-deadline=22s",
            "reactive-transfer.connect-timeout=23s",
            "reactive-transfer.close-timeout=24s",
            "reactive-transfer.revocation-grace=25ms",
            "reactive-transfer.stall-threshold=26ms",
            "reactive-transfer.cpu=0",
            "reactive-transfer.idle.spins=27",
            "reactive-transfer.idle.max-spin=30us",
            "reactive-transfer.idle.min-park=28us",
            "reactive-transfer.idle.max-park=29us")
        .run(context -> {
          EngineOptions options = context.getBean(TransferEngine.class).options();
          assertThat(options)
              .usingRecursiveComparison()
              .ignoringFields("recorder")
              .isEqualTo(
                  EngineOptions.builder()
                      .nics(1)
                      .deviceNics(Device.of("fake", 3), "loopback0")
                      .window(11)
                      .nicDepth(12)
                      .peerDepth(13)
                      .peerBytes(14 << 10)
                      .maxSubmissions(15)
                      .minPieceBytes(16 << 10)
                      .maxUnclaimedImms(17)
                      .maxMessageBytes(18 << 10)
                      .messageCredits(19)
                      .maxWaitingMessages(20)
                      .livenessDeadline(Duration.ofSeconds(21))
                      .transferDeadline(Duration.ofSeconds(22))
                      .connectTimeout(Duration.ofSeconds(23))
                      .closeTimeout(Duration.ofSeconds(24))
                      .revocationGrace(Duration.ofMillis(25))
                      .stallThreshold(Duration.ofMillis(26))
                      .cpu(0)
                      .idle(
                          IdleStrategy.backOff()
                              .withSpins(27)
                              .withMaxSpin(Duration.ofNanos(30_000))
                              .withParks(Duration.ofNanos(28_000), Duration.ofNanos(29_000)))
                      .build());
          assertThat(options.deviceNics())
              .isEqualTo(Map.of(Device.of("fake", 3), List.of("loopback0")));
          assertThat(options.cpu()).isEqualTo(OptionalInt.of(0));
        });
  }
}
