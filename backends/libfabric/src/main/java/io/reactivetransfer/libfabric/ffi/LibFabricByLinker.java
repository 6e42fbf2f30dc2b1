package io.reactivetransfer.libfabric.ffi;

import static io.reactivetransfer.ffm.ffi.Calls.handle;
import static io.reactivetransfer.ffm.ffi.Calls.unexpected;
import static io.reactivetransfer.ffm.ffi.Calls.voidHandle;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.reactivetransfer.ffm.NativeLibrary;
import io.reactivetransfer.ffm.ffi.CField;
import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The calls, made through method handles. Most of libfabric's are inline functions of its headers,
 * which go through tables of pointers in what they are given: so one handle for each signature, and
 * the pointer is its first argument. Plain calls, not critical ones: a provider may make system
 * calls and copy megabytes, and a critical call would hold up every safepoint of the JVM.
 */
public final class LibFabricByLinker implements LibFabric {

  private static final int TEXT_BYTES = 256;

  // by result and arguments: I is an int, L a long or a pointer
  private static final MethodHandle I_L = handle(JAVA_INT, JAVA_LONG);
  private static final MethodHandle I_LIL = handle(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG);
  private static final MethodHandle I_LLI = handle(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle I_LLL = handle(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle I_LLLL =
      handle(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle I_6L =
      handle(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle I_9L =
      handle(
          JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
          JAVA_LONG, JAVA_LONG);
  private static final MethodHandle I_GETINFO =
      handle(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle I = handle(JAVA_INT);
  private static final MethodHandle V_L = voidHandle(JAVA_LONG);
  private static final MethodHandle L_L = handle(JAVA_LONG, JAVA_LONG);
  private static final MethodHandle L_I = handle(JAVA_LONG, JAVA_INT);
  private static final MethodHandle L_LLL = handle(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle L_5L =
      handle(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle L_STRERROR =
      handle(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);

  private final MemorySegment version;
  private final MemorySegment dupinfo;
  private final MemorySegment freeinfo;
  private final MemorySegment getinfo;
  private final MemorySegment strerror;
  private final MemorySegment fabricOpen;

  /**
   * Looks the calls up.
   *
   * @throws io.reactivetransfer.spi.BackendException if the library lacks one, and so is another
   */
  public LibFabricByLinker(NativeLibrary library) {
    version = function(library.symbol("fi_version"));
    dupinfo = function(library.symbol("fi_dupinfo"));
    freeinfo = function(library.symbol("fi_freeinfo"));
    getinfo = function(library.symbol("fi_getinfo"));
    strerror = function(library.symbol("fi_strerror"));
    fabricOpen = function(library.symbol("fi_fabric"));
  }

  private static MemorySegment function(long address) {
    return MemorySegment.ofAddress(address);
  }

  /** A pointer in a table that something points to. */
  private static MemorySegment function(long object, CField table, CField entry) {
    return MemorySegment.ofAddress(Raw.getLong(entry.in(Raw.getLong(table.in(object)))));
  }

  @Override
  public int fi_version() {
    try {
      return (int) I.invokeExact(version);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public long fi_dupinfo(long info) {
    try {
      return (long) L_L.invokeExact(dupinfo, info);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public void fi_freeinfo(long info) {
    try {
      V_L.invokeExact(freeinfo, info);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int fi_getinfo(int version, long node, long flags, long hints, long info) {
    try {
      return (int) I_GETINFO.invokeExact(getinfo, version, node, 0L, flags, hints, info);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public String fi_strerror(int error) {
    try {
      return Raw.getString((long) L_I.invokeExact(strerror, error));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int fi_fabric(long attr, long fabric) {
    return invoke(fabricOpen, attr, fabric, 0L);
  }

  @Override
  public int fi_domain(long fabric, long info, long domain) {
    MemorySegment call = function(fabric, FiLayout.FABRIC_OPS, FiLayout.FABRIC_OPS_DOMAIN);
    return open(call, fabric, info, domain);
  }

  @Override
  public int fi_av_open(long domain, int type, long count, long av) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attr = arena.allocate(FiLayout.AV_ATTR_BYTES, Long.BYTES);
      attr.set(JAVA_INT, FiLayout.AV_ATTR_TYPE.offset(), type);
      attr.set(JAVA_LONG, FiLayout.AV_ATTR_COUNT.offset(), count);
      MemorySegment call = function(domain, FiLayout.DOMAIN_OPS, FiLayout.DOMAIN_OPS_AV_OPEN);
      return open(call, domain, attr.address(), av);
    }
  }

  @Override
  public int fi_cq_open(long domain, long size, int waitObject, long cq) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attr = arena.allocate(FiLayout.CQ_ATTR_BYTES, Long.BYTES);
      attr.set(JAVA_LONG, FiLayout.CQ_ATTR_SIZE.offset(), size);
      attr.set(JAVA_INT, FiLayout.CQ_ATTR_FORMAT.offset(), Fi.FI_CQ_FORMAT_DATA);
      attr.set(JAVA_INT, FiLayout.CQ_ATTR_WAIT_OBJ.offset(), waitObject);
      MemorySegment call = function(domain, FiLayout.DOMAIN_OPS, FiLayout.DOMAIN_OPS_CQ_OPEN);
      return open(call, domain, attr.address(), cq);
    }
  }

  @Override
  public int fi_eq_open(long fabric, int waitObject, long eq) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attr = arena.allocate(FiLayout.EQ_ATTR_BYTES, Long.BYTES);
      attr.set(JAVA_LONG, FiLayout.EQ_ATTR_SIZE.offset(), 0);
      attr.set(JAVA_INT, FiLayout.EQ_ATTR_WAIT_OBJ.offset(), waitObject);
      MemorySegment call = function(fabric, FiLayout.FABRIC_OPS, FiLayout.FABRIC_OPS_EQ_OPEN);
      return open(call, fabric, attr.address(), eq);
    }
  }

  @Override
  public int fi_passive_ep(long fabric, long info, long pep) {
    MemorySegment call = function(fabric, FiLayout.FABRIC_OPS, FiLayout.FABRIC_OPS_PASSIVE_EP);
    return open(call, fabric, info, pep);
  }

  @Override
  public int fi_listen(long pep) {
    try {
      return (int) I_L.invokeExact(function(pep, FiLayout.PEP_CM, FiLayout.CM_LISTEN), pep);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int fi_connect(long ep, long address, long data, long length) {
    return invoke(function(ep, FiLayout.EP_CM, FiLayout.CM_CONNECT), ep, address, data, length);
  }

  @Override
  public int fi_accept(long ep) {
    return invoke(function(ep, FiLayout.EP_CM, FiLayout.CM_ACCEPT), ep, 0L, 0L);
  }

  @Override
  public int fi_reject(long pep, long request) {
    return invoke(function(pep, FiLayout.PEP_CM, FiLayout.CM_REJECT), pep, request, 0L, 0L);
  }

  @Override
  public long fi_eq_read(long eq, long event) {
    try {
      MemorySegment call = function(eq, FiLayout.EQ_OPS, FiLayout.EQ_OPS_READ);
      long room = FiLayout.EVENT_BYTES - Long.BYTES;
      return (long) L_5L.invokeExact(call, eq, event, event + Long.BYTES, room, 0L);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public long fi_eq_readerr(long eq, long event) {
    return transfer(
        function(eq, FiLayout.EQ_OPS, FiLayout.EQ_OPS_READERR), eq, event + Long.BYTES, 0L);
  }

  @Override
  public int fi_endpoint(long domain, long info, long ep) {
    MemorySegment call = function(domain, FiLayout.DOMAIN_OPS, FiLayout.DOMAIN_OPS_ENDPOINT);
    return open(call, domain, info, ep);
  }

  /** All that is opened is opened with its parent, what is wanted, where it goes, and a context. */
  private static int open(MemorySegment call, long parent, long what, long where) {
    return invoke(call, parent, what, where, 0L);
  }

  private static int invoke(MemorySegment call, long a, long b, long c) {
    try {
      return (int) I_LLL.invokeExact(call, a, b, c);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private static int invoke(MemorySegment call, long a, long b, long c, long d) {
    try {
      return (int) I_LLLL.invokeExact(call, a, b, c, d);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private static long transfer(MemorySegment call, long a, long b, long c) {
    try {
      return (long) L_LLL.invokeExact(call, a, b, c);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int fi_ep_bind(long ep, long fid, long flags) {
    return invoke(function(ep, FiLayout.FID_OPS, FiLayout.OPS_BIND), ep, fid, flags);
  }

  @Override
  public int fi_enable(long ep) {
    return control(ep, Fi.FI_ENABLE, 0);
  }

  private static int control(long fid, int command, long argument) {
    try {
      MemorySegment call = function(fid, FiLayout.FID_OPS, FiLayout.OPS_CONTROL);
      return (int) I_LIL.invokeExact(call, fid, command, argument);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int fi_close(long fid) {
    try {
      return (int) I_L.invokeExact(function(fid, FiLayout.FID_OPS, FiLayout.OPS_CLOSE), fid);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int fi_getname(long ep, long address, long length) {
    return invoke(function(ep, FiLayout.EP_CM, FiLayout.CM_GETNAME), ep, address, length);
  }

  @Override
  public int fi_mr_reg(
      long domain, long buffer, long length, long access, long requestedKey, long mr) {
    try {
      MemorySegment call = function(domain, FiLayout.DOMAIN_MR, FiLayout.MR_OPS_REG);
      return (int)
          I_9L.invokeExact(call, domain, buffer, length, access, 0L, requestedKey, 0L, mr, 0L);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int fi_mr_regattr(long domain, long attributes, long flags, long mr) {
    try {
      MemorySegment call = function(domain, FiLayout.DOMAIN_MR, FiLayout.MR_OPS_REGATTR);
      return (int) I_LLLL.invokeExact(call, domain, attributes, flags, mr);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int fi_mr_bind(long mr, long ep) {
    return fi_ep_bind(mr, ep, 0);
  }

  @Override
  public int fi_mr_enable(long mr) {
    return control(mr, Fi.FI_ENABLE, 0);
  }

  @Override
  public long fi_mr_desc(long mr) {
    return Raw.getLong(FiLayout.MR_DESC.in(mr));
  }

  @Override
  public long fi_mr_key(long mr) {
    return Raw.getLong(FiLayout.MR_KEY.in(mr));
  }

  @Override
  public int fi_av_insert(long av, long address, long fiAddr) {
    try {
      MemorySegment call = function(av, FiLayout.AV_OPS, FiLayout.AV_OPS_INSERT);
      return (int) I_6L.invokeExact(call, av, address, 1L, fiAddr, 0L, 0L);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int fi_av_remove(long av, long fiAddr) {
    return invoke(function(av, FiLayout.AV_OPS, FiLayout.AV_OPS_REMOVE), av, fiAddr, 1L, 0L);
  }

  @Override
  public long fi_writemsg(long ep, long message, long flags) {
    return transfer(function(ep, FiLayout.EP_RMA, FiLayout.RMA_WRITEMSG), ep, message, flags);
  }

  @Override
  public long fi_cq_read(long cq, long entries, long count) {
    return transfer(function(cq, FiLayout.CQ_OPS, FiLayout.CQ_OPS_READ), cq, entries, count);
  }

  @Override
  public long fi_cq_readerr(long cq, long entry) {
    return transfer(function(cq, FiLayout.CQ_OPS, FiLayout.CQ_OPS_READERR), cq, entry, 0L);
  }

  @Override
  public String fi_cq_strerror(long cq, long entry) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(TEXT_BYTES);
      MemorySegment call = function(cq, FiLayout.CQ_OPS, FiLayout.CQ_OPS_STRERROR);
      int error = Raw.getInt(FiLayout.ERROR_PROV_ERRNO.in(entry));
      long data = Raw.getLong(FiLayout.ERROR_ERR_DATA.in(entry));
      return Raw.getString(
          (long) L_STRERROR.invokeExact(call, cq, error, data, text.address(), (long) TEXT_BYTES));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public int fi_wait_fd(long queue) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment descriptor = arena.allocate(JAVA_INT);
      int result = control(queue, Fi.FI_GETWAIT, descriptor.address());
      return result < 0 ? result : descriptor.get(JAVA_INT, 0);
    }
  }

  @Override
  public int fi_trywait(long fabric, long fids, int count) {
    try {
      MemorySegment call = function(fabric, FiLayout.FABRIC_OPS, FiLayout.FABRIC_OPS_TRYWAIT);
      return (int) I_LLI.invokeExact(call, fabric, fids, count);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }
}
