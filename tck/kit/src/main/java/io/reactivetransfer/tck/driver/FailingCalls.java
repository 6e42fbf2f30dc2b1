package io.reactivetransfer.tck.driver;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Makes the calls of a native library, but for the n-th one, or each of one name, which fails. A
 * subclass says what is counted: what can fail, but not what is asked again and again whether there
 * is something, so that runs of one scenario have about the same number of calls. Safe from any
 * thread.
 *
 * @param <T> the interface of the library
 */
public abstract class FailingCalls<T> {

  private static final int MOST_FAILURES = 10;

  private final Class<T> type;
  private final T real;
  private final long failing;
  private @Nullable String always;
  private long counted;
  private @Nullable String failed;

  /**
   * Wraps the real ones.
   *
   * @param failing the number of the call that fails, from 1; 0 for none
   */
  protected FailingCalls(Class<T> type, T real, long failing) {
    this.type = type;
    this.real = real;
    this.failing = failing;
  }

  /** The calls. */
  public final T calls() {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) ->
                call(method, arguments == null ? new Object[0] : arguments)));
  }

  /** From now on each call of this name fails; null for none. */
  public final synchronized void always(@Nullable String name) {
    always = name;
  }

  /** The call that failed first, or null. */
  public final synchronized @Nullable String failed() {
    return failed;
  }

  /** Whether a call of this name counts. */
  protected abstract boolean counts(String name);

  /** What a call returns that fails. It is not made, unless this makes it. */
  protected abstract Object failure(Method method, Object[] arguments);

  /** Makes a call, or fails. */
  protected @Nullable Object call(Method method, Object[] arguments) throws Throwable {
    return isToFail(method.getName()) ? failure(method, arguments) : make(method, arguments);
  }

  /** Makes a call. */
  protected @Nullable Object make(Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** Counts a call if it is to be; whether it must fail. */
  protected final synchronized boolean isToFail(String name) {
    boolean isIt = (counts(name) && ++counted == failing) || name.equals(always);
    if (isIt && failed == null) {
      failed = name;
    }
    return isIt;
  }

  /** The last call is not to be counted after all. */
  protected final synchronized void uncount() {
    counted--;
  }

  /** How many calls were counted. */
  protected final synchronized long counted() {
    return counted;
  }

  /**
   * Has a scenario bear the failure of its first call, then of its second one, and so on, until it
   * makes no more.
   *
   * @param only system property with the number of the only call to fail
   * @param runsWithout after so many runs without a failure it is over: runs differ a little
   * @param nth makes the calls of which this one fails
   * @param scenario throws what was not borne
   * @throws AssertionError if one was not borne; tells of the first ten
   */
  public static <F extends FailingCalls<?>> void failEach(
      String only, int runsWithout, LongFunction<F> nth, Consumer<F> scenario) {
    failEach(only, 1, 1, runsWithout, nth, scenario);
  }

  /**
   * The same with some of the calls, which takes less time. Calls of two kinds often take turns, so
   * several scenarios should begin with different calls.
   *
   * @param only system property with the number of the only call to fail
   * @param first the number of the call that fails first, from 1
   * @param apart by how many calls those that fail are apart, at least 1; 1 for each call
   * @param runsWithout after so many runs without a failure it is over: runs differ a little
   * @param nth makes the calls of which this one fails
   * @param scenario throws what was not borne
   * @throws AssertionError if one was not borne; tells of the first ten
   */
  public static <F extends FailingCalls<?>> void failEach(
      String only,
      int first,
      int apart,
      int runsWithout,
      LongFunction<F> nth,
      Consumer<F> scenario) {
    if (first < 1 || apart < 1) {
      throw new IllegalArgumentException(
          "expected a first call and a distance of at least 1, got " + first + " and " + apart);
    }
    Long alone = Long.getLong(only);
    AssertionError failures = new AssertionError("faults were not borne");
    int without = 0;
    for (long n = alone == null ? first : alone; without < runsWithout; n += apart) {
      F calls = nth.apply(n);
      try {
        scenario.accept(calls);
      } catch (RuntimeException | AssertionError e) {
        String again = "; to run this alone: -D" + only + "=" + n;
        String what = calls.failed() + " failed as call " + n + again;
        failures.addSuppressed(new AssertionError(what, e));
      }
      without = calls.failed() == null ? without + 1 : 0;
      if (alone != null || failures.getSuppressed().length == MOST_FAILURES) {
        break;
      }
    }
    if (failures.getSuppressed().length > 0) {
      throw failures;
    }
  }
}
