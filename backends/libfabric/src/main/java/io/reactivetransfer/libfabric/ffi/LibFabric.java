package io.reactivetransfer.libfabric.ffi;

import io.reactivetransfer.ffm.ffi.Raw;

/**
 * The calls of libfabric that are used here, under their names; see the manual pages {@code
 * fi_getinfo(3)} to {@code fi_cq(3)} of 1.17. Pointers are {@code long}, and so is memory that the
 * caller gives: nothing is allocated by a call. A result below 0 is a negated error number.
 *
 * <p>Not safe for several threads that use one domain: domains are opened with {@code
 * FI_THREAD_DOMAIN}.
 */
public interface LibFabric {

  /** The version of the library, the major one in the upper 16 bits. */
  int fi_version();

  /** A copy of an info, or an empty one for 0, as {@code fi_allocinfo} gives. */
  long fi_dupinfo(long info);

  /** Frees a list of infos, with the strings in them. */
  void fi_freeinfo(long info);

  /**
   * What there is.
   *
   * @param node a C string, or 0
   * @param flags such as {@link Fi#FI_SOURCE}
   * @param hints an info, or 0
   * @param info where the list goes
   */
  int fi_getinfo(int version, long node, long flags, long hints, long info);

  /** The text of an error number. */
  String fi_strerror(int error);

  /**
   * Opens a fabric.
   *
   * @param attr of an info
   * @param fabric where it goes
   */
  int fi_fabric(long attr, long fabric);

  /**
   * Opens a domain.
   *
   * @param domain where it goes
   */
  int fi_domain(long fabric, long info, long domain);

  /**
   * Opens an address vector.
   *
   * @param type of the info
   * @param count addresses that are expected
   * @param av where it goes
   */
  int fi_av_open(long domain, int type, long count, long av);

  /**
   * Opens a completion queue of data entries.
   *
   * @param size entries
   * @param waitObject {@link Fi#FI_WAIT_NONE} or {@link Fi#FI_WAIT_FD}
   * @param cq where it goes
   */
  int fi_cq_open(long domain, long size, int waitObject, long cq);

  /**
   * Opens a queue of events of connections.
   *
   * @param waitObject {@link Fi#FI_WAIT_NONE} or {@link Fi#FI_WAIT_FD}
   * @param eq where it goes
   */
  int fi_eq_open(long fabric, int waitObject, long eq);

  /**
   * Makes an endpoint that listens.
   *
   * @param pep where it goes
   */
  int fi_passive_ep(long fabric, long info, long pep);

  /** Begins to listen. */
  int fi_listen(long pep);

  /**
   * Begins to connect to an address.
   *
   * @param data what the other side gets with the request
   */
  int fi_connect(long ep, long address, long data, long length);

  /** Accepts the connection that an endpoint was made for. */
  int fi_accept(long ep);

  /**
   * Refuses a request to connect, and frees what the provider keeps of it.
   *
   * @param request its {@link #request(long)}
   */
  int fi_reject(long pep, long request);

  /**
   * Reads an event.
   *
   * @param event room for {@link #EVENT_BYTES}: first the number of the event in 4 bytes, its
   *     content from the eighth byte on
   * @return its length, or an error
   */
  long fi_eq_read(long eq, long event);

  /**
   * Reads an event of something that failed.
   *
   * @param event room for {@link #EVENT_BYTES}; its content goes from the eighth byte on
   * @return its length, or an error
   */
  long fi_eq_readerr(long eq, long event);

  /**
   * Makes an endpoint.
   *
   * @param ep where it goes
   */
  int fi_endpoint(long domain, long info, long ep);

  /** Binds a queue or an address vector to an endpoint. */
  int fi_ep_bind(long ep, long fid, long flags);

  /** Makes an endpoint usable. */
  int fi_enable(long ep);

  /** Closes whatever begins with a {@code fid}. */
  int fi_close(long fid);

  /**
   * An endpoint's address.
   *
   * @param address where it goes
   * @param length of the room there; becomes that of the address
   */
  int fi_getname(long ep, long address, long length);

  /**
   * Registers memory.
   *
   * @param access such as {@link Fi#FI_REMOTE_WRITE}
   * @param requestedKey used where the provider does not choose keys itself
   * @param mr where it goes
   */
  int fi_mr_reg(long domain, long buffer, long length, long access, long requestedKey, long mr);

  /**
   * Registers memory that is described.
   *
   * @param attributes such as {@link DeviceAttributes}
   * @param mr where it goes
   */
  int fi_mr_regattr(long domain, long attributes, long flags, long mr);

  /** Binds a registration to an endpoint, where {@link Fi#FI_MR_ENDPOINT} asks for it. */
  int fi_mr_bind(long mr, long ep);

  /** Makes a bound registration usable. */
  int fi_mr_enable(long mr);

  /** What local operations name the memory by. */
  long fi_mr_desc(long mr);

  /** What remote operations name the memory by. */
  long fi_mr_key(long mr);

  /**
   * Adds an address.
   *
   * @param fiAddr where its handle goes
   * @return how many were added, 1 or 0
   */
  int fi_av_insert(long av, long address, long fiAddr);

  /**
   * Removes an address.
   *
   * @param fiAddr where its handle lies
   */
  int fi_av_remove(long av, long fiAddr);

  /**
   * Writes as a {@link RmaMessage} says. The other calls that write are not used: some providers
   * forget with them what the endpoint's operations are to have as flags.
   *
   * @param flags all that this one is to have, such as {@link Fi#FI_REMOTE_CQ_DATA}
   */
  long fi_writemsg(long ep, long message, long flags);

  /**
   * Reads completions.
   *
   * @param entries room for {@code count} times {@link FiLayout#ENTRY_BYTES}
   * @return how many, or an error
   */
  long fi_cq_read(long cq, long entries, long count);

  /**
   * Reads one failed completion.
   *
   * @param entry {@link FiLayout#ERROR_BYTES} of zeros
   * @return 1, or an error
   */
  long fi_cq_readerr(long cq, long entry);

  /**
   * The provider's text of an error.
   *
   * @param entry as {@link #fi_cq_readerr} filled it
   */
  String fi_cq_strerror(long cq, long entry);

  /** The file descriptor of a queue that was opened with {@link Fi#FI_WAIT_FD}, or an error. */
  int fi_wait_fd(long queue);

  /**
   * Whether one may wait for the descriptors of these queues.
   *
   * @param fids an array of pointers
   */
  int fi_trywait(long fabric, long fids, int count);

  /** Room for an event. */
  long EVENT_BYTES = FiLayout.EVENT_BYTES;

  /** The number of an event, such as {@link Fi#FI_CONNECTED}. */
  static int event(long event) {
    return Raw.getInt(event);
  }

  /** What an event is about. */
  static long eventFid(long event) {
    return Raw.getLong(FiLayout.CM_ENTRY_FID.in(event + Long.BYTES));
  }

  /** The info of a request to connect, which is to be freed. */
  static long eventInfo(long event) {
    return Raw.getLong(FiLayout.CM_ENTRY_INFO.in(event + Long.BYTES));
  }

  /** What a request to connect is refused by, of its info. */
  static long request(long info) {
    return Raw.getLong(FiLayout.INFO_HANDLE.in(info));
  }

  /**
   * Some of what a request to connect was sent with.
   *
   * @param length of the event
   * @param index of 8 bytes in it
   * @return 0 if there are fewer
   */
  static long eventData(long event, long length, int index) {
    long from = FiLayout.CM_ENTRY_DATA.offset() + (long) index * Long.BYTES;
    return length < from + Long.BYTES ? 0 : Raw.getUnaligned(event + Long.BYTES + from);
  }

  /** What has failed. */
  static long failedFid(long event) {
    return Raw.getLong(FiLayout.EQ_ERROR_FID.in(event + Long.BYTES));
  }

  /** The error number of what has failed, above 0. */
  static int failedError(long event) {
    return Raw.getInt(FiLayout.EQ_ERROR_ERR.in(event + Long.BYTES));
  }

  // Completions, as fi_cq_read gave them.

  /** The context of an entry. */
  static long context(long entry) {
    return Raw.getLong(FiLayout.ENTRY_CONTEXT.in(entry));
  }

  /** The flags of an entry. */
  static long flags(long entry) {
    return Raw.getLong(FiLayout.ENTRY_FLAGS.in(entry));
  }

  /** The length in an entry, where the provider says it. */
  static long length(long entry) {
    return Raw.getLong(FiLayout.ENTRY_LEN.in(entry));
  }

  /** The immediate in an entry. */
  static long data(long entry) {
    return Raw.getLong(FiLayout.ENTRY_DATA.in(entry));
  }

  /** The context of a failed operation. */
  static long errorContext(long entry) {
    return Raw.getLong(FiLayout.ERROR_CONTEXT.in(entry));
  }

  /** The error number of a failed operation, above 0. */
  static int error(long entry) {
    return Raw.getInt(FiLayout.ERROR_ERR.in(entry));
  }
}
