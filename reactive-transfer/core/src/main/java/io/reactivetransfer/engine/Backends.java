package io.reactivetransfer.engine;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.engine.base.Signals;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** Finds backends on the class path. */
final class Backends {

  private Backends() {}

  /**
   * The backend of this name.
   *
   * @throws BackendUnavailableException if there is none; the text lists those that there are, and
   *     why those that cannot run cannot
   */
  static Backend named(String name) {
    List<Backend> all = new ArrayList<>();
    List<String> broken = new ArrayList<>();
    Iterator<Backend> found = ServiceLoader.load(Backend.class).iterator();
    while (found.hasNext()) {
      try {
        all.add(found.next());
      } catch (ServiceConfigurationError e) {
        broken.add(Signals.textOf(e));
      }
    }
    for (Backend backend : all) {
      if (backend.name().equals(name)) {
        return backend;
      }
    }
    String known =
        all.isEmpty()
            ? "none; add the artifact of a backend, such as reactive-transfer-tcp"
            : all.stream().map(Backends::describe).collect(Collectors.joining(", "));
    String failing = broken.isEmpty() ? "" : "; could not be loaded: " + broken;
    throw new BackendUnavailableException(
        "no backend is called '" + name + "'; on the class path: " + known + failing);
  }

  /**
   * Checks that it can run here.
   *
   * @throws BackendUnavailableException if not
   */
  static void requireAvailable(Backend backend) {
    if (backend.availability() instanceof Availability.Unavailable no) {
      throw new BackendUnavailableException(
          "backend '" + backend.name() + "' cannot run here: " + no.reason() + "; " + no.remedy());
    }
  }

  private static String describe(Backend backend) {
    return switch (backend.availability()) {
      case Availability.Available yes -> backend.name();
      case Availability.Unavailable no -> backend.name() + " (not available: " + no.reason() + ")";
    };
  }
}
