package io.reactivetransfer.spring;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.config.PropertyCheck;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.util.unit.DataSize;

/** What cannot be fails the start, and says which property it was and what was expected. */
class RefusedPropertiesTest {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  ReactiveTransferAutoConfiguration.class, EngineHealthAutoConfiguration.class));

  /** As Spring Boot shows it. */
  static FailureAnalysis analysis(Throwable failure) {
    ArgumentResolver arguments =
        ArgumentResolver.of(BeanFactory.class, new DefaultListableBeanFactory())
            .and(Environment.class, new StandardEnvironment());
    return SpringFactoriesLoader.forDefaultResourceLocation()
        .load(FailureAnalyzer.class, arguments, (type, name, e) -> {})
        .stream()
        .map(analyzer -> analyzer.analyze(failure))
        .filter(each -> each != null)
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "window=0 | window | expected window of 1 to 65536, got 0",
        "nics=9 | nics | expected nics of 0 to 8, got 9",
        "max-message-bytes=17MB | max-message-bytes | expected maxMessageBytes of 1 to 16777216",
        "max-message-bytes=5GB | max-message-bytes | of 1 to 16777216, got 5368709120",
        "max-message-bytes=-5B | max-message-bytes | of 1 to 16777216, got -5",
        "transfer-deadline=0s | transfer-deadline | expected a transferDeadline above 0",
        "idle.spins=-1 | idle.spins | expected 0 or more spins, got -1",
        "idle.max-spin=0s | idle.max-spin | expected 0 < maxSpin <= PT8760H, got PT0S",
        "idle.min-park=2ms | idle.min-park | expected 0 < minPark <= maxPark",
        "device-nics[cuda]=a | device-nics[cuda] | expected a device as kind:ordinal",
        "device-nics[cuda:0]=a,a | device-nics[cuda:0] | no two alike, got [a, a]",
        "port=70000 | port | expected a port of 0 to",
        "host=0.0.0.0 | host | expected an advertised host, got none",
        "host=192.0.2.1 | host | secret-file",
        "host=no such host | host | expected a host of 1 to 253 printable",
        "secret=short | secret | expected a cluster secret of 16 to 4096 bytes, got 5",
        "secret-file=/no/such/file | secret-file | cannot read the cluster secret from"
            + " /no/such/file: there is no such file",
        "previous-secret=0123456789abcdef | previous-secret | expected a secret beside it, got"
            + " none",
        "ssl.bundle=engines | ssl.bundle | expected SSL bundles, got an application without any",
        "close-timeout=26s | close-timeout | expected at least PT5S less than"
            + " spring.lifecycle.timeout-per-shutdown-phase, which is PT30S, got PT26S",
        "backend=quic | backend | no backend is called 'quic'; on the class path: ",
        "health.peers=decode-3 | health.peers | expected host:port, such as decode-3:7400",
      })
  void isNamedWithWhatWasExpected(String property, String name, String reason) {
    String prefix = "reactive-transfer.engines.decode.";
    String[] set = property.split("=", 2);
    TestPropertyValues values = TestPropertyValues.of(Map.of(prefix + set[0], set[1]));
    runner
        .withPropertyValues(prefix + "backend=tcp")
        .withInitializer(values::applyTo)
        .run(context -> {
          assertThat(context).hasFailed();
          FailureAnalysis analysis = analysis(context.getStartupFailure());
          assertThat(analysis.getDescription())
              .startsWith("The property " + prefix + name + " is refused: ")
              .contains(reason);
          assertThat(context.getStartupFailure())
              .hasStackTraceContaining(prefix + name + ": ")
              .hasStackTraceContaining(reason);
        });
  }

  /** Has classes of its own of ours, but those of one backend. */
  private static final class WithoutIbverbs extends ClassLoader {

    WithoutIbverbs() {
      super(RefusedPropertiesTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith("io.reactivetransfer.")) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? define(name) : loaded;
      }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      String file = name.replace('.', '/') + ".class";
      try (InputStream in = getParent().getResourceAsStream(file)) {
        if (in == null || name.startsWith("io.reactivetransfer.ibverbs.")) {
          throw new ClassNotFoundException(name);
        }
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  /** Whatever else is set for it, which is not what is wrong. */
  static final class Choice implements Runnable {

    @Override
    public void run() {
      EngineProperties its = new EngineProperties();
      its.setBackend("ibverbs");
      its.setHost("127.0.0.1");
      new BackendChoice(List.of(), null)
          .choose(
              TransferEngineBuilder.create(),
              its,
              _ -> {},
              _ -> {},
              new PropertyCheck("reactive-transfer"));
    }
  }

  @Test
  void aBackendThatIsNotThereIsNamedByItsArtifact() throws Exception {
    ClassLoader without = new WithoutIbverbs();
    Constructor<?> constructor = without.loadClass(Choice.class.getName()).getDeclaredConstructor();
    constructor.setAccessible(true);
    Runnable choice = (Runnable) constructor.newInstance();
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(without);
    try {
      assertThatThrownBy(choice::run)
          .hasMessage(
              "reactive-transfer.backend: expected the artifact reactive-transfer-ibverbs on the"
                  + " class path, got none; add it");
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  @Test
  void aBlankOneOfAListIsNamedByItsPlace() {
    blank("health.peers[1]", runner.withPropertyValues("reactive-transfer.backend=loopback"));
  }

  /** Whose engines are not opened by properties, but whose health has some. */
  @Test
  void aBlankOneIsRefusedWhereTheApplicationHasItsOwnEngine() {
    TransferEngine engine = TransferEngineBuilder.create().backend("loopback").open().block();
    try {
      ApplicationContextRunner own = runner.withBean(TransferEngine.class, () -> engine);
      own.run(context -> assertThat(context).hasNotFailed().hasSingleBean(BlankProperties.class));
      blank("health.peers[1]", own);
    } finally {
      engine.close().block(Node.PATIENCE);
    }
    runner
        .withPropertyValues("reactive-transfer.backend=loopback")
        .run(context -> assertThat(context).hasSingleBean(BlankProperties.class));
  }

  private static void blank(String property, ApplicationContextRunner runner) {
    TestPropertyValues values =
        TestPropertyValues.of(
            Map.of(
                "reactive-transfer.health.peers[0]",
                "decode-3:7400",
                "reactive-transfer." + property,
                " "));
    runner
        .withInitializer(values::applyTo)
        .run(context ->
            assertThat(analysis(context.getStartupFailure()).getDescription())
                .startsWith("The property reactive-transfer." + property + " is refused: ")
                .contains("expected a value, got one that is empty or blank"));
  }

  /** As {@code @DynamicPropertySource} sets them. */
  @Test
  void aValueThatIsNoTextIsNotBlank(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("secret"), "the secret of the cluster");
    Map<String, Object> values =
        Map.of(
            "reactive-transfer.backend",
            "tcp",
            "reactive-transfer.max-message-bytes",
            DataSize.ofMegabytes(2),
            "reactive-transfer.secret-file",
            file);
    runner
        .withInitializer(context ->
            context
                .getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource("objects", values)))
        .run(context -> {
          assertThat(context).hasNotFailed();
          assertThat(context.getBean(ReactiveTransferProperties.class).getSecretFile())
              .isEqualTo(file);
        });
  }

  @Test
  void aSecretIsInNoText() {
    runner
        .withPropertyValues("reactive-transfer.backend=tcp", "reactive-transfer.secret=hush")
        .run(context -> {
          assertThat(context.getStartupFailure()).hasStackTraceContaining("secret");
          assertThat(analysis(context.getStartupFailure()).getDescription()).doesNotContain("hush");
        });
  }

  @Test
  void aBackendIsToBeNamed() {
    runner
        .withPropertyValues("reactive-transfer.window=7")
        .run(context ->
            assertThat(analysis(context.getStartupFailure()).getDescription())
                .contains("reactive-transfer.backend", "expected the name of a backend"));
  }

  @Test
  void whereABackendDoesNotListenNothingIsSaidAboutIt() {
    runner
        .withPropertyValues("reactive-transfer.backend=loopback", "reactive-transfer.port=7400")
        .run(context ->
            assertThat(analysis(context.getStartupFailure()).getDescription())
                .contains("reactive-transfer.port", "define a bean of type Backend"));
  }

  @Test
  void twoThatAreCalledDefaultAreOneTooMany() {
    runner
        .withPropertyValues(
            "reactive-transfer.backend=loopback",
            "reactive-transfer.engines.default.backend=loopback")
        .run(context ->
            assertThat(analysis(context.getStartupFailure()).getDescription())
                .contains("reactive-transfer.engines.default"));
  }

  @Test
  void whatIsMisspeltIsNamed() {
    runner
        .withPropertyValues(
            "reactive-transfer.engines.decode.backend=loopback",
            "reactive-transfer.engines.decode.windw=7")
        .run(context -> {
          assertThat(context).getFailure().hasRootCauseInstanceOf(Exception.class);
          assertThat(analysis(context.getStartupFailure()).getDescription())
              .contains("reactive-transfer.engines.decode.windw");
        });
  }

  @Test
  void whatIsMisspeltIsNamedWithoutItsValue() {
    runner
        .withPropertyValues(
            "reactive-transfer.backend=loopback",
            "reactive-transfer.secert=the value of a secret",
            "reactive-transfer.previous-secert=and of the one before")
        .run(context -> {
          FailureAnalysis analysis = analysis(context.getStartupFailure());
          assertThat(analysis.getDescription())
              .contains(
                  "There is no property reactive-transfer.secert (",
                  "There is no property reactive-transfer.previous-secert (")
              .doesNotContain("the value of a secret", "and of the one before");
          assertThat(analysis.getAction()).contains("docs/spring-boot.md");
          assertThat(context.getStartupFailure())
              .hasStackTraceContaining("secert")
              .extracting(failure -> stackTrace(failure), as(STRING))
              .doesNotContain("the value of a secret", "and of the one before");
        });
  }

  /** Of the application, which takes nothing that it does not know, too. */
  @ConfigurationProperties(prefix = "others", ignoreUnknownFields = false)
  static class Others {

    private int port;

    public int getPort() {
      return port;
    }

    public void setPort(int port) {
      this.port = port;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableConfigurationProperties(Others.class)
  static class WithOthers {}

  @Test
  void whatIsNotOursIsSaidAsAlways() {
    runner
        .withUserConfiguration(WithOthers.class)
        .withPropertyValues("others.prot=8080")
        .run(context ->
            assertThat(analysis(context.getStartupFailure()).getDescription())
                .contains("others.prot", "8080"));
  }

  private static String stackTrace(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  @Test
  void whatIsNoNumberIsNamed() {
    runner
        .withPropertyValues("reactive-transfer.backend=loopback", "reactive-transfer.window=many")
        .run(context ->
            assertThat(analysis(context.getStartupFailure()).getDescription())
                .contains("reactive-transfer.window", "many"));
  }

  @Test
  void anEngineThatCannotOpenFailsTheStartWithTheReason() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      runner
          .withPropertyValues(
              "reactive-transfer.engines.decode.backend=tcp",
              "reactive-transfer.engines.decode.port=" + taken.getLocalPort())
          .run(context ->
              assertThat(analysis(context.getStartupFailure()).getDescription())
                  .startsWith("The engine 'decode' (backend tcp) could not be opened: ")
                  .contains(String.valueOf(taken.getLocalPort())));
    }
  }
}
