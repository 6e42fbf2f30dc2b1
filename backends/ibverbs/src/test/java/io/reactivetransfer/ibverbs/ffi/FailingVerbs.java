package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes the calls of another, but for the n-th one, or each of one name, which is not made and
 * fails. Counted is what can fail, but not what is asked again and again whether there is
 * something: so runs of one scenario have about the same number of calls.
 */
public final class FailingVerbs {

  private static final int ENOMEM = 12;

  private static final Set<String> NOT_COUNTED =
      Set.of(
          "ibv_free_device_list",
          "ibv_get_device_name",
          "ibv_ack_cq_events",
          "ibv_ack_async_event",
          "ibv_wc_status_str",
          "ibv_event_type_str",
          "ibv_poll_cq",
          "ibv_get_cq_event",
          "ibv_get_async_event");

  private final Verbs real;
  private final Verbs verbs;
  private final long failing;
  private @Nullable String always;
  private long calls;
  private @Nullable String failed;

  /**
   * Wraps another one.
   *
   * @param failing the number of the call that fails, from 1; 0 for none
   */
  public FailingVerbs(Verbs real, long failing) {
    this.real = real;
    this.failing = failing;
    verbs =
        (Verbs)
            Proxy.newProxyInstance(
                Verbs.class.getClassLoader(),
                new Class<?>[] {Verbs.class},
                (self, method, arguments) -> call(method, arguments));
  }

  /** The calls. */
  public Verbs verbs() {
    return verbs;
  }

  /** From now on each call of this name fails; null for none. */
  public synchronized void always(@Nullable String name) {
    always = name;
  }

  /** The call that failed first, or null. */
  public synchronized @Nullable String failed() {
    return failed;
  }

  private synchronized boolean isToFail(String name) {
    boolean isIt = name.equals(always) || (!NOT_COUNTED.contains(name) && ++calls == failing);
    if (isIt && failed == null) {
      failed = name;
    }
    return isIt;
  }

  private Object call(Method method, Object[] arguments) throws Throwable {
    if (isToFail(method.getName())) {
      if (method.getName().equals("ibv_post_send")) {
        Raw.putLong((long) arguments[2], (long) arguments[1]);
      }
      return method.getReturnType() == long.class ? (Object) (long) -ENOMEM : (Object) (-ENOMEM);
    }
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
