package io.reactivetransfer.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.reactivetransfer.Device;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.IdleStrategy;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.eclipse.microprofile.config.Config;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Each option can be set by a file, and by an environment variable. */
class EachPropertyTest {

  private static final UnaryOperator<IdleStrategy> LONG_PARKS =
      idle -> idle.withParks(Duration.ofNanos(1_000), Duration.ofNanos(29_000_000));

  /** What one property sets. */
  record Case(String name, String value, UnaryOperator<EngineOptions.Builder> sets) {
    @Override
    public String toString() {
      return name;
    }
  }

  static final List<Case> CASES =
      List.of(
          new Case("nics", "2", to -> to.nics(2)),
          new Case("window", "11", to -> to.window(11)),
          new Case("nic-depth", "12", to -> to.nicDepth(12)),
          new Case("peer-depth", "13", to -> to.peerDepth(13)),
          new Case("peer-bytes", "14000", to -> to.peerBytes(14_000)),
          new Case("max-submissions", "15", to -> to.maxSubmissions(15)),
          new Case("min-piece-bytes", "16000", to -> to.minPieceBytes(16_000)),
          new Case("max-unclaimed-imms", "17", to -> to.maxUnclaimedImms(17)),
          new Case("max-message-bytes", "18000", to -> to.maxMessageBytes(18_000)),
          new Case("message-credits", "19", to -> to.messageCredits(19)),
          new Case("max-waiting-messages", "20", to -> to.maxWaitingMessages(20)),
          new Case("liveness-deadline", "PT21S", to -> to.livenessDeadline(seconds(21))),
          new Case("transfer-deadline", "PT22S", to -> to.transferDeadline(seconds(22))),
          new Case("connect-timeout", "PT23S", to -> to.connectTimeout(seconds(23))),
          new Case("close-timeout", "PT24S", to -> to.closeTimeout(seconds(24))),
          new Case("revocation-grace", "PT0.025S", to -> to.revocationGrace(Duration.ofMillis(25))),
          new Case("stall-threshold", "PT0.026S", to -> to.stallThreshold(millis(26))),
          new Case("cpu", "3", to -> to.cpu(3)),
          new Case("idle.spins", "27", to -> to.idle(IdleStrategy.backOff().withSpins(27))),
          new Case(
              "idle.max-spin",
              "PT0.000028S",
              to -> to.idle(IdleStrategy.backOff().withMaxSpin(Duration.ofNanos(28_000)))),
          new Case(
              "idle.min-park",
              "PT0.0005S",
              to ->
                  to.idle(IdleStrategy.backOff().withParks(Duration.ofNanos(500_000), millis(1)))),
          new Case(
              "idle.max-park",
              "PT0.029S",
              to -> to.idle(LONG_PARKS.apply(IdleStrategy.backOff()))));

  private static Duration seconds(int count) {
    return Duration.ofSeconds(count);
  }

  private static Duration millis(int count) {
    return Duration.ofMillis(count);
  }

  @TempDir private Path folder;

  private EngineOptions ofFile(String... lines) throws IOException {
    Path file = Files.write(folder.resolve("engine.properties"), List.of(lines));
    return EngineConfiguration.load(file).options();
  }

  private static Config config(Map<String, String> file, Map<String, String> environment) {
    return new SmallRyeConfigBuilder()
        .addDefaultInterceptors()
        .withSources(
            new PropertiesConfigSource(file, "file", 250), new EnvConfigSource(environment, 300))
        .build();
  }

  private static String variable(String name) {
    return "REACTIVE_TRANSFER_" + name.toUpperCase(Locale.ROOT).replaceAll("[.-]", "_");
  }

  private static void assertSets(Case one, EngineOptions options) {
    EngineOptions expected = one.sets().apply(EngineOptions.builder()).build();
    assertThat(options).usingRecursiveComparison().isEqualTo(expected);
    assertThat(options).usingRecursiveComparison().isNotEqualTo(EngineOptions.defaults());
  }

  @ParameterizedTest
  @FieldSource("CASES")
  void isSetByAFile(Case one) throws IOException {
    assertSets(one, ofFile("reactive-transfer." + one.name() + " = " + one.value()));
  }

  @ParameterizedTest
  @FieldSource("CASES")
  void isSetByAnEnvironmentVariable(Case one) {
    Config config = config(Map.of(), Map.of(variable(one.name()), one.value()));
    assertSets(one, EngineConfiguration.of(config).options());
  }

  @ParameterizedTest
  @FieldSource("CASES")
  void isSetForAnEngineOfAName(Case one) {
    String name = "reactive-transfer.engines.decode." + one.name();
    EngineConfiguration all = EngineConfiguration.of(config(Map.of(name, one.value()), Map.of()));
    assertSets(one, all.named("decode").options());
    assertThat(all.options()).usingRecursiveComparison().isEqualTo(EngineOptions.defaults());
  }

  @Test
  void allButThoseOfDevicesAreTriedHere() {
    assertThat(KnownNames.all())
        .filteredOn(name -> !name.startsWith("ssl.") && !name.matches(".*(host|port|secret.*)"))
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(CASES.stream().map(Case::name), Stream.of("backend", "device-nics"))
                .toList());
  }

  @Test
  void nicsOfADeviceAreSetByAFile() throws IOException {
    assertThat(ofFile("reactive-transfer.device-nics[cuda\\:0] = mlx5_0,mlx5_1").deviceNics())
        .isEqualTo(Map.of(Device.of("cuda", 0), List.of("mlx5_0", "mlx5_1")));
  }

  @Test
  void theEnvironmentWinsOverTheFile() {
    Config config =
        config(Map.of("reactive-transfer.window", "1"), Map.of(variable("window"), "2"));
    assertThat(EngineConfiguration.of(config).options().window()).isEqualTo(2);
  }

  @Test
  void nothingSetIsTheDefaults() throws IOException {
    assertThat(ofFile()).usingRecursiveComparison().isEqualTo(EngineOptions.defaults());
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    Path missing = folder.resolve("missing.properties");
    assertThat(catchThrowable(() -> EngineConfiguration.load(missing)))
        .hasMessageContaining(missing.toString());
  }

  /** A file behind the environment, and nothing else; what it holds stays as it is. */
  @Test
  void aFileIsReadAsItIs() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("engine.properties"),
            """
            reactive-transfer.backend = loopback
            reactive-transfer.window = 7
            reactive-transfer.peer-depth = 8
            reactive-transfer.device-nics[cuda\\:0] = a${b}$$ , c
            """);
    EngineOptions options =
        EngineConfiguration.load(file, Map.of("REACTIVE_TRANSFER_WINDOW", "9")).options();
    assertThat(options.window()).isEqualTo(9);
    assertThat(options.peerDepth()).isEqualTo(8);
    assertThat(options.deviceNics())
        .isEqualTo(Map.of(Device.of("cuda", 0), List.of("a${b}$$", "c")));
  }

  @Test
  void systemPropertiesAreReadFirst() throws IOException {
    System.setProperty("reactive-transfer.engines.sysprop.window", "5");
    try {
      EngineConfiguration all =
          EngineConfiguration.load(
              Files.writeString(
                  folder.resolve("engine.properties"),
                  "reactive-transfer.engines.sysprop.window = 7"));
      assertThat(all.named("sysprop").options().window()).isEqualTo(5);
      assertThat(EngineConfiguration.load().named("sysprop").options().window()).isEqualTo(5);
    } finally {
      System.clearProperty("reactive-transfer.engines.sysprop.window");
    }
  }
}
