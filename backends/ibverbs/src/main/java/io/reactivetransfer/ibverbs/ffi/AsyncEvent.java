package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/**
 * What a device says without being asked.
 *
 * @param type such as {@link Ib#IBV_EVENT_PORT_ERR}
 * @param element the queue, queue pair or port that it is about
 */
public record AsyncEvent(int type, long element) {

  /** The next one, acknowledged; null if there is none. */
  public static @Nullable AsyncEvent take(Verbs verbs, long context) {
    try (Arena arena = Arena.ofConfined()) {
      long event = arena.allocate(IbLayout.EVENT_BYTES, Long.BYTES).address();
      if (verbs.ibv_get_async_event(context, event) != 0) {
        return null;
      }
      AsyncEvent taken =
          new AsyncEvent(
              Raw.getInt(IbLayout.EVENT_TYPE.in(event)),
              Raw.getLong(IbLayout.EVENT_ELEMENT.in(event)));
      verbs.ibv_ack_async_event(event);
      return taken;
    }
  }

  /** The number of a port that it is about. */
  public int port() {
    return (int) element;
  }
}
