package io.reactivetransfer.libfabric.ffi;

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

  /** Writes, and gives the target an immediate. */
  long fi_writedata(
      long ep,
      long buffer,
      long length,
      long desc,
      long data,
      long destination,
      long address,
      long key,
      long context);

  /** Writes. */
  long fi_write(
      long ep,
      long buffer,
      long length,
      long desc,
      long destination,
      long address,
      long key,
      long context);

  /**
   * Writes as a {@link RmaMessage} says.
   *
   * @param flags instead of those of the endpoint, such as {@link Fi#FI_MORE}
   */
  long fi_writemsg(long ep, long message, long flags);

  /** Writes with an immediate from a buffer that is free when it returns; no completion. */
  long fi_inject_writedata(
      long ep, long buffer, long length, long data, long destination, long address, long key);

  /** Writes from a buffer that is free when it returns; no completion. */
  long fi_inject_write(long ep, long buffer, long length, long destination, long address, long key);

  /** Sends a message. */
  long fi_send(long ep, long buffer, long length, long desc, long destination, long context);

  /** Posts a buffer for a message from anyone. */
  long fi_recv(long ep, long buffer, long length, long desc, long context);

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
  int fi_cq_wait_fd(long cq);

  /**
   * Whether one may wait for the descriptors of these queues.
   *
   * @param fids an array of pointers
   */
  int fi_trywait(long fabric, long fids, int count);

  // Completions, as fi_cq_read gave them.

  /** The context of an entry. */
  static long context(long entry) {
    return Raw.getLong(FiLayout.ENTRY_CONTEXT.in(entry));
  }

  /** The flags of an entry. */
  static long flags(long entry) {
    return Raw.getLong(FiLayout.ENTRY_FLAGS.in(entry));
  }

  /** The length in an entry: of a received message; of others, providers differ. */
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

  /** The flags of a failed operation. */
  static long errorFlags(long entry) {
    return Raw.getLong(FiLayout.ERROR_FLAGS.in(entry));
  }

  /** The error number of a failed operation, above 0. */
  static int error(long entry) {
    return Raw.getInt(FiLayout.ERROR_ERR.in(entry));
  }
}
