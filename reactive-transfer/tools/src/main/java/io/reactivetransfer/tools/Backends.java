package io.reactivetransfer.tools;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.ibverbs.IbverbsBackend;
import io.reactivetransfer.libfabric.LibfabricBackend;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.tcp.TcpBackend;
import java.util.Iterator;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Asks a backend before any process is started. */
public final class Backends {

  private Backends() {}

  /**
   * The backend of this name can run here, with as many NICs.
   *
   * @throws BackendUnavailableException if not; says why, and how to mend it
   */
  public static void requireAvailable(String name, int nics) {
    // If there is none, who opens the engine says so.
    find(name).ifPresent(backend -> requireAvailable(backend, nics));
  }

  /**
   * The backend of this name, for whoever puts something before it.
   *
   * @throws BackendUnavailableException if there is none
   */
  public static Backend named(String name) {
    return find(name)
        .orElseThrow(() -> new BackendUnavailableException("no backend is called '" + name + "'"));
  }

  private static Optional<Backend> find(String name) {
    Iterator<Backend> found = ServiceLoader.load(Backend.class).iterator();
    while (found.hasNext()) {
      try {
        Backend backend = found.next();
        if (backend.name().equals(name)) {
          return Optional.of(backend);
        }
      } catch (ServiceConfigurationError broken) {
        // It is another one's.
      }
    }
    return Optional.empty();
  }

  /**
   * Builds engines of the backend of this name.
   *
   * @param host the address of this machine that they listen on, for networks that one trusts; null
   *     for the backend's default
   * @throws IllegalArgumentException if there is an address, and it does not listen on any
   */
  public static TransferEngineBuilder engine(String name, @Nullable String host) {
    TransferEngineBuilder builder = TransferEngineBuilder.create();
    if (host == null) {
      return builder.backend(name);
    }
    return switch (name) {
      case "tcp" -> builder.backend(TcpBackend.builder().host(host).withoutSecret().build());
      case "libfabric" ->
          builder.backend(LibfabricBackend.builder().host(host).withoutSecret().build());
      case "ibverbs" ->
          builder.backend(IbverbsBackend.builder().host(host).withoutSecret().build());
      default ->
          throw new IllegalArgumentException("expected a backend between hosts, got " + name);
    };
  }

  private static void requireAvailable(Backend backend, int nics) {
    if (backend.availability() instanceof Availability.Unavailable no) {
      throw new BackendUnavailableException(
          backend.name() + " cannot run here: " + no.reason() + "; fix: " + no.remedy());
    }
    try {
      backend.nics(nics);
    } catch (BackendException e) {
      throw new BackendUnavailableException("--nics " + nics + ": " + e.getMessage());
    }
  }
}
