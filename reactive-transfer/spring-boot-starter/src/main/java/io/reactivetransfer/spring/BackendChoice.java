package io.reactivetransfer.spring;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.spi.Backend;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.ClassUtils;

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
   * @throws EngineConfigurationException if there is none of its name, or a property is refused
   */
  void choose(TransferEngineBuilder builder, EngineProperties its, PropertyCheck check) {
    String name = its.getBackend();
    if (name == null) {
      throw check.refused("backend", "expected the name of a backend, such as tcp, got none", null);
    }
    List<Backend> made = beans.stream().filter(bean -> bean.name().equals(name)).toList();
    if (made.size() > 1) {
      throw check.refused(
          "backend", "expected one bean for backend " + name + ", got " + made.size(), null);
    }
    Backend listening = made.isEmpty() ? listening(name, its, check) : null;
    if (listening != null) {
      builder.backend(listening);
      return;
    }
    requireNothingSet(name, its, check);
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

  /** One of ours, if it is on the class path. */
  private @Nullable Backend listening(String name, EngineProperties its, PropertyCheck check) {
    return switch (name) {
      case "tcp" -> isPresent("tcp.TcpBackend") ? Listening.OverTcp.of(its, bundles, check) : null;
      case "libfabric" ->
          isPresent("libfabric.LibfabricBackend")
              ? Listening.OverLibfabric.of(its, bundles, check)
              : null;
      case "ibverbs" ->
          isPresent("ibverbs.IbverbsBackend")
              ? Listening.OverIbverbs.of(its, bundles, check)
              : null;
      default -> null;
    };
  }

  private static boolean isPresent(String name) {
    return ClassUtils.isPresent(
        "io.reactivetransfer." + name, BackendChoice.class.getClassLoader());
  }

  /** Where it listens, and who may talk with it, is then known to who has made the backend. */
  private static void requireNothingSet(String name, EngineProperties its, PropertyCheck check) {
    String property =
        its.getHost() != null
            ? "host"
            : its.getPort() != null
                ? "port"
                : its.getAdvertisedHost() != null
                    ? "advertised-host"
                    : its.getSsl().getBundle() != null
                        ? "ssl.bundle"
                        : hasSecret(its) ? "secret" : null;
    if (property != null) {
      throw check.refused(
          property,
          "expected nothing for backend "
              + name
              + ", which these properties cannot set up; define a bean of type Backend that is"
              + " set up so",
          null);
    }
  }

  private static boolean hasSecret(EngineProperties its) {
    return its.getSecret() != null
        || its.getSecretFile() != null
        || its.getPreviousSecret() != null
        || its.getPreviousSecretFile() != null
        || its.isWithoutSecret();
  }
}
