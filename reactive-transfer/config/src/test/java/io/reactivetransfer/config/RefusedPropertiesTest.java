package io.reactivetransfer.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.reactivetransfer.fuzz.TestPki;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong is refused by name, with what was expected and what came, and without a secret. */
class RefusedPropertiesTest {

  private static final String SECRET = "not to be shown";

  private static EngineConfiguration of(Map<String, String> file, Map<String, String> variables) {
    return EngineConfiguration.of(
        new SmallRyeConfigBuilder()
            .addDefaultInterceptors()
            .withSources(
                new PropertiesConfigSource(file, "file", 250), new EnvConfigSource(variables, 300))
            .build());
  }

  private static EngineConfigurationException refusal(EngineConfiguration configuration) {
    return catchThrowableOfType(EngineConfigurationException.class, configuration::builder);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "window=many | window | whole number | 'many'",
        "window=0 | window | 1 to 65536 | 0",
        "window=99999999999 | window | 2147483647 | 99999999999",
        "peer-bytes=64MB | peer-bytes | bytes | '64MB'",
        "max-message-bytes=-5 | max-message-bytes | 1 to 16777216 | -5",
        "max-message-bytes=3000000000 | max-message-bytes | 1 to 16777216 | 3000000000",
        "close-timeout=5s | close-timeout | PT5S | '5s'",
        "idle.max-park=PT0S | idle.max-park | maxPark | PT0S",
        "idle.max-spin=PT0S | idle.max-spin | maxSpin | PT0S",
        "device-nics[cuda:0]=a,,b | device-nics[cuda:0] | commas between them | [a, , b]",
        "device-nics[cuda]=a | device-nics[cuda] | kind:ordinal | 'cuda'",
        "without-secret=yes | without-secret | true or false | 'yes'",
        "host=10.0.0.7 | host | secret | without-secret",
        "port=70000 | port | 0 to | 70000",
        "secret=short | secret | 16 | 5",
        "secret-file=/no/such/file | secret-file | cannot read | /no/such/file",
        "previous-secret=not to be shown at all | previous-secret | secret beside it | none",
        "ssl.mutual=false | ssl.certificate | ssl.private-key | none",
        "ssl.trusted=/no/such/file | ssl.certificate | ssl.private-key | none",
        "ssl.certificate= | ssl.certificate | a value | empty",
        "secret= | secret | a value | empty",
        "secret=${reactive-transfer.empty:} | secret | a value | ${...}",
        "secret=0123456789${not to be shown::x} | secret | a value | ${...}",
        "host=${reactive-transfer.host} | host | a value | ${...}",
        "device-nics=a | device-nics | device-nics[KIND:ORDINAL] | nothing",
        "device-nics[cuda:0]=a,${NOT_SET} | device-nics[cuda:0] | a value | ${...}",
        "backend=carrier-pigeon | backend | tcp | carrier-pigeon",
        "windw=7 | windw | window | expected",
        "engine.decode.window=7 | engine.decode.window | expected | nothing",
        "secrets=not to be shown | secrets | secret | expected"
      })
  void itIsNamed(String property, String name, String expected, String got) {
    String[] set = property.split("=", 2);
    Map<String, String> file =
        set[0].equals("backend")
            ? Map.of("reactive-transfer.backend", set[1])
            : Map.of("reactive-transfer.backend", "tcp", "reactive-transfer." + set[0], set[1]);
    EngineConfigurationException refusal = refusal(of(file, Map.of()));
    assertThat(refusal.property()).isEqualTo("reactive-transfer." + name);
    assertThat(refusal).hasMessageContainingAll(refusal.property(), expected, got);
    assertThat(refusal).hasMessageNotContaining(SECRET);
  }

  @Test
  void aCertificateOfAnotherKeyIsNamed() {
    requireAnotherKeyIsNamed(Algorithm.ecp256);
  }

  // To draw two of these takes seconds, and CertifiedKeyTest of control has all kinds of keys.
  @Tag("nightly")
  @Test
  void aCertificateOfAnotherKeyOfRsaIsNamed() {
    requireAnotherKeyIsNamed(Algorithm.rsa2048);
  }

  private static void requireAnotherKeyIsNamed(Algorithm algorithm) {
    TestPki pki = new TestPki();
    TestPki.Files own = pki.filesFor("127.0.0.1", algorithm);
    TestPki.Files other = pki.filesFor("127.0.0.1", algorithm);
    String prefix = "reactive-transfer.";
    EngineConfigurationException refusal =
        refusal(
            of(
                Map.of(
                    prefix + "backend", "tcp",
                    prefix + "ssl.certificate", own.certificates().toString(),
                    prefix + "ssl.private-key", other.key().toString(),
                    prefix + "ssl.trusted", own.trusted().toString()),
                Map.of()));
    assertThat(refusal.property()).isEqualTo(prefix + "ssl.certificate");
    assertThat(refusal)
        .hasMessageContainingAll(own.certificates().toString(), other.key().toString(), "fits");
  }

  @Test
  void noBackendIsSaid() {
    assertThat(refusal(of(Map.of(), Map.of())))
        .hasMessage(
            "reactive-transfer.backend: expected the name of a backend, such as tcp, got none");
  }

  @Test
  void aVariableThatNoEngineHasIsRefused() {
    EngineConfigurationException refusal =
        refusal(of(Map.of(), Map.of("REACTIVE_TRANSFER_PEER_DEPHT", SECRET)));
    assertThat(refusal)
        .hasMessage(
            "REACTIVE_TRANSFER_PEER_DEPHT: expected REACTIVE_TRANSFER_PEER_DEPTH, or no such"
                + " variable");
  }

  @Test
  void variablesOfOtherEnginesAreLeftToThem() {
    Map<String, String> variables =
        Map.of(
            "REACTIVE_TRANSFER_BACKEND",
            "loopback",
            "REACTIVE_TRANSFER_ENGINES_DECODE_WINDW",
            "7",
            "REACTIVETRANSFER_OTHER",
            "7");
    assertThat(of(Map.of(), variables).options().window()).isEqualTo(256);
    // It may be the variable of an engine that is called decode-windw.
    assertThat(of(Map.of(), variables).named("decode").options().window()).isEqualTo(256);
  }

  @Test
  void aBackendThatDoesNotListenTakesNoHost() {
    EngineConfigurationException refusal =
        refusal(
            of(
                Map.of("reactive-transfer.backend", "loopback", "reactive-transfer.host", "a"),
                Map.of()));
    assertThat(refusal.property()).isEqualTo("reactive-transfer.host");
    assertThat(refusal).hasMessageContaining("expected nothing for backend loopback");
  }

  @Test
  void whatIsLeftOutOfASecretIsNotShown() {
    EngineConfigurationException refusal =
        refusal(
            of(
                Map.of(
                    "reactive-transfer.backend",
                    "tcp",
                    "reactive-transfer.secret",
                    "0123456789${" + SECRET + "}"),
                Map.of()));
    assertThat(refusal.property()).isEqualTo("reactive-transfer.secret");
    assertThat(refusal).hasMessageNotContaining(SECRET).hasNoCause();
  }

  @Test
  void aNameOfAnEngineIsNoPath() {
    EngineConfiguration all = of(Map.of(), Map.of());
    assertThat(catchThrowableOfType(IllegalArgumentException.class, () -> all.named("a.b")))
        .hasMessageContaining("a.b");
  }

  @Test
  void whatIsMisspeltBesideAnEngineOfANameIsRefused() {
    EngineConfiguration all = of(Map.of("reactive-transfer.windw", "7"), Map.of());
    assertThat(refusal(all.named("decode")).property()).isEqualTo("reactive-transfer.windw");
  }

  @Test
  void whatKubernetesSetsForAServiceOfThatNameIsNoneOfOurs() {
    Map<String, String> variables =
        Map.of(
            "REACTIVE_TRANSFER_SERVICE_HOST", "10.0.0.1",
            "REACTIVE_TRANSFER_SERVICE_PORT", "7400",
            "REACTIVE_TRANSFER_PORT_7400_TCP_ADDR", "10.0.0.1",
            "REACTIVE_TRANSFER_PREFILL_SERVICE_PORT_ENGINE", "7400",
            "REACTIVE_TRANSFER_PREFILL_SERVICE_HOST", "10.0.0.1",
            "REACTIVE_TRANSFER_PREFILL_PORT", "tcp://10.0.0.1:7400",
            "REACTIVE_TRANSFER_WINDOW", "7");
    assertThat(of(Map.of(), variables).options().window()).isEqualTo(7);
  }

  @Test
  void aPortOfNoServiceIsRefused() {
    assertThat(refusal(of(Map.of(), Map.of("REACTIVE_TRANSFER_ADVERTISED_PORT", "7400"))))
        .hasMessageContaining("REACTIVE_TRANSFER_ADVERTISED_PORT");
  }

  @Test
  void noVariableNamesTheNicsOfADevice() {
    assertThat(refusal(of(Map.of(), Map.of("REACTIVE_TRANSFER_DEVICE_NICS", "mlx5_0"))))
        .hasMessageContaining("reactive-transfer.device-nics[KIND:ORDINAL]");
  }

  @Test
  void aFileIsNamedThatCannotBeRead(@TempDir Path folder) throws IOException {
    Path bad = Files.writeString(folder.resolve("bad.properties"), "a = \\u12G4");
    Path latin =
        Files.write(folder.resolve("latin.properties"), new byte[] {'a', '=', (byte) 0xe4});
    for (Path each : List.of(folder, folder.resolve("none"), bad, latin)) {
      assertThat(
              catchThrowableOfType(
                  UncheckedIOException.class, () -> EngineConfiguration.load(each)))
          .hasMessageContaining(each.toString());
    }
  }
}
