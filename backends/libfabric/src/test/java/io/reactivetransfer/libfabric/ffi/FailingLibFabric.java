package io.reactivetransfer.libfabric.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SequencedMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes the calls of another, but for the n-th one, which fails as it may. Counted is what can
 * fail, but not what is refused or finds nothing and is tried again: so runs of one scenario have
 * about the same number of calls. Keeps the books of what is open.
 *
 * <p>A call that fails is not made, with two exceptions. Binding an address vector is: an endpoint
 * of rxm without one ends the process when it is closed, up to 1.17, and binding the first one
 * cannot fail there. Completions that a failed read would have given are given by the next one.
 */
public final class FailingLibFabric {

  private static final int FI_EIO = 5;
  private static final int MOST_WAITS = 5;

  private static final Set<String> OPENING =
      Set.of(
          "fi_fabric",
          "fi_domain",
          "fi_av_open",
          "fi_cq_open",
          "fi_eq_open",
          "fi_endpoint",
          "fi_passive_ep",
          "fi_mr_reg");

  private static final Set<String> CANNOT_FAIL =
      Set.of(
          "fi_version",
          "fi_strerror",
          "fi_eq_read",
          "fi_freeinfo",
          "fi_mr_desc",
          "fi_mr_key",
          "fi_cq_strerror");

  private static final Set<String> MAY_BE_REFUSED = Set.of("fi_writemsg", "fi_trywait");

  private final LibFabric real;
  private final LibFabric lib;
  private final long failing;
  private final int error;
  private final @Nullable String always;
  private long calls;
  private @Nullable String failed;
  private final SequencedMap<Long, String> open = new LinkedHashMap<>();
  private final List<String> mistakes = new ArrayList<>();
  private long infos;
  private int waits;
  private final Map<Long, Queue<byte[]>> withheld = new HashMap<>();

  /**
   * Wraps the real one.
   *
   * @param failing the number of the call that fails, from 1; 0 for none
   * @param error what it fails with, such as {@link Fi#FI_ENOMEM}; with {@link Fi#FI_EAGAIN} only
   *     those are counted that may be refused
   */
  public FailingLibFabric(LibFabric real, long failing, int error) {
    this(real, failing, error, null);
  }

  /** Wraps the real one; each call of this name fails. */
  public static FailingLibFabric always(LibFabric real, String name) {
    return new FailingLibFabric(real, 0, Fi.FI_ENOMEM, name);
  }

  private FailingLibFabric(LibFabric real, long failing, int error, @Nullable String always) {
    this.real = real;
    this.failing = failing;
    this.error = error;
    this.always = always;
    this.lib =
        (LibFabric)
            Proxy.newProxyInstance(
                LibFabric.class.getClassLoader(),
                new Class<?>[] {LibFabric.class},
                (proxy, method, arguments) -> call(method, arguments));
  }

  /** The calls. */
  public LibFabric lib() {
    return lib;
  }

  /** Closes for real what is open, in reverse. */
  public synchronized void release() {
    List.copyOf(open.keySet()).reversed().forEach(this::closed);
  }

  /** How many calls were counted. */
  public synchronized long calls() {
    return calls;
  }

  /** The call that failed, or null. */
  public synchronized @Nullable String failed() {
    return failed;
  }

  /** What is open, one line each. */
  public synchronized List<String> open() {
    return List.copyOf(open.values());
  }

  /** Lists of infos that are not freed. */
  public synchronized long infos() {
    return infos;
  }

  /** What was closed that was not open. */
  public synchronized List<String> mistakes() {
    return List.copyOf(mistakes);
  }

  private synchronized Object call(Method method, Object[] arguments) throws Throwable {
    String name = method.getName();
    if (name.equals("fi_cq_read")) {
      return read((long) arguments[0], (long) arguments[1], (long) arguments[2]);
    }
    boolean counts = counts(name);
    if (counts && fails(name)) {
      return failure(name, arguments);
    }
    Object result = make(method, arguments);
    if (counts && isRefusal(result)) {
      calls--; // how many there are is chance
    } else if (name.equals("fi_trywait")) {
      waits++; // so it is here, and some are enough
    }
    if (OPENING.contains(name) && (int) result >= 0) {
      open.put(made(arguments), name + " of call " + calls);
    }
    infos +=
        switch (name) {
          case "fi_dupinfo" -> (long) result == 0 ? 0 : 1;
          case "fi_getinfo" -> (int) result < 0 ? 0 : 1;
          case "fi_freeinfo" -> -1;
          default -> 0;
        };
    return result;
  }

  private static boolean isRefusal(Object result) {
    return result instanceof Number number && number.longValue() == -Fi.FI_EAGAIN;
  }

  private boolean counts(String name) {
    if (name.equals("fi_trywait") && waits == MOST_WAITS) {
      return false;
    }
    return error == Fi.FI_EAGAIN ? MAY_BE_REFUSED.contains(name) : !CANNOT_FAIL.contains(name);
  }

  private boolean fails(String name) {
    if (++calls != failing && !name.equals(always)) {
      return false;
    }
    failed = name;
    return true;
  }

  private Object failure(String name, Object[] arguments) {
    return switch (name) {
      case "fi_dupinfo" -> 0L;
      case "fi_av_insert" -> 0;
      case "fi_close" -> -Fi.FI_EBUSY;
      case "fi_ep_bind" -> {
        if (open.getOrDefault((long) arguments[1], "").startsWith("fi_av_open")) {
          real.fi_ep_bind((long) arguments[0], (long) arguments[1], (long) arguments[2]);
        }
        yield -error;
      }
      case "fi_cq_readerr", "fi_eq_readerr" -> -(long) Fi.FI_EAGAIN;
      case "fi_trywait" -> -Fi.FI_EAGAIN;
      default -> MAY_BE_REFUSED.contains(name) ? (Object) (long) -error : (Object) (-error);
    };
  }

  private Object make(Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("fi_close")) {
      return closed((long) arguments[0]);
    }
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private int closed(long fid) {
    if (open.remove(fid) == null) {
      mistakes.add("closed something that is not open, behind call " + calls);
      return 0; // it would end the JVM
    }
    withheld.remove(fid);
    int result = real.fi_close(fid);
    if (result < 0) {
      mistakes.add("close failed: " + real.fi_strerror(-result));
    }
    return result;
  }

  private static long made(Object[] arguments) {
    return Raw.getLong((long) arguments[arguments.length - 1]);
  }

  private long read(long cq, long entries, long count) {
    Queue<byte[]> kept = withheld.computeIfAbsent(cq, key -> new ArrayDeque<>());
    long read = kept.isEmpty() ? real.fi_cq_read(cq, entries, count) : restored(kept, entries);
    boolean empty = read == 0 || read == -Fi.FI_EAGAIN;
    if (empty || error == Fi.FI_EAGAIN || !fails("fi_cq_read")) {
      return read;
    }
    for (long i = 0; i < read; i++) {
      kept.add(bytes(entries + i * FiLayout.ENTRY_BYTES));
    }
    return -FI_EIO;
  }

  /** One of those that a failed read had found. */
  private static long restored(Queue<byte[]> kept, long entry) {
    byte[] bytes = kept.remove();
    for (int i = 0; i < bytes.length; i += Long.BYTES) {
      Raw.putLong(entry + i, ByteBuffer.wrap(bytes).getLong(i));
    }
    return 1;
  }

  private static byte[] bytes(long entry) {
    ByteBuffer bytes = ByteBuffer.allocate((int) FiLayout.ENTRY_BYTES);
    while (bytes.hasRemaining()) {
      bytes.putLong(Raw.getLong(entry + bytes.position()));
    }
    return bytes.array();
  }
}
