package io.reactivetransfer.ibverbs;

import io.reactivetransfer.ffm.Errno;
import io.reactivetransfer.ffm.NativeLibrary;
import io.reactivetransfer.ffm.SignalHandlers;
import io.reactivetransfer.ibverbs.ffi.Verbs;
import io.reactivetransfer.ibverbs.ffi.VerbsByLinker;
import io.reactivetransfer.spi.BackendException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** The loaded library, once in a process. */
final class VerbsLibrary {

  private static final Map<String, VerbsLibrary> LOADED = new ConcurrentHashMap<>();

  private final String name;
  private final Verbs verbs;

  private VerbsLibrary(String name) {
    this(name, guarded(() -> new VerbsByLinker(NativeLibrary.open(name))));
  }

  /** Over calls that are there already. */
  VerbsLibrary(String name, Verbs verbs) {
    this.name = name;
    this.verbs = verbs;
  }

  /**
   * Loads it, unless it is loaded.
   *
   * @throws BackendException if it cannot be loaded, or is not what was expected
   */
  static VerbsLibrary load(String name) {
    return LOADED.computeIfAbsent(name, VerbsLibrary::new);
  }

  Verbs verbs() {
    return verbs;
  }

  /** Does what may make a library install handlers of signals, and puts the JVM's back. */
  static <T> T guarded(Supplier<T> opening) {
    return SignalHandlers.alone(() -> restoring(opening));
  }

  private static <T> T restoring(Supplier<T> opening) {
    SignalHandlers handlers = SignalHandlers.save();
    try {
      return opening.get();
    } finally {
      handlers.restore();
    }
  }

  /** What a call has failed with. */
  static BackendException failure(String call, long result) {
    int code = (int) -result;
    return new BackendException(
        code, call + " failed with " + Errno.text(code) + remedy(call, code));
  }

  private static String remedy(String call, int code) {
    if (call.equals("ibv_reg_mr_iova2") && code == 12) {
      return "; this process may not pin so much memory: raise its limit, by 'ulimit -l unlimited'"
          + " before this JVM starts, by memlock in /etc/security/limits.conf, or by LimitMEMLOCK"
          + " of the service";
    }
    if (call.equals("ibv_open_device") && (code == 13 || code == 1)) {
      return "; this process may not open the files in /dev/infiniband";
    }
    return "";
  }

  /**
   * What a call gave.
   *
   * @throws BackendException if that is a negated errno
   */
  static long require(String call, long result) {
    if (result < 0) {
      throw failure(call, result);
    }
    return result;
  }

  @Override
  public String toString() {
    return name;
  }
}
