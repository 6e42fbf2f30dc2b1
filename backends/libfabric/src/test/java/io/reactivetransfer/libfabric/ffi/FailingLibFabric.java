package io.reactivetransfer.libfabric.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import io.reactivetransfer.tck.driver.FailingCalls;
import java.lang.reflect.Method;
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

/**
 * Calls of which one fails as it may. What is refused or finds nothing, and is tried again, is not
 * counted. Keeps the books of what is open.
 *
 * <p>A call that fails is not made, with two exceptions. Binding an address vector is: an endpoint
 * of rxm without one ends the process when it is closed, up to 1.17, and binding the first one
 * cannot fail there. Completions that a failed read would have given are given by the next one.
 */
public final class FailingLibFabric extends FailingCalls<LibFabric> {

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
          "fi_mr_reg",
          "fi_mr_regattr");

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
  private final int error;
  private final SequencedMap<Long, String> open = new LinkedHashMap<>();
  private final List<String> mistakes = new ArrayList<>();
  private long infos;
  private long addresses;
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
    super(LibFabric.class, real, failing);
    this.real = real;
    this.error = error;
  }

  /** Wraps the real one; each call of this name fails. */
  public static FailingLibFabric always(LibFabric real, String name) {
    FailingLibFabric failing = new FailingLibFabric(real, 0, Fi.FI_ENOMEM);
    failing.always(name);
    return failing;
  }

  /** Closes for real what is open, in reverse. */
  public synchronized void release() {
    List.copyOf(open.keySet()).reversed().forEach(this::closed);
  }

  /** What is open, one line each. */
  public synchronized List<String> open() {
    return List.copyOf(open.values());
  }

  /** Lists of infos that are not freed. */
  public synchronized long infos() {
    return infos;
  }

  /** Addresses that were taken, and not removed. */
  public synchronized long addresses() {
    return addresses;
  }

  /** What was closed that was not open. */
  public synchronized List<String> mistakes() {
    return List.copyOf(mistakes);
  }

  @Override
  protected synchronized Object call(Method method, Object[] arguments) throws Throwable {
    String name = method.getName();
    if (name.equals("fi_cq_read")) {
      return read((long) arguments[0], (long) arguments[1], (long) arguments[2]);
    }
    if (isToFail(name)) {
      return failure(method, arguments);
    }
    boolean counts = counts(name);
    Object result = make(method, arguments);
    if (counts && isRefusal(result)) {
      uncount(); // how many there are is chance
    } else if (name.equals("fi_trywait")) {
      waits++; // so it is here, and some are enough
    }
    if (OPENING.contains(name) && (int) result >= 0) {
      open.put(made(arguments), name + " of call " + counted());
    }
    addresses +=
        switch (name) {
          case "fi_av_insert" -> Math.max(0, (int) result);
          case "fi_av_remove" -> (int) result < 0 ? 0 : -1;
          default -> 0;
        };
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

  @Override
  protected boolean counts(String name) {
    if (name.equals("fi_trywait") && waits == MOST_WAITS) {
      return false;
    }
    return error == Fi.FI_EAGAIN ? MAY_BE_REFUSED.contains(name) : !CANNOT_FAIL.contains(name);
  }

  @Override
  protected Object failure(Method method, Object[] arguments) {
    String name = method.getName();
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

  @Override
  protected Object make(Method method, Object[] arguments) throws Throwable {
    return method.getName().equals("fi_close")
        ? (Object) closed((long) arguments[0])
        : super.make(method, arguments);
  }

  private int closed(long fid) {
    if (open.remove(fid) == null) {
      mistakes.add("closed something that is not open, behind call " + counted());
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
    if (empty || !isToFail("fi_cq_read")) {
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
