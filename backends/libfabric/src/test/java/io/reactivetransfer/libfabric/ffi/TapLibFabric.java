package io.reactivetransfer.libfabric.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongUnaryOperator;

/** A library without a network: a test says what becomes of writes. */
public final class TapLibFabric {

  /** Memory that was registered: where, for what, and under which key if the caller chooses it. */
  public record Registered(long address, long length, long access, long requestedKey) {}

  /** Memory of an accelerator that was registered: of which kind, and which one of these. */
  public record RegisteredOfDevice(Registered memory, int kind, int ordinal) {}

  /** A write that was posted, as it was described. */
  public record Written(
      long endpoint,
      long flags,
      long from,
      long length,
      long desc,
      long destination,
      long to,
      long key,
      long data,
      long context) {}

  /** A completion that lies in the queue of writes; an error where the code is not 0. */
  private record Completion(long context, int error, long flags, long length, long data) {}

  /** What a registration is named by in local operations, less its own number. */
  public static final long DESC = 1_000;

  private static final int DESCRIPTOR = 9;
  private static final long ROOM = 256;

  private final List<Registered> registered = new ArrayList<>();
  private final List<RegisteredOfDevice> registeredOfDevices = new ArrayList<>();
  private final List<Written> written = new ArrayList<>();
  private final Deque<Completion> completions = new ArrayDeque<>();
  private final Set<Long> closed = new HashSet<>();
  private LongUnaryOperator closing = fid -> 0;
  private BooleanSupplier knowing = () -> true;
  private long writes = -Fi.FI_EAGAIN;
  private int registering;
  private long writing;
  private final Deque<Long> freeRegistrations = new ArrayDeque<>();
  private final Set<Long> registrations = new HashSet<>();
  private long made;
  private long addresses;
  private final MemorySegment request = Arena.ofAuto().allocate(ROOM, Long.BYTES);
  private int requests;
  private int rejected;

  /** The calls. */
  public LibFabric lib() {
    return (LibFabric)
        Proxy.newProxyInstance(
            LibFabric.class.getClassLoader(),
            new Class<?>[] {LibFabric.class},
            (proxy, method, arguments) -> call(method, arguments));
  }

  /** A provider for it, in memory that lives as long as the arena. */
  public static FiInfo info(Arena arena) {
    return info(arena, 0, 8, 8, 0);
  }

  /** The same of a provider with a name. */
  public static FiInfo info(Arena arena, String provider) {
    return info(arena, provider, 0, 8, 8, 0);
  }

  /** The same, which reaches accelerators. */
  public static FiInfo reachingDevices(FiInfo info) {
    Raw.putLong(FiLayout.INFO_CAPS.in(info.address()), Fi.FI_HMEM);
    return info;
  }

  /** A provider that wants memory registered like this, with so long keys and immediates. */
  public static FiInfo info(
      Arena arena, int mrMode, long keyBytes, long immBytes, long completion) {
    return info(arena, "tap", mrMode, keyBytes, immBytes, completion);
  }

  private static FiInfo info(
      Arena arena, String provider, int mrMode, long keyBytes, long immBytes, long completion) {
    long info = arena.allocate(ROOM, Long.BYTES).address();
    long endpoint = arena.allocate(ROOM, Long.BYTES).address();
    Raw.putLong(FiLayout.INFO_EP_ATTR.in(info), endpoint);
    return new FiInfo(
        info,
        provider,
        "tap-0",
        mrMode,
        keyBytes,
        immBytes,
        completion,
        64,
        64,
        4,
        4,
        1 << 20,
        1,
        0,
        null);
  }

  /** What was registered, in order. */
  public List<Registered> registered() {
    return registered;
  }

  /** What was registered of accelerators, in order. */
  public List<RegisteredOfDevice> registeredOfDevices() {
    return registeredOfDevices;
  }

  /** Registrations that are open. */
  public int registrations() {
    return registrations.size();
  }

  /** What was written, in order. */
  public List<Written> written() {
    return written;
  }

  /** Whether the next address is taken, asked each time; by default it is. */
  public TapLibFabric inserts(BooleanSupplier takes) {
    knowing = takes;
    return this;
  }

  /** A write is complete, and lies in the queue. */
  public void completes(Written write) {
    completions.add(new Completion(write.context(), 0, Fi.FI_WRITE, write.length(), 0));
  }

  /** A write of somebody else has come, and lies in the queue. */
  public void arrives(int imm) {
    arrives(imm, 0);
  }

  /** The same, of which the provider says that it was so long. */
  public void arrives(int imm, long length) {
    long data = Integer.toUnsignedLong(imm);
    completions.add(new Completion(0, 0, Fi.FI_RMA | Fi.FI_REMOTE_CQ_DATA, length, data));
  }

  /** A write has failed, and lies in the queue. */
  public void cancels(Written write) {
    completions.add(new Completion(write.context(), 125, 0, 0, 0));
  }

  /** What becomes of closing something, by its fid: 0 to close it. */
  public void closes(LongUnaryOperator result) {
    closing = result;
  }

  /** What was closed, and is not open again. */
  public Set<Long> closed() {
    return closed;
  }

  /** What reading the queue of writes gives when nothing lies in it. */
  public void reads(long result) {
    writes = result;
  }

  /** What becomes of registering memory; 0 to do it. */
  public void registers(int result) {
    registering = result;
  }

  /** What becomes of writing; 0 to do it. */
  public void writes(long result) {
    writing = result;
  }

  /** Addresses that were taken, and not removed. */
  public long addresses() {
    return addresses;
  }

  /** So many ask to connect, without a ticket. */
  public void requested(int count) {
    requests += count;
  }

  /** How many were refused to connect. */
  public int rejected() {
    return rejected;
  }

  private Object call(Method method, Object[] arguments) {
    return switch (method.getName()) {
      case "fi_mr_reg" -> register(arguments);
      case "fi_mr_regattr" -> registerOfDevice(arguments);
      case "fi_fabric",
          "fi_domain",
          "fi_av_open",
          "fi_cq_open",
          "fi_eq_open",
          "fi_endpoint",
          "fi_passive_ep" -> {
        Raw.putLong((long) arguments[arguments.length - 1], ++made);
        yield 0;
      }
      case "fi_ep_bind", "fi_enable", "fi_mr_bind", "fi_mr_enable", "fi_trywait", "fi_listen" -> 0;
      case "fi_eq_read" -> readRequest((long) arguments[1]);
      case "fi_reject" -> {
        rejected++;
        yield 0;
      }
      case "fi_freeinfo" -> null;
      case "fi_close" -> close((long) arguments[0]);
      case "fi_cq_readerr" -> readError((long) arguments[1]);
      case "fi_cq_strerror" -> "as the test says";
      case "fi_getname" -> name((long) arguments[1], (long) arguments[2]);
      case "fi_wait_fd" -> DESCRIPTOR;
      case "fi_mr_key" -> arguments[0];
      case "fi_mr_desc" -> DESC + (long) arguments[0];
      case "fi_writemsg" -> write((long) arguments[0], (long) arguments[1], (long) arguments[2]);
      case "fi_av_insert" -> insert((long) arguments[2]);
      case "fi_av_remove" -> {
        addresses--;
        yield 0;
      }
      case "fi_cq_read" -> readWrites((long) arguments[1], (long) arguments[2]);
      case "fi_strerror" -> "error " + arguments[0];
      default -> throw new UnsupportedOperationException(method.getName());
    };
  }

  private int close(long fid) {
    int result = (int) closing.applyAsLong(fid);
    if (result == 0) {
      closed.add(fid);
      if (registrations.remove(fid)) {
        freeRegistrations.push(fid);
      }
    }
    return result;
  }

  private int register(Object[] arguments) {
    if (registering == 0) {
      registered.add(
          new Registered(
              (long) arguments[1], (long) arguments[2], (long) arguments[3], (long) arguments[4]));
      register((long) arguments[arguments.length - 1]);
    }
    return registering;
  }

  private int registerOfDevice(Object[] arguments) {
    if (registering == 0) {
      long attributes = (long) arguments[1];
      long part = Raw.getLong(FiLayout.MR_ATTR_IOV.in(attributes));
      Registered memory =
          new Registered(
              Raw.getLong(FiLayout.IOVEC_BASE.in(part)),
              Raw.getLong(FiLayout.IOVEC_LEN.in(part)),
              Raw.getLong(FiLayout.MR_ATTR_ACCESS.in(attributes)),
              Raw.getLong(FiLayout.MR_ATTR_KEY.in(attributes)));
      registeredOfDevices.add(
          new RegisteredOfDevice(
              memory,
              Raw.getInt(FiLayout.MR_ATTR_IFACE.in(attributes)),
              Raw.getInt(FiLayout.MR_ATTR_CUDA.in(attributes))));
      register((long) arguments[arguments.length - 1]);
    }
    return registering;
  }

  /** As providers do: memory that was freed is used next. */
  private void register(long out) {
    long fid = freeRegistrations.isEmpty() ? ++made : freeRegistrations.pop();
    registrations.add(fid);
    closed.remove(fid);
    Raw.putLong(out, fid);
  }

  /** As providers do: up to the first error, and nothing if that comes first. */
  private long readWrites(long entries, long count) {
    long read = 0;
    while (read < count && !completions.isEmpty() && completions.peek().error() == 0) {
      long entry = entries + read++ * FiLayout.ENTRY_BYTES;
      Completion next = completions.remove();
      Raw.putLong(FiLayout.ENTRY_CONTEXT.in(entry), next.context());
      Raw.putLong(FiLayout.ENTRY_FLAGS.in(entry), next.flags());
      Raw.putLong(FiLayout.ENTRY_LEN.in(entry), next.length());
      Raw.putLong(FiLayout.ENTRY_DATA.in(entry), next.data());
    }
    if (read > 0) {
      return read;
    }
    return completions.isEmpty() ? writes : -Fi.FI_EAVAIL;
  }

  private long readRequest(long event) {
    if (requests == 0) {
      return -Fi.FI_EAGAIN;
    }
    requests--;
    Raw.putInt(event, Fi.FI_CONNREQ);
    Raw.putLong(FiLayout.CM_ENTRY_INFO.in(event + Long.BYTES), request.address());
    return FiLayout.CM_ENTRY_DATA.offset();
  }

  private long readError(long entry) {
    Completion first = completions.peek();
    if (first == null || first.error() == 0) {
      return -Fi.FI_EAGAIN;
    }
    completions.remove();
    Raw.putLong(FiLayout.ERROR_CONTEXT.in(entry), first.context());
    Raw.putInt(FiLayout.ERROR_ERR.in(entry), first.error());
    return 1;
  }

  private long write(long endpoint, long message, long flags) {
    if (writing != 0) {
      return writing;
    }
    long from = Raw.getLong(FiLayout.MSG_RMA_MSG_IOV.in(message));
    long to = Raw.getLong(FiLayout.MSG_RMA_RMA_IOV.in(message));
    written.add(
        new Written(
            endpoint,
            flags,
            Raw.getLong(FiLayout.IOVEC_BASE.in(from)),
            Raw.getLong(FiLayout.IOVEC_LEN.in(from)),
            Raw.getLong(Raw.getLong(FiLayout.MSG_RMA_DESC.in(message))),
            Raw.getLong(FiLayout.MSG_RMA_ADDR.in(message)),
            Raw.getLong(FiLayout.RMA_IOV_ADDR.in(to)),
            Raw.getLong(FiLayout.RMA_IOV_KEY.in(to)),
            Raw.getLong(FiLayout.MSG_RMA_DATA.in(message)),
            Raw.getLong(FiLayout.MSG_RMA_CONTEXT.in(message))));
    return 0;
  }

  private int name(long address, long length) {
    Raw.putLong(address, ++made);
    Raw.putLong(length, Long.BYTES);
    return 0;
  }

  private int insert(long where) {
    if (!knowing.getAsBoolean()) {
      return 0;
    }
    addresses++;
    Raw.putLong(where, ++made);
    return 1;
  }
}
