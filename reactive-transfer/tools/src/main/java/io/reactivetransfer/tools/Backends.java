package io.reactivetransfer.tools;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.BackendException;
import java.util.ServiceLoader;

/** Asks a backend before any process is started. */
public final class Backends {

  private Backends() {}

  /**
   * The backend of this name can run here, with as many NICs.
   *
   * @throws BackendUnavailableException if not; says why, and how to mend it
   */
  public static void requireAvailable(String name, int nics) {
    for (Backend backend : ServiceLoader.load(Backend.class)) {
      if (backend.name().equals(name)) {
        requireAvailable(backend, nics);
      }
    }
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
