package io.reactivetransfer.libfabric;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.reactivetransfer.libfabric.ffi.DeviceAttributes;
import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.libfabric.ffi.FiInfo;
import io.reactivetransfer.libfabric.ffi.LibFabric;
import io.reactivetransfer.spi.BackendException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.LongToIntFunction;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * A fabric, a domain and a completion queue of libfabric: what a NIC stands on. Whatever was opened
 * is closed in reverse.
 */
final class OpenFabric {

  private static final Logger LOG = Loggers.getLogger(OpenFabric.class);

  /** Of completions. A provider that has more keeps them apart, or refuses writes. */
  static final long QUEUE_SIZE = 4_096;

  private static final int MAX_NAME_BYTES = 256;

  final LibFabric lib;
  final FiInfo info;

  /** Where calls put what they made. */
  private final MemorySegment out;

  private final MemorySegment name;
  private final DeviceAttributes ofDevice;
  private final Opened opened;
  private final long fabric;
  private final long domain;
  private final long queue;
  private final int descriptor;

  /**
   * Opens one.
   *
   * @param arena lives as long as what is opened
   */
  OpenFabric(LibFabric lib, FiInfo info, Arena arena) {
    this.lib = lib;
    this.info = info;
    this.out = arena.allocate(JAVA_LONG);
    this.name = arena.allocate(MAX_NAME_BYTES, Long.BYTES);
    this.ofDevice = new DeviceAttributes(arena);
    this.opened = new Opened(lib, info.provider(), System::nanoTime);
    try {
      fabric = makeBase("fi_fabric", to -> lib.fi_fabric(info.fabricAttr(), to));
      domain = makeBase("fi_domain", to -> lib.fi_domain(fabric(), info.address(), to));
      long waitable = tryToOpenQueue();
      queue = waitable == 0 ? openQueue(Fi.FI_WAIT_NONE) : waitable;
      descriptor = waitable == 0 ? -1 : lib.fi_wait_fd(waitable);
    } catch (RuntimeException e) {
      throw closedBecauseOf(e);
    }
  }

  private RuntimeException closedBecauseOf(RuntimeException cause) {
    try {
      close();
    } catch (BackendException e) {
      cause.addSuppressed(e);
    }
    return cause;
  }

  /** With a descriptor to wait for, or 0 if the provider has none. */
  private long tryToOpenQueue() {
    try {
      return openQueue(Fi.FI_WAIT_FD);
    } catch (BackendException e) {
      LOG.debug("{} has no descriptor to wait for: {}", info.provider(), e.getMessage());
      return 0;
    }
  }

  private long openQueue(int waitObject) {
    return makeBase("fi_cq_open", to -> lib.fi_cq_open(domain(), QUEUE_SIZE, waitObject, to));
  }

  long fabric() {
    return fabric;
  }

  long domain() {
    return domain;
  }

  /** Where completions come. */
  long queue() {
    return queue;
  }

  /** What becomes readable when something is in the queue; below 0 if it must be polled. */
  int descriptor() {
    return descriptor;
  }

  /**
   * Makes an endpoint, binds it, and enables it.
   *
   * @param info of the domain, or of a request to connect
   * @param addresses an address vector or a queue of events that it is bound to
   */
  long openEndpoint(long info, long addresses) {
    long ep = make("fi_endpoint", to -> lib.fi_endpoint(domain, info, to));
    try {
      require("fi_ep_bind", lib.fi_ep_bind(ep, addresses, 0));
      require("fi_ep_bind", lib.fi_ep_bind(ep, queue, Fi.FI_TRANSMIT | Fi.FI_RECV));
      require("fi_enable", lib.fi_enable(ep));
      return ep;
    } catch (RuntimeException e) {
      discard(ep);
      throw e;
    }
  }

  /** The address of an endpoint. */
  byte[] nameOf(long ep) {
    out.set(JAVA_LONG, 0, MAX_NAME_BYTES);
    require("fi_getname", lib.fi_getname(ep, name.address(), out.address()));
    return name.asSlice(0, out.get(JAVA_LONG, 0)).toArray(JAVA_BYTE);
  }

  /** An address in native memory, until the next one. */
  long address(byte[] bytes) {
    // Providers read the structure that an address is, which may be longer than what was sent.
    name.fill((byte) 0);
    MemorySegment.copy(MemorySegment.ofArray(bytes), 0, name, 0, bytes.length);
    return name.address();
  }

  /** Registers memory; the result is closed with {@link #close(long)}. */
  long register(long address, long length, long access, long wantedKey) {
    return make("fi_mr_reg", to -> lib.fi_mr_reg(domain, address, length, access, wantedKey, to));
  }

  /**
   * Registers memory of an accelerator; the same.
   *
   * @param kind such as {@link Fi#FI_HMEM_CUDA}
   * @param ordinal which one of these
   */
  long registerOfDevice(
      int kind, int ordinal, long address, long length, long access, long wantedKey) {
    long attributes = ofDevice.of(address, length, access, wantedKey).on(kind, ordinal).address();
    return make("fi_mr_regattr", to -> lib.fi_mr_regattr(domain, attributes, 0, to));
  }

  /** Ties a registration to an endpoint. */
  void bind(long registration, long endpoint) {
    require("fi_mr_bind", lib.fi_mr_bind(registration, endpoint));
    require("fi_mr_enable", lib.fi_mr_enable(registration));
  }

  /** Calls what makes something on which nothing is made; it is closed here, or with all. */
  long make(String call, LongToIntFunction maker) {
    long made = made(call, maker);
    opened.addLeaf(made);
    return made;
  }

  /** Calls what makes something on which others are made; it is closed after these, with all. */
  long makeBase(String call, LongToIntFunction maker) {
    long made = made(call, maker);
    opened.addBase(made);
    return made;
  }

  private long made(String call, LongToIntFunction maker) {
    require(call, maker.applyAsInt(out.address()));
    return out.get(JAVA_LONG, 0);
  }

  /**
   * Closes one of the things that were made, if it is open. When it returns, that touches no memory
   * any more.
   *
   * @throws BackendException if the provider refuses; it may be tried again
   */
  void close(long fid) {
    opened.closeNow(fid);
  }

  /** The same, now or with one of the next {@link #closeAgain()}; that runs what depends on it. */
  void close(long fid, Runnable whenClosed) {
    opened.close(fid, whenClosed);
  }

  /** Closes what was never used, now or later. */
  void discard(long fid) {
    opened.close(fid, () -> {});
  }

  /** Whether the provider has refused to close something, which is tried again. */
  boolean isClosing() {
    return opened.isClosing();
  }

  /**
   * Tries again; returns how much was closed.
   *
   * @throws BackendException if the provider goes on refusing; then only to close all can help
   */
  int closeAgain() {
    return opened.closeAgain();
  }

  /**
   * Closes all that is still open, in reverse.
   *
   * @throws BackendException if something stays open, and may touch memory
   */
  void close() {
    opened.closeAll();
  }

  /**
   * The result of a call.
   *
   * @throws BackendException if it is an error
   */
  int require(String call, int result) {
    if (result < 0) {
      throw error(call, result);
    }
    return result;
  }

  /** What an entry of an error says, as {@code fi_cq_readerr} filled it. */
  String text(long entry) {
    return lib.fi_strerror(LibFabric.error(entry)) + ", " + lib.fi_cq_strerror(queue, entry);
  }

  /** The error of a call that failed. */
  BackendException error(String call, long result) {
    int code = (int) -result;
    return new BackendException(
        code,
        call
            + " of provider "
            + info.provider()
            + " failed on "
            + info.domain()
            + ": "
            + lib.fi_strerror(code)
            + " ("
            + code
            + ")");
  }
}
