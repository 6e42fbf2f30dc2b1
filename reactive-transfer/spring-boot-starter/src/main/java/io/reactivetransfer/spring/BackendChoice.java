package io.reactivetransfer.spring;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.config.BackendProperties;
import io.reactivetransfer.config.Encryption;
import io.reactivetransfer.config.EngineConfigurationException;
import io.reactivetransfer.config.PropertyCheck;
import io.reactivetransfer.config.PropertySource;
import io.reactivetransfer.config.SecretFiles;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.spi.Backend;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundles;

/**
 * Finds the backend of an engine: a bean of that name, or one of ours that listens where the
 * properties say, or whichever the class path has.
 */
final class BackendChoice {

  private final List<Backend> beans;
  private final @Nullable SslBundles bundles;

  /**
   * Of an application.
   *
   * @param beans backends that it has made itself
   * @param bundles by which connections are encrypted, or null if it has none
   */
  BackendChoice(List<Backend> beans, @Nullable SslBundles bundles) {
    this.beans = List.copyOf(beans);
    this.bundles = bundles;
  }

  /**
   * Sets the backend of one engine. Looks hosts up, reads secrets, and so may block.
   *
   * @param files is given those by which its secrets can be read again, if any came from a file
   * @param tls is given what says which certificates it has, if connections are encrypted
   * @throws EngineConfigurationException if there is none of its name, or a property is refused
   */
  void choose(
      TransferEngineBuilder builder,
      EngineProperties its,
      Consumer<SecretFiles> files,
      Consumer<Supplier<Map<String, Object>>> tls,
      PropertyCheck check) {
    String name = its.getBackend();
    if (name == null) {
      throw check.refused("backend", "expected the name of a backend, such as tcp, got none", null);
    }
    List<Backend> made = beans.stream().filter(bean -> bean.name().equals(name)).toList();
    if (made.size() > 1) {
      throw check.refused(
          "backend", "expected one bean for backend " + name + ", got " + made.size(), null);
    }
    PropertySource properties = new BoundProperties(its);
    Encryption encryption = new BundleEncryption(bundles, tls);
    Backend listening =
        made.isEmpty()
            ? BackendProperties.listening(name, properties, encryption, files, check)
            : null;
    if (listening != null) {
      builder.backend(listening);
      return;
    }
    if (made.isEmpty()) {
      BackendProperties.requireArtifact(name, check);
    }
    BackendProperties.requireNone(
        name, properties, encryption, "define a bean of type Backend that is set up so", check);
    if (made.isEmpty()) {
      try {
        builder.backend(name);
      } catch (BackendUnavailableException e) {
        throw check.refused("backend", String.valueOf(e.getMessage()), e);
      }
    } else {
      builder.backend(made.getFirst());
    }
  }
}
