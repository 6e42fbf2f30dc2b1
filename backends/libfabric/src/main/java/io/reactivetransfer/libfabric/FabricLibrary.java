package io.reactivetransfer.libfabric;

import io.reactivetransfer.ffm.NativeLibrary;
import io.reactivetransfer.ffm.ProcessEnvironment;
import io.reactivetransfer.ffm.SignalHandlers;
import io.reactivetransfer.libfabric.ffi.FiInfo;
import io.reactivetransfer.libfabric.ffi.LibFabric;
import io.reactivetransfer.libfabric.ffi.LibFabricByLinker;
import io.reactivetransfer.spi.BackendException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * The loaded library, once in a process, and what guards the JVM from it. Libraries that libfabric
 * brings along install handlers for SIGSEGV and others when they are loaded, and one of its
 * providers does when it is first used; with these, the first null check in compiled code would end
 * the JVM.
 */
final class FabricLibrary {

  private static final Logger LOG = Loggers.getLogger(FabricLibrary.class);

  /** What keeps libraries that are known to do so from installing handlers when loaded. */
  private static final Map<String, String> GUARDS =
      Map.of("IPATH_NO_BACKTRACE", "1", "HFI_NO_BACKTRACE", "1", "UCX_ERROR_SIGNALS", "");

  /**
   * For the layer rxm, unless they are set. An endpoint allocates 70 MB for a receive context that
   * its connections share, or 17 MB for each connection, which takes 10 to 30 ms; without the
   * context and with small buffers it is 1 MB; the buffers are for messages, of which there are
   * none. Connections that are being made are looked after every 10 ms, or 0.1 ms.
   */
  private static final Map<String, String> TUNING =
      Map.of(
          "FI_OFI_RXM_USE_SRX", "0",
          "FI_OFI_RXM_BUFFER_SIZE", "1024",
          "FI_OFI_RXM_CM_PROGRESS_INTERVAL", "100");

  private static final Map<String, FabricLibrary> LOADED = new ConcurrentHashMap<>();

  /** Libraries that are not used, with the signals whose handlers they took. */
  private static final Map<NativeLibrary, List<String>> REFUSED = new ConcurrentHashMap<>();

  private final LibFabric lib;
  private final String name;
  private final Map<LibfabricSettings, ProviderChoice> choices = new ConcurrentHashMap<>();
  private final Map<LibfabricSettings, List<FiInfo>> devices = new ConcurrentHashMap<>();
  private volatile @Nullable BackendException refusal;

  private FabricLibrary(String name) {
    this(name, new LibFabricByLinker(SignalHandlers.alone(() -> open(name))));
  }

  /** Over calls that are there already. */
  FabricLibrary(String name, LibFabric lib) {
    this.name = name;
    this.lib = lib;
  }

  private static NativeLibrary open(String name) {
    GUARDS.forEach(ProcessEnvironment::setIfAbsent);
    TUNING.forEach(ProcessEnvironment::setIfAbsent);
    ProviderVariables.OFF.forEach(ProcessEnvironment::setIfAbsent);
    SignalHandlers handlers = SignalHandlers.save();
    NativeLibrary library;
    List<String> taken;
    try {
      library = NativeLibrary.open(name);
    } finally {
      taken = handlers.changed();
      handlers.restore();
    }
    if (!taken.isEmpty()) {
      REFUSED.put(library, taken);
    }
    // Its constructors run once in a process: the second time, it takes nothing.
    REFUSED.forEach((refused, signals) -> {
      if (refused.isSameAs(library)) {
        throw new BackendException(
            0,
            name
                + " took the JVM's handlers of "
                + String.join(", ", signals)
                + " when it was loaded, or a library that it needs did; they were put back, and it"
                + " is not used: use a build of libfabric without that library");
      }
    });
    return library;
  }

  /**
   * Loads it, unless it is loaded.
   *
   * @throws BackendException if it cannot be loaded, or takes the JVM's signal handlers, or has
   *     done so before
   */
  static FabricLibrary load(String name) {
    return LOADED.computeIfAbsent(name, FabricLibrary::new);
  }

  LibFabric lib() {
    return lib;
  }

  /**
   * The provider for these settings; looked for until one was found.
   *
   * @throws BackendException if there is none, or the library is not used any more
   */
  ProviderChoice choose(LibfabricSettings settings) {
    requireHandlers();
    return choices.computeIfAbsent(
        settings, wanted -> guarded(() -> ProviderChoice.choose(lib, wanted)));
  }

  /**
   * What to open a NIC with, so that it reads and writes accelerators by itself; what there is
   * already where its provider cannot do that. Asked once.
   */
  FiInfo forDevices(LibfabricSettings settings, ProviderChoice choice, FiInfo info) {
    List<FiInfo> found =
        devices.computeIfAbsent(
            settings,
            wanted -> {
              try {
                return guarded(() -> choice.forDevices(lib, wanted));
              } catch (BackendException e) {
                LOG.debug(
                    "NICs of {} reach no accelerators: {}", choice.provider(), e.getMessage());
                return List.of();
              }
            });
    return found.stream()
        .filter(each -> each.domain().equals(info.domain()) && each.reachesDevices())
        .findFirst()
        .orElse(info);
  }

  /**
   * Does what may make a provider install signal handlers, and puts the JVM's back.
   *
   * @throws BackendException if they cannot be put back, now or when it was tried before
   */
  <T> T guarded(Supplier<T> opening) {
    return SignalHandlers.alone(() -> restoring(opening));
  }

  private <T> T restoring(Supplier<T> opening) {
    requireHandlers();
    SignalHandlers handlers = SignalHandlers.save();
    T opened;
    try {
      opened = opening.get();
    } finally {
      putBack(handlers);
    }
    requireHandlers();
    return opened;
  }

  /** Whether that went well is kept: whoever saves the handlers next saves the wrong ones. */
  private void putBack(SignalHandlers handlers) {
    try {
      handlers.restore();
      List<String> taken = handlers.changed();
      if (!taken.isEmpty()) {
        refusal =
            new BackendException(
                0,
                name
                    + " keeps the JVM's handlers of "
                    + String.join(", ", taken)
                    + ", and is not used any more in this process");
      }
    } catch (BackendException e) {
      refusal = e;
    }
  }

  private void requireHandlers() {
    BackendException known = refusal;
    if (known != null) {
      throw new BackendException(known.code(), String.valueOf(known.getMessage()));
    }
  }

  @Override
  public String toString() {
    return "libfabric " + Provider.text(lib.fi_version()) + " (" + name + ")";
  }
}
