package io.reactivetransfer.ibverbs.ffi;

import static io.reactivetransfer.ffm.ffi.Calls.catching;
import static io.reactivetransfer.ffm.ffi.Calls.handle;
import static io.reactivetransfer.ffm.ffi.Calls.linkVariadic;
import static io.reactivetransfer.ffm.ffi.Calls.orErrno;
import static io.reactivetransfer.ffm.ffi.Calls.pointerOrErrno;
import static io.reactivetransfer.ffm.ffi.Calls.unexpected;
import static io.reactivetransfer.ffm.ffi.Calls.voidHandle;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.reactivetransfer.ffm.NativeLibrary;
import io.reactivetransfer.ffm.ffi.CField;
import io.reactivetransfer.ffm.ffi.Calls;
import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The calls, made through method handles: one for each signature, whose first argument is the
 * pointer. Posting and polling go through the table of the device's driver, as the inline functions
 * of the header do. Plain calls, not critical ones: Soft-RoCE sends whole writes within the system
 * call, and a critical call would hold up every safepoint of the JVM.
 */
public final class VerbsByLinker implements Verbs {

  private static final int F_GETFL = 3;
  private static final int F_SETFL = 4;
  private static final int O_NONBLOCK = 0x800;
  private static final int EOPNOTSUPP = 95;

  // by result and arguments: I is an int, L a long or a pointer; E puts errno where it is told
  private static final MethodHandle I_L = handle(JAVA_INT, JAVA_LONG);
  private static final MethodHandle I_LI = handle(JAVA_INT, JAVA_LONG, JAVA_INT);
  private static final MethodHandle I_LL = handle(JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle I_LIL = handle(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG);
  private static final MethodHandle I_LLI = handle(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle I_LLL = handle(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle I_GID =
      handle(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG);
  private static final MethodHandle E_I_LL = catching(JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle E_I_LLL = catching(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle E_L_L = catching(JAVA_LONG, JAVA_LONG);
  private static final MethodHandle E_L_LL = catching(JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle E_L_LLLLI =
      catching(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle E_L_LLLLII =
      catching(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT);
  private static final MethodHandle E_L_CQ =
      catching(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle L_L = handle(JAVA_LONG, JAVA_LONG);
  private static final MethodHandle L_I = handle(JAVA_LONG, JAVA_INT);
  private static final MethodHandle V_L = voidHandle(JAVA_LONG);
  private static final MethodHandle V_LI = voidHandle(JAVA_LONG, JAVA_INT);
  private static final MethodHandle FCNTL =
      linkVariadic("fcntl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT), 2);

  private final MemorySegment getDeviceList;
  private final MemorySegment freeDeviceList;
  private final MemorySegment getDeviceName;
  private final MemorySegment openDevice;
  private final MemorySegment closeDevice;
  private final MemorySegment queryDevice;
  private final MemorySegment queryPort;
  private final MemorySegment queryGid;
  private final MemorySegment allocPd;
  private final MemorySegment deallocPd;
  private final MemorySegment regMr;
  private final MemorySegment regDmaBufMr;
  private final MemorySegment deregMr;
  private final MemorySegment createChannel;
  private final MemorySegment destroyChannel;
  private final MemorySegment createCq;
  private final MemorySegment destroyCq;
  private final MemorySegment getCqEvent;
  private final MemorySegment ackCqEvents;
  private final MemorySegment createSrq;
  private final MemorySegment destroySrq;
  private final MemorySegment createQp;
  private final MemorySegment modifyQp;
  private final MemorySegment destroyQp;
  private final MemorySegment getAsyncEvent;
  private final MemorySegment ackAsyncEvent;
  private final MemorySegment statusText;
  private final MemorySegment eventText;

  /**
   * Looks the calls up.
   *
   * @throws io.reactivetransfer.spi.BackendException if the library lacks one, and so is too old or
   *     another
   */
  public VerbsByLinker(NativeLibrary library) {
    getDeviceList = function(library, "ibv_get_device_list");
    freeDeviceList = function(library, "ibv_free_device_list");
    getDeviceName = function(library, "ibv_get_device_name");
    openDevice = function(library, "ibv_open_device");
    closeDevice = function(library, "ibv_close_device");
    queryDevice = function(library, "ibv_query_device");
    queryPort = function(library, "ibv_query_port");
    queryGid = function(library, "_ibv_query_gid_ex");
    allocPd = function(library, "ibv_alloc_pd");
    deallocPd = function(library, "ibv_dealloc_pd");
    regMr = function(library, "ibv_reg_mr_iova2");
    // Since rdma-core 34; nothing but memory of accelerators needs it.
    regDmaBufMr = MemorySegment.ofAddress(library.find("ibv_reg_dmabuf_mr").orElse(0));
    deregMr = function(library, "ibv_dereg_mr");
    createChannel = function(library, "ibv_create_comp_channel");
    destroyChannel = function(library, "ibv_destroy_comp_channel");
    createCq = function(library, "ibv_create_cq");
    destroyCq = function(library, "ibv_destroy_cq");
    getCqEvent = function(library, "ibv_get_cq_event");
    ackCqEvents = function(library, "ibv_ack_cq_events");
    createSrq = function(library, "ibv_create_srq");
    destroySrq = function(library, "ibv_destroy_srq");
    createQp = function(library, "ibv_create_qp");
    modifyQp = function(library, "ibv_modify_qp");
    destroyQp = function(library, "ibv_destroy_qp");
    getAsyncEvent = function(library, "ibv_get_async_event");
    ackAsyncEvent = function(library, "ibv_ack_async_event");
    statusText = function(library, "ibv_wc_status_str");
    eventText = function(library, "ibv_event_type_str");
  }

  private static MemorySegment function(NativeLibrary library, String name) {
    return MemorySegment.ofAddress(library.symbol(name));
  }

  /** A call of the device's driver, from what belongs to a device. */
  private static MemorySegment driver(long object, CField context, CField call) {
    return MemorySegment.ofAddress(Raw.getLong(call.in(Raw.getLong(context.in(object)))));
  }

  @Override
  public long ibv_get_device_list(long count) {
    return pointer(E_L_L, getDeviceList, count);
  }

  @Override
  public void ibv_free_device_list(long list) {
    done(freeDeviceList, list);
  }

  @Override
  public String ibv_get_device_name(long device) {
    try {
      return Raw.getString((long) L_L.invokeExact(getDeviceName, device));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public long ibv_open_device(long device) {
    return pointer(E_L_L, openDevice, device);
  }

  @Override
  public int ibv_close_device(long context) {
    return number(closeDevice, context);
  }

  @Override
  public int ibv_query_device(long context, long attr) {
    try {
      return negated((int) I_LL.invokeExact(queryDevice, context, attr));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int ibv_query_port(long context, int port, long attr) {
    try {
      return negated((int) I_LIL.invokeExact(queryPort, context, port, attr));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int ibv_query_gid_ex(long context, int port, int index, long entry) {
    try {
      return negated(
          (int)
              I_GID.invokeExact(
                  queryGid, context, port, index, entry, 0, IbLayout.GID_ENTRY_BYTES));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public long ibv_alloc_pd(long context) {
    return pointer(E_L_L, allocPd, context);
  }

  @Override
  public int ibv_dealloc_pd(long pd) {
    return number(deallocPd, pd);
  }

  @Override
  public long ibv_reg_mr_iova2(long pd, long address, long length, long iova, int access) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(Calls.CAPTURED);
      long mr = (long) E_L_LLLLI.invokeExact(regMr, errno, pd, address, length, iova, access);
      return pointerOrErrno(mr, errno);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public long ibv_reg_dmabuf_mr(
      long pd, long offset, long length, long iova, int descriptor, int access) {
    if (!knowsDmaBufs()) {
      return -EOPNOTSUPP;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(Calls.CAPTURED);
      long mr =
          (long)
              E_L_LLLLII.invokeExact(
                  regDmaBufMr, errno, pd, offset, length, iova, descriptor, access);
      return pointerOrErrno(mr, errno);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public boolean knowsDmaBufs() {
    return regDmaBufMr.address() != 0;
  }

  @Override
  public int ibv_dereg_mr(long mr) {
    return number(deregMr, mr);
  }

  @Override
  public long ibv_create_comp_channel(long context) {
    return pointer(E_L_L, createChannel, context);
  }

  @Override
  public int ibv_destroy_comp_channel(long channel) {
    return number(destroyChannel, channel);
  }

  @Override
  public long ibv_create_cq(long context, int entries, long channel) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(Calls.CAPTURED);
      long cq = (long) E_L_CQ.invokeExact(createCq, errno, context, entries, 0L, channel, 0);
      return pointerOrErrno(cq, errno);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int ibv_destroy_cq(long cq) {
    return number(destroyCq, cq);
  }

  @Override
  public int ibv_poll_cq(long cq, int count, long wcs) {
    try {
      return (int)
          I_LIL.invokeExact(
              driver(cq, IbLayout.CQ_CONTEXT, IbLayout.CONTEXT_POLL_CQ), cq, count, wcs);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int ibv_req_notify_cq(long cq) {
    try {
      return negated(
          (int)
              I_LI.invokeExact(
                  driver(cq, IbLayout.CQ_CONTEXT, IbLayout.CONTEXT_REQ_NOTIFY), cq, 0));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int ibv_get_cq_event(long channel, long cq, long cqContext) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(Calls.CAPTURED);
      int result = (int) E_I_LLL.invokeExact(getCqEvent, errno, channel, cq, cqContext);
      return orErrno(result, errno);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public void ibv_ack_cq_events(long cq, int count) {
    try {
      V_LI.invokeExact(ackCqEvents, cq, count);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public long ibv_create_srq(long pd, long attr) {
    return pointer(createSrq, pd, attr);
  }

  @Override
  public int ibv_destroy_srq(long srq) {
    return number(destroySrq, srq);
  }

  @Override
  public int ibv_post_srq_recv(long srq, long wr, long badWr) {
    try {
      return negated(
          (int)
              I_LLL.invokeExact(
                  driver(srq, IbLayout.SRQ_CONTEXT, IbLayout.CONTEXT_POST_SRQ), srq, wr, badWr));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public long ibv_create_qp(long pd, long attr) {
    return pointer(createQp, pd, attr);
  }

  @Override
  public int ibv_modify_qp(long qp, long attr, int mask) {
    try {
      return negated((int) I_LLI.invokeExact(modifyQp, qp, attr, mask));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int ibv_destroy_qp(long qp) {
    return number(destroyQp, qp);
  }

  @Override
  public int ibv_post_send(long qp, long wr, long badWr) {
    try {
      return negated(
          (int)
              I_LLL.invokeExact(
                  driver(qp, IbLayout.QP_CONTEXT, IbLayout.CONTEXT_POST_SEND), qp, wr, badWr));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int ibv_get_async_event(long context, long event) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(Calls.CAPTURED);
      int result = (int) E_I_LL.invokeExact(getAsyncEvent, errno, context, event);
      return orErrno(result, errno);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public void ibv_ack_async_event(long event) {
    done(ackAsyncEvent, event);
  }

  @Override
  public String ibv_wc_status_str(int status) {
    return text(statusText, status);
  }

  @Override
  public String ibv_event_type_str(int type) {
    return text(eventText, type);
  }

  @Override
  public int nonBlocking(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(Calls.CAPTURED);
      int flags = (int) FCNTL.invokeExact(errno, descriptor, F_GETFL, 0);
      if (flags < 0) {
        return orErrno(flags, errno);
      }
      int result = (int) FCNTL.invokeExact(errno, descriptor, F_SETFL, flags | O_NONBLOCK);
      return orErrno(result, errno);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private static long pointer(MethodHandle handle, MemorySegment function, long argument) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(Calls.CAPTURED);
      return pointerOrErrno((long) handle.invokeExact(function, errno, argument), errno);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private static long pointer(MemorySegment function, long first, long second) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(Calls.CAPTURED);
      return pointerOrErrno((long) E_L_LL.invokeExact(function, errno, first, second), errno);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private static int number(MemorySegment function, long argument) {
    try {
      return negated((int) I_L.invokeExact(function, argument));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private static void done(MemorySegment function, long argument) {
    try {
      V_L.invokeExact(function, argument);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private static String text(MemorySegment function, int argument) {
    try {
      return Raw.getString((long) L_I.invokeExact(function, argument));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Most calls give an errno, and some -1. */
  private static int negated(int result) {
    return result > 0 ? -result : result;
  }
}
