package io.reactivetransfer.config;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.spi.Backend;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Objects;
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
 * REACTIVE_TRANSFER_PEER_DEPTH} for {@code reactive-transfer.peer-depth}, then the file, then
 * {@code META-INF/microprofile-config.properties} on the class path. Below the prefix a name that
 * no engine has is an error. {@code docs/configuration.md} lists them.
 *
 * <p>Immutable. Everything is read and checked when a method is called that needs it, on the thread
 * that calls it, which so may block.
 */
public final class EngineConfiguration {

  /** What the names of all properties begin with. */
  public static final String PREFIX = "reactive-transfer";

  /** Between the environment, 300, and what is on the class path, 100. */
  private static final int ORDINAL_OF_FILE = 250;

  private final Config config;
  private final PropertyCheck check;

  private EngineConfiguration(Config config, PropertyCheck check) {
    this.config = config;
    this.check = check;
  }

  /** Of system properties, the environment, and the class path. */
  public static EngineConfiguration load() {
    return of(sources().build());
  }

  /**
   * Of the same and a file. Blocks while it is read.
   *
   * @param file as {@link java.util.Properties#load(java.io.Reader)} reads it
   * @throws UncheckedIOException if it cannot be read; the text names it
   */
  public static EngineConfiguration load(Path file) {
    try {
      return of(
          sources()
              .withSources(new PropertiesConfigSource(file.toUri().toURL(), ORDINAL_OF_FILE))
              .build());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the properties in " + file, e);
    }
  }

  private static SmallRyeConfigBuilder sources() {
    return new SmallRyeConfigBuilder().addDefaultInterceptors().addDefaultSources();
  }

  /** Of a configuration that the application has already, with whatever sources. */
  public static EngineConfiguration of(Config config) {
    return new EngineConfiguration(
        Objects.requireNonNull(config, "config"), new PropertyCheck(PREFIX));
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
        config, new PropertyCheck(PREFIX + "." + KnownNames.ENGINES + "." + name));
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
    Backend listening = BackendProperties.listening(name, properties, encryption, check);
    if (listening != null) {
      return builder.backend(listening);
    }
    BackendProperties.requireNone(
        name, properties, encryption, "give backend(Backend) one that is set up so", check);
    try {
      return builder.backend(name);
    } catch (BackendUnavailableException e) {
      throw check.refused("backend", String.valueOf(e.getMessage()), e);
    }
  }

  private PropertySource properties() {
    ConfigProperties properties = new ConfigProperties(config, check);
    KnownNames.requireNoOther(properties.names(), check);
    return properties;
  }
}
