package io.reactivetransfer.config;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.spi.Backend;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.config.SysPropConfigSource;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.microprofile.config.Config;

/**
 * How one engine is set up: its backend, where it listens, who may talk with it, and its options,
 * by properties whose names begin with {@code reactive-transfer}.
 *
 * <pre>{@code
 * TransferEngine engine =
 *     EngineConfiguration.load(Path.of("engine.properties")).builder().open().block();
 * }</pre>
 *
 * <p>The names are those of the Spring Boot starter. A property that is set wins over the same one
 * of a source behind it: system properties, then environment variables, such as {@code
 * REACTIVE_TRANSFER_PEER_DEPTH} for {@code reactive-transfer.peer-depth}, then the file. Below the
 * prefix a name that no engine has is an error. {@code docs/configuration.md} lists them.
 *
 * <p>Immutable. Everything is read and checked when a method is called that needs it, on the thread
 * that calls it, which so may block.
 */
public final class EngineConfiguration {

  /** What the names of all properties begin with. */
  public static final String PREFIX = "reactive-transfer";

  /** Behind the environment, 300. */
  private static final int ORDINAL_OF_FILE = 250;

  private final Config config;
  private final Set<String> names;
  private final PropertyCheck check;

  private EngineConfiguration(Config config, Set<String> names, PropertyCheck check) {
    this.config = config;
    this.names = names;
    this.check = check;
  }

  /** Of system properties and the environment, as they are now. */
  public static EngineConfiguration load() {
    return of(config(System.getenv(), Map.of(), ""));
  }

  /**
   * Of the same and a file. Blocks while it is read.
   *
   * @param file in UTF-8, as {@link Properties#load(java.io.Reader)} reads it
   * @throws UncheckedIOException if it cannot be read, or is no such file; the text names it
   */
  public static EngineConfiguration load(Path file) {
    return load(file, System.getenv());
  }

  static EngineConfiguration load(Path file, Map<String, String> environment) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(reader);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the properties in " + file, e);
    } catch (IllegalArgumentException e) { // an escape that is none
      throw new UncheckedIOException(new IOException("cannot read the properties in " + file, e));
    }
    Map<String, String> values = new HashMap<>();
    properties
        .stringPropertyNames()
        .forEach(name -> values.put(name, properties.getProperty(name)));
    return of(config(environment, values, file.toString()));
  }

  /**
   * No more sources than these: whoever may write into a working directory, or comes first on the
   * class path, is not to say whom an engine trusts. Nothing is expanded either, so that a secret
   * may have any character.
   */
  private static Config config(
      Map<String, String> environment, Map<String, String> file, String name) {
    return new SmallRyeConfigBuilder()
        .withSources(
            new SysPropConfigSource(),
            new EnvConfigSource(Map.copyOf(environment), EnvConfigSource.ORDINAL),
            new PropertiesConfigSource(file, name, ORDINAL_OF_FILE))
        .build();
  }

  /**
   * Of a configuration that the application has already, with whatever sources, and whatever that
   * makes of {@code ${...}} in a value. Which names there are is looked up now, values later.
   */
  public static EngineConfiguration of(Config config) {
    Set<String> names = new TreeSet<>();
    Objects.requireNonNull(config, "config").getPropertyNames().forEach(names::add);
    return new EngineConfiguration(
        config, Collections.unmodifiableSet(names), new PropertyCheck(PREFIX));
  }

  /**
   * That of one of several engines, whose properties begin with {@code
   * reactive-transfer.engines.NAME}.
   *
   * @param name letters, digits and dashes
   * @throws IllegalArgumentException if there is anything else in the name
   */
  public EngineConfiguration named(String name) {
    if (!name.matches("[A-Za-z0-9-]+")) {
      throw new IllegalArgumentException(
          "expected a name of letters, digits and dashes, got '" + name + "'");
    }
    return new EngineConfiguration(
        config, names, new PropertyCheck(PREFIX + "." + KnownNames.ENGINES + "." + name));
  }

  /**
   * The options: the defaults, and what was set. Begin with their {@link EngineOptions#toBuilder()}
   * for what is no property, such as a recorder, and hand them to the {@link #builder()}.
   *
   * @throws EngineConfigurationException if a property is refused, or there is one that no engine
   *     has
   */
  public EngineOptions options() {
    return OptionSettings.read(properties(), check).build();
  }

  /**
   * Builds the engine: with its backend, and its {@link #options()}. Looks hosts up and reads
   * files.
   *
   * @throws EngineConfigurationException if a property is refused, there is one that no engine has,
   *     or no backend
   */
  public TransferEngineBuilder builder() {
    PropertySource properties = properties();
    TransferEngineBuilder builder = TransferEngineBuilder.create().options(options());
    String name = properties.text("backend");
    if (name == null) {
      throw check.refused("backend", "expected the name of a backend, such as tcp, got none", null);
    }
    Encryption encryption = new PemFiles();
    Backend listening = BackendProperties.listening(name, properties, encryption, _ -> {}, check);
    if (listening != null) {
      return builder.backend(listening);
    }
    BackendProperties.requireArtifact(name, check);
    BackendProperties.requireNone(
        name, properties, encryption, "give backend(Backend) one that is set up so", check);
    try {
      return builder.backend(name);
    } catch (BackendUnavailableException e) {
      throw check.refused("backend", String.valueOf(e.getMessage()), e);
    }
  }

  private PropertySource properties() {
    KnownNames.requireNoOther(names, new PropertyCheck(PREFIX));
    KnownNames.requireNoOther(names, check);
    return new ConfigProperties(config, names, check);
  }
}
