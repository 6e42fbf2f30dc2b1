package io.reactivetransfer.ffm;

import io.reactivetransfer.ffm.ffi.Sigaction;
import io.reactivetransfer.ffm.ffi.Signals;
import io.reactivetransfer.ffm.ffi.SignalsByLinker;
import io.reactivetransfer.spi.BackendException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * What happened on signals at one moment, to be put back after a library was loaded or opened.
 *
 * <p>The JVM needs its handlers: compiled code checks for null, and stops for the collector, by
 * faults that its handler of {@code SIGSEGV} understands; {@code SIGBUS}, {@code SIGFPE} and {@code
 * SIGILL} are alike, and {@code SIGTERM} ends it in order. Some libraries, such as libinfinipath,
 * libucs and the shm provider of libfabric, install their own, and then the next such check ends
 * the process. It may also happen on any thread between the library's call and {@link #restore()}:
 * so save, call and restore with nothing else in between, and early, when little else runs.
 *
 * <p>Handlers belong to the process; what another thread installs meanwhile is put back, too. So
 * whoever saves does it {@linkplain #alone alone}. One object is for one thread.
 *
 * @see <a href="https://man7.org/linux/man-pages/man2/sigaction.2.html">sigaction(2)</a>
 */
public final class SignalHandlers {

  private static final String[] NAMES =
      """
      HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP
      TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS
      """
          .strip()
          .split("\\s+");

  private static final Linking<Signals> LINKING =
      Linking.here(
          SignalsByLinker::new,
          "handlers of signals are restored by sigaction",
          "sigaction",
          "use a library that installs none");

  private static final Object ONE_AT_A_TIME = new Object();

  private final Signals signals;
  private final Map<Integer, Sigaction> saved = new TreeMap<>();

  private SignalHandlers(Signals signals) {
    this.signals = signals;
    for (int signal = 1; signal <= NAMES.length; signal++) {
      if (!name(signal).equals("SIGKILL") && !name(signal).equals("SIGSTOP")) {
        saved.put(signal, now(signal));
      }
    }
  }

  /**
   * Saves, uses a library and restores while no other thread does, whatever library that uses: it
   * would save what this one's has installed, and put that back later.
   *
   * @param use all three
   */
  public static <T> T alone(Supplier<T> use) {
    synchronized (ONE_AT_A_TIME) {
      return use.get();
    }
  }

  /**
   * Saves what happens now on each signal that can be handled, but for the real-time ones.
   *
   * @throws BackendException if this is not Linux, or the JVM denies native access
   */
  public static SignalHandlers save() {
    return save(LINKING.calls("cannot save the handlers of signals"));
  }

  static SignalHandlers save(Signals signals) {
    return new SignalHandlers(signals);
  }

  /**
   * The signals whose handler or flags are not those that were saved.
   *
   * @return names such as {@code SIGSEGV}, by number; empty if all is as it was
   */
  public List<String> changed() {
    List<String> names = new ArrayList<>();
    for (Map.Entry<Integer, Sigaction> entry : saved.entrySet()) {
      if (hasChanged(entry.getKey(), entry.getValue())) {
        names.add(name(entry.getKey()));
      }
    }
    return names;
  }

  /**
   * Puts back what was saved, where it has changed.
   *
   * @throws BackendException if the system refuses, with the name of the signal
   */
  public void restore() {
    for (Map.Entry<Integer, Sigaction> entry : saved.entrySet()) {
      int signal = entry.getKey();
      if (hasChanged(signal, entry.getValue())) {
        check(signal, signals.setSigaction(signal, entry.getValue()));
      }
    }
  }

  private boolean hasChanged(int signal, Sigaction before) {
    Sigaction now = now(signal);
    return now.handler() != before.handler() || now.flags() != before.flags();
  }

  private Sigaction now(int signal) {
    Sigaction action = new Sigaction();
    check(signal, signals.getSigaction(signal, action));
    return action;
  }

  private static void check(int signal, int result) {
    if (result < 0) {
      throw new BackendException(
          -result, "sigaction of " + name(signal) + " failed with " + Errno.text(-result));
    }
  }

  private static String name(int signal) {
    return "SIG" + NAMES[signal - 1];
  }
}
