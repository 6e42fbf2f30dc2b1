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
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.LongToIntFunction;
import org.jspecify.annotations.Nullable;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * What is opened of libfabric for one NIC: fabric, domain, address vector, and queues, so that
 * messages never wait behind completions of writes. Whatever was opened is closed in reverse.
 */
final class OpenFabric {

  private static final Logger LOG = Loggers.getLogger(OpenFabric.class);

  private static final long WRITES_QUEUE = 4_096;
  private static final long MESSAGES_QUEUE = 1_024;
  private static final int EXPECTED_ADDRESSES = 64;
  private static final int MAX_WAITS = 1_024;
  private static final int MAX_NAME_BYTES = 256;

  final LibFabric lib;
  final FiInfo info;

  /** Where calls put what they made. */
  private final MemorySegment out;

  private final Deque<Long> opened = new ArrayDeque<>();
  private long fabric;
  private long domain;
  private long addresses;
  private boolean waitable = true;
  private @Nullable CompletionQueue shared;
  private @Nullable CompletionQueue messages;
  private final List<CompletionQueue> writes = new ArrayList<>();

  /** What is waited for; made anew when queues come and go. */
  private int[] descriptors = {};

  private boolean stale = true;
  private final MemorySegment waitFids;

  private OpenFabric(LibFabric lib, FiInfo info, Arena arena) {
    this.lib = lib;
    this.info = info;
    this.out = arena.allocate(JAVA_LONG);
    this.waitFids = arena.allocate(JAVA_LONG, MAX_WAITS);
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
    messages = openQueue(MESSAGES_QUEUE);
  }

  /** With a descriptor to wait for where the provider has them; else it must be polled. */
  private CompletionQueue openQueue(long size) {
    if (waitable) {
      try {
        long queue = make("fi_cq_open", out -> lib.fi_cq_open(domain, size, Fi.FI_WAIT_FD, out));
        return new CompletionQueue(queue, descriptor(queue));
      } catch (BackendException e) {
        LOG.debug("{} has no descriptor to wait for: {}", info.provider(), e.getMessage());
        waitable = false;
      }
    }
    return new CompletionQueue(
        make("fi_cq_open", out -> lib.fi_cq_open(domain, size, Fi.FI_WAIT_NONE, out)), -1);
  }

  private int descriptor(long queue) {
    try {
      return require("fi_control(FI_GETWAIT)", lib.fi_cq_wait_fd(queue));
    } catch (BackendException e) {
      close(queue);
      throw e;
    }
  }

  /** The queues of what concerns writes, outgoing and incoming. */
  List<CompletionQueue> writes() {
    return writes;
  }

  /** The queue of messages. */
  CompletionQueue messages() {
    return Objects.requireNonNull(messages, "not open");
  }

  /** What becomes readable when there is something in a queue; empty if one must be polled. */
  int[] descriptors() {
    if (stale) {
      stale = false;
      descriptors = waitable && writes.size() < MAX_WAITS ? collectDescriptors() : new int[0];
    }
    return descriptors;
  }

  private int[] collectDescriptors() {
    int[] all = new int[writes.size() + 1];
    for (int i = 0; i < writes.size(); i++) {
      all[i] = writes.get(i).descriptor();
      waitFids.setAtIndex(JAVA_LONG, i, writes.get(i).fid());
    }
    all[writes.size()] = messages().descriptor();
    waitFids.setAtIndex(JAVA_LONG, writes.size(), messages().fid());
    return all;
  }

  /** Whether one may wait for the descriptors now. */
  boolean mayWait() {
    for (int i = 0; i < writes.size(); i++) {
      if (writes.get(i).isEnding()) {
        return false;
      }
    }
    int count = descriptors().length;
    return count > 0 && lib.fi_trywait(fabric, waitFids.address(), count) == Fi.FI_SUCCESS;
  }

  /** Opens an endpoint for messages. */
  Endpoint openForMessages() {
    return openEndpoint(messages());
  }

  /**
   * Opens an endpoint for writes. Those of rxm have a queue each: with one that is waited for, rxm
   * keeps a pointer to each endpoint, and does not take it out when the endpoint is closed.
   */
  Endpoint openForWrites() {
    if (!waitable || !info.provider().endsWith("ofi_rxm")) {
      CompletionQueue queue = shared;
      if (queue == null) {
        queue = openForWrites(openQueue(WRITES_QUEUE));
        shared = queue;
      }
      return openEndpoint(queue);
    }
    CompletionQueue own = openForWrites(openQueue(WRITES_QUEUE));
    try {
      return openEndpoint(own);
    } catch (RuntimeException e) {
      close(own);
      throw e;
    }
  }

  private CompletionQueue openForWrites(CompletionQueue queue) {
    writes.add(queue);
    stale = true;
    return queue;
  }

  /** Closes an endpoint: what is out through it, or half-way in, is over when this returns. */
  void close(Endpoint endpoint) {
    close(endpoint.fid());
    if (endpoint.queue() != shared && endpoint.queue() != messages) {
      endpoint.queue().end();
      stale = true;
    }
  }

  /** Closes a queue that has ended and was read to its end. */
  void close(CompletionQueue queue) {
    writes.remove(queue);
    stale = true;
    close(queue.fid());
  }

  private Endpoint openEndpoint(CompletionQueue queue) {
    long ep = make("fi_endpoint", out -> lib.fi_endpoint(domain, info.address(), out));
    try {
      require("fi_ep_bind", lib.fi_ep_bind(ep, addresses, 0));
      require("fi_ep_bind", lib.fi_ep_bind(ep, queue.fid(), Fi.FI_TRANSMIT | Fi.FI_RECV));
      require("fi_enable", lib.fi_enable(ep));
      return new Endpoint(ep, nameOf(ep), queue);
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

  /** Closes a registration, or whatever was opened here. */
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
