package io.reactivetransfer.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.config.EngineConfiguration;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;

/** The same properties have the same result without Spring, by {@link EngineConfiguration}. */
class SameWithoutSpringTest {

  private static final List<String> NUMBERS =
      List.of(
          "window",
          "nic-depth",
          "peer-depth",
          "peer-bytes",
          "max-submissions",
          "min-piece-bytes",
          "max-unclaimed-imms",
          "max-message-bytes",
          "message-credits",
          "max-waiting-messages",
          "idle.spins");

  private static final List<String> DURATIONS =
      List.of(
          "liveness-deadline",
          "transfer-deadline",
          "connect-timeout",
          "close-timeout",
          "revocation-grace",
          "stall-threshold",
          "idle.max-park");

  @Test
  void optionsAreTheSame() {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("reactive-transfer.backend", "loopback");
    properties.put("reactive-transfer.device-nics[fake:3]", "loopback0");
    properties.put("reactive-transfer.idle.min-park", "PT0.0005S");
    for (String name : NUMBERS) {
      properties.put("reactive-transfer." + name, "1" + (100 + properties.size()));
    }
    for (String name : DURATIONS) {
      properties.put("reactive-transfer." + name, "PT0." + properties.size() + "S");
    }
    EngineOptions without =
        EngineConfiguration.of(
                new SmallRyeConfigBuilder()
                    .withSources(new PropertiesConfigSource(properties, "test", 100))
                    .build())
            .options();
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(ReactiveTransferAutoConfiguration.class))
        .withInitializer(TestPropertyValues.of(properties)::applyTo)
        .run(context ->
            assertThat(context.getBean(TransferEngine.class).options())
                .usingRecursiveComparison()
                .ignoringFields("recorder")
                .isEqualTo(without)
                .isNotEqualTo(EngineOptions.defaults()));
  }
}
