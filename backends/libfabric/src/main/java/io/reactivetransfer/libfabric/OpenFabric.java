package io.reactivetransfer.libfabric;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.libfabric.ffi.FiInfo;
import io.reactivetransfer.libfabric.ffi.LibFabric;
import io.reactivetransfer.spi.BackendException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongToIntFunction;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * What is opened of libfabric for one NIC: fabric, domain, address vector, and two queues, so that
 * messages never wait behind completions of writes. Whatever was opened is closed in reverse.
 */
final class OpenFabric {

  private static final Logger LOG = Loggers.getLogger(OpenFabric.class);

  private static final long WRITES_QUEUE = 4_096;
  private static final long MESSAGES_QUEUE = 1_024;
  private static final int EXPECTED_ADDRESSES = 64;
  private static final int MAX_NAME_BYTES = 256;

  final LibFabric lib;
  final FiInfo info;

  /** Where calls put what they made. */
  private final MemorySegment out;

  private final Deque<Long> opened = new ArrayDeque<>();
  private long fabric;
  private long domain;
  private long addresses;
  private long writes;
  private long messages;
  private int[] descriptors = {};
  private final MemorySegment queues;

  private OpenFabric(LibFabric lib, FiInfo info, Arena arena) {
    this.lib = lib;
    this.info = info;
    this.out = arena.allocate(JAVA_LONG);
    this.queues = arena.allocate(JAVA_LONG, 2);
  }

  /**
   * Opens one NIC.
   *
   * @param arena lives as long as what is opened
   */
  static OpenFabric open(LibFabric lib, FiInfo info, Arena arena) {
    OpenFabric open = new OpenFabric(lib, info, arena);
    try {
      open.open();
      return open;
    } catch (RuntimeException e) {
      open.close();
      throw e;
    }
  }

  private void open() {
    fabric = make("fi_fabric", out -> lib.fi_fabric(info.fabricAttr(), out));
    domain = make("fi_domain", out -> lib.fi_domain(fabric, info.address(), out));
    addresses =
        make("fi_av_open", out -> lib.fi_av_open(domain, info.avType(), EXPECTED_ADDRESSES, out));
    if (!openQueues(Fi.FI_WAIT_FD)) {
      openQueues(Fi.FI_WAIT_NONE);
    }
  }

  /** With descriptors to wait for where the provider has them; else it must be polled. */
  private boolean openQueues(int waitObject) {
    int before = opened.size();
    try {
      writes = make("fi_cq_open", out -> lib.fi_cq_open(domain, WRITES_QUEUE, waitObject, out));
      messages = make("fi_cq_open", out -> lib.fi_cq_open(domain, MESSAGES_QUEUE, waitObject, out));
      queues.setAtIndex(JAVA_LONG, 0, writes);
      queues.setAtIndex(JAVA_LONG, 1, messages);
      if (waitObject == Fi.FI_WAIT_FD) {
        descriptors = new int[] {descriptor(writes), descriptor(messages)};
      }
      return true;
    } catch (BackendException e) {
      if (waitObject == Fi.FI_WAIT_NONE) {
        throw e;
      }
      LOG.debug("{} has no descriptor to wait for: {}", info.provider(), e.getMessage());
      while (opened.size() > before) {
        closeLast();
      }
      return false;
    }
  }

  private int descriptor(long queue) {
    return require("fi_control(FI_GETWAIT)", lib.fi_cq_wait_fd(queue));
  }

  /** The queue of what concerns writes, outgoing and incoming. */
  long writes() {
    return writes;
  }

  /** The queue of messages. */
  long messages() {
    return messages;
  }

  /** What becomes readable when there is something in a queue; empty if it must be polled. */
  int[] descriptors() {
    return descriptors.clone();
  }

  /** Whether one may wait for the descriptors now. */
  boolean mayWait() {
    return lib.fi_trywait(fabric, queues.address(), 2) == Fi.FI_SUCCESS;
  }

  /** Opens an endpoint whose completions come to a queue. */
  Endpoint openEndpoint(long queue) {
    long ep = make("fi_endpoint", out -> lib.fi_endpoint(domain, info.address(), out));
    try {
      require("fi_ep_bind", lib.fi_ep_bind(ep, addresses, 0));
      require("fi_ep_bind", lib.fi_ep_bind(ep, queue, Fi.FI_TRANSMIT | Fi.FI_RECV));
      require("fi_enable", lib.fi_enable(ep));
      return new Endpoint(ep, nameOf(ep));
    } catch (RuntimeException e) {
      close(ep);
      throw e;
    }
  }

  private byte[] nameOf(long ep) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocate(MAX_NAME_BYTES, Long.BYTES);
      out.set(JAVA_LONG, 0, MAX_NAME_BYTES);
      require("fi_getname", lib.fi_getname(ep, name.address(), out.address()));
      return name.asSlice(0, out.get(JAVA_LONG, 0)).toArray(JAVA_BYTE);
    }
  }

  /** Registers memory; the result is closed with {@link #close(long)}. */
  long register(long address, long length, long access, long wantedKey) {
    return make("fi_mr_reg", out -> lib.fi_mr_reg(domain, address, length, access, wantedKey, out));
  }

  /** Ties a registration to an endpoint. */
  void bind(long registration, long endpoint) {
    require("fi_mr_bind", lib.fi_mr_bind(registration, endpoint));
    require("fi_mr_enable", lib.fi_mr_enable(registration));
  }

  /** Adds an address, and gives its handle. */
  long insert(byte[] name) {
    try (Arena arena = Arena.ofConfined()) {
      // Providers read the structure that the name is, which may be longer than what was sent.
      MemorySegment bytes = arena.allocate(MAX_NAME_BYTES, Long.BYTES);
      MemorySegment.copy(MemorySegment.ofArray(name), 0, bytes, 0, name.length);
      int added = lib.fi_av_insert(addresses, bytes.address(), out.address());
      if (added != 1) {
        throw error("fi_av_insert", Math.min(added, -Fi.FI_EINVAL));
      }
      return out.get(JAVA_LONG, 0);
    }
  }

  /** Removes an address. */
  void remove(long handle) {
    out.set(JAVA_LONG, 0, handle);
    int result = lib.fi_av_remove(addresses, out.address());
    if (result < 0) {
      LOG.debug("an address could not be removed: {}", lib.fi_strerror(-result));
    }
  }

  /** Closes an endpoint or a registration. */
  void close(long fid) {
    opened.remove(fid);
    int result = lib.fi_close(fid);
    if (result < 0) {
      LOG.warn("{}: fi_close failed: {}", info.provider(), lib.fi_strerror(-result));
    }
  }

  /** Closes all that is still open, in reverse. */
  void close() {
    while (!opened.isEmpty()) {
      closeLast();
    }
  }

  private void closeLast() {
    close(opened.getLast());
  }

  private long make(String call, LongToIntFunction maker) {
    require(call, maker.applyAsInt(out.address()));
    long made = out.get(JAVA_LONG, 0);
    opened.addLast(made);
    return made;
  }

  private int require(String call, int result) {
    if (result < 0) {
      throw error(call, result);
    }
    return result;
  }

  /** What an entry of an error says, as {@code fi_cq_readerr} filled it. */
  String text(long queue, long entry) {
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
