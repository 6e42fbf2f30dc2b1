package io.reactivetransfer.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.config.EngineConfiguration;
import io.reactivetransfer.config.EngineConfigurationException;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.beans.PropertyDescriptor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.boot.test.util.TestPropertyValues.Type;

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
          "idle.max-spin",
          "idle.max-park");

  private static final ApplicationContextRunner RUNNER =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(ReactiveTransferAutoConfiguration.class));

  private static EngineConfiguration without(
      Map<String, String> properties, Map<String, String> variables) {
    return EngineConfiguration.of(
        new SmallRyeConfigBuilder()
            .withSources(
                new PropertiesConfigSource(properties, "test", 250),
                new EnvConfigSource(variables, 300))
            .build());
  }

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
    EngineOptions without = without(properties, Map.of()).options();
    RUNNER
        .withInitializer(TestPropertyValues.of(properties)::applyTo)
        .run(context ->
            assertThat(context.getBean(TransferEngine.class).options())
                .usingRecursiveComparison()
                .ignoringFields("recorder")
                .isEqualTo(without)
                .isNotEqualTo(EngineOptions.defaults()));
  }

  /** All that an engine has, whatever kind it is, but health, which there is with Spring only. */
  static List<String> names() {
    List<String> names = new ArrayList<>();
    addNames("", EngineProperties.class, names);
    names.removeIf(name -> name.startsWith("health."));
    names.set(names.indexOf("device-nics"), "device-nics[cuda:0]");
    return names;
  }

  /** No variable can be the NICs of an accelerator. */
  static List<String> namesOfVariables() {
    return names().stream().filter(name -> !name.startsWith("device-nics")).toList();
  }

  private static void addNames(String before, Class<?> bean, List<String> names) {
    for (PropertyDescriptor each : BeanUtils.getPropertyDescriptors(bean)) {
      String name = before + DataObjectPropertyName.toDashedForm(each.getName());
      if (each.getPropertyType().getName().startsWith("io.reactivetransfer.")) {
        addNames(name + ".", each.getPropertyType(), names);
      } else if (each.getWriteMethod() != null) {
        names.add(name);
      }
    }
  }

  @Test
  void allAreTried() {
    assertThat(names())
        .hasSizeGreaterThan(30)
        .contains("secret-file", "ssl.bundle", "ssl.mutual", "idle.max-park", "cpu", "host");
  }

  @ParameterizedTest
  @MethodSource("names")
  void oneThatIsBlankIsRefused(String name) {
    for (String blank : List.of("", "                ")) {
      String prefix = "reactive-transfer.engines.decode.";
      requireSame(
          prefix + name,
          RUNNER.withInitializer(values(prefix + "backend", "tcp", prefix + name, blank)::applyTo),
          without(map(prefix + "backend", "tcp", prefix + named(name), blank), Map.of())
              .named("decode"));
    }
  }

  /** Among variables Spring finds nothing that is misspelt, and so took these for not set. */
  @ParameterizedTest
  @MethodSource("namesOfVariables")
  void aVariableThatIsBlankIsRefused(String name) {
    String ofSpring = "REACTIVETRANSFER_" + name.replace("-", "").replace('.', '_');
    String variable = "REACTIVE_TRANSFER_" + named(name).replaceAll("[.-]", "_");
    String backend = "reactive-transfer.backend";
    boolean isBackend = name.equals("backend");
    requireSame(
        "reactive-transfer." + name,
        RUNNER
            .withInitializer(values("reactive-transfer.window", "7")::applyTo)
            .withInitializer(values(isBackend ? "a" : backend, "tcp")::applyTo)
            .withInitializer(context ->
                values(ofSpring.toUpperCase(Locale.ROOT), "")
                    .applyTo(context.getEnvironment(), Type.SYSTEM_ENVIRONMENT)),
        without(Map.of(backend, "tcp"), Map.of(variable.toUpperCase(Locale.ROOT), "")));
  }

  private static TestPropertyValues values(String... pairs) {
    return TestPropertyValues.of(map(pairs));
  }

  /** What comes later counts. */
  private static Map<String, String> map(String... pairs) {
    Map<String, String> values = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      values.put(pairs[i], pairs[i + 1]);
    }
    return values;
  }

  /** Where Spring has a bundle, there are three files. */
  private static String named(String name) {
    return name.equals("ssl.bundle") ? "ssl.certificate" : name;
  }

  private static void requireSame(
      String property, ApplicationContextRunner runner, EngineConfiguration configuration) {
    String[] refusal = new String[1];
    runner.run(context -> {
      assertThat(context).as(property).hasFailed();
      refusal[0] = RefusedPropertiesTest.analysis(context.getStartupFailure()).getDescription();
    });
    var without = catchThrowableOfType(EngineConfigurationException.class, configuration::builder);
    assertThat(refusal[0])
        .startsWith("The property " + property + " is refused: expected ")
        .contains("leave it out")
        .endsWith(" is refused: " + without.reason() + ".");
    assertThat(without.property()).endsWith(named(property.replaceFirst(".*\\.(?=ssl)", "")));
  }
}
