package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import io.reactivetransfer.tck.driver.FailingCalls;
import java.lang.reflect.Method;
import java.util.Set;

/** Calls of which one fails, for want of memory. */
public final class FailingVerbs extends FailingCalls<Verbs> {

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

  /**
   * Wraps another one.
   *
   * @param failing the number of the call that fails, from 1; 0 for none
   */
  public FailingVerbs(Verbs real, long failing) {
    super(Verbs.class, real, failing);
  }

  @Override
  protected boolean counts(String name) {
    return !NOT_COUNTED.contains(name);
  }

  @Override
  protected Object failure(Method method, Object[] arguments) {
    if (method.getName().equals("ibv_post_send")) {
      Raw.putLong((long) arguments[2], (long) arguments[1]);
    }
    return method.getReturnType() == long.class ? (Object) (long) -ENOMEM : (Object) (-ENOMEM);
  }
}
