package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * What is read of objects that libibverbs gives, and how those are asked for that take a structure.
 */
public final class Handles {

  private Handles() {}

  /** A device and its name. */
  public record Device(long address, String name) {}

  /**
   * The devices in a list.
   *
   * @param list of {@link Verbs#ibv_get_device_list}
   */
  public static List<Device> devices(Verbs verbs, long list, int count) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long device = Raw.getLong(list + (long) i * Long.BYTES);
      devices.add(new Device(device, verbs.ibv_get_device_name(device)));
    }
    return devices;
  }

  public static int asyncDescriptor(long context) {
    return Raw.getInt(IbLayout.CONTEXT_ASYNC_FD.in(context));
  }

  public static int descriptor(long channel) {
    return Raw.getInt(IbLayout.CHANNEL_FD.in(channel));
  }

  public static int lkey(long mr) {
    return Raw.getInt(IbLayout.MR_LKEY.in(mr));
  }

  public static int rkey(long mr) {
    return Raw.getInt(IbLayout.MR_RKEY.in(mr));
  }

  /** The number by which completions and peers name a queue pair. */
  public static int number(long qp) {
    return Raw.getInt(IbLayout.QP_NUMBER.in(qp));
  }

  /** A shared receive queue for requests that take no bytes. */
  public static long createSrq(Verbs verbs, long pd, int receives) {
    try (Arena arena = Arena.ofConfined()) {
      long attr = arena.allocate(IbLayout.SRQ_INIT_ATTR_BYTES, Long.BYTES).address();
      Raw.putInt(IbLayout.SRQ_MAX_WR.in(attr), receives);
      Raw.putInt(IbLayout.SRQ_MAX_SGE.in(attr), 1);
      return verbs.ibv_create_srq(pd, attr);
    }
  }

  /**
   * A queue pair as a device has made it.
   *
   * @param qp a negated errno where it was not made
   * @param inlineBytes up to so many are copied into a request, more or less than were asked for
   */
  public record NewQueuePair(long qp, int inlineBytes) {}

  /**
   * A reliable connected queue pair.
   *
   * @param srq whose receives it takes; 0 for none, and then nothing can be sent to it
   * @param sends work requests that may be out
   * @param inlineBytes up to so many are to be copied into a request; 0 for none
   */
  public static NewQueuePair createQp(
      Verbs verbs, long pd, long cq, long srq, int sends, int inlineBytes) {
    try (Arena arena = Arena.ofConfined()) {
      long attr = arena.allocate(IbLayout.QP_INIT_ATTR_BYTES, Long.BYTES).address();
      Raw.putLong(IbLayout.INIT_SEND_CQ.in(attr), cq);
      Raw.putLong(IbLayout.INIT_RECV_CQ.in(attr), cq);
      Raw.putLong(IbLayout.INIT_SRQ.in(attr), srq);
      Raw.putInt(IbLayout.INIT_MAX_SEND.in(attr), sends);
      Raw.putInt(IbLayout.INIT_MAX_SEND_SGE.in(attr), 1);
      Raw.putInt(IbLayout.INIT_INLINE.in(attr), inlineBytes);
      Raw.putInt(IbLayout.INIT_TYPE.in(attr), Ib.IBV_QPT_RC);
      long qp = verbs.ibv_create_qp(pd, attr);
      return new NewQueuePair(qp, Raw.getInt(IbLayout.INIT_INLINE.in(attr)));
    }
  }

  /**
   * Takes an event of a completion channel and acknowledges it; a negated errno if there is none.
   */
  public static int takeCqEvent(Verbs verbs, long channel) {
    try (Arena arena = Arena.ofConfined()) {
      long cq = arena.allocate(ValueLayout.JAVA_LONG).address();
      long context = arena.allocate(ValueLayout.JAVA_LONG).address();
      int result = verbs.ibv_get_cq_event(channel, cq, context);
      if (result == 0) {
        verbs.ibv_ack_cq_events(Raw.getLong(cq), 1);
      }
      return result;
    }
  }
}
