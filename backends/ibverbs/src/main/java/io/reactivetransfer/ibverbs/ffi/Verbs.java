package io.reactivetransfer.ibverbs.ffi;

/**
 * libibverbs, under the names of C. Pointers are numbers. A result below 0 is a negated errno,
 * whichever of its three ways the call has to say so.
 *
 * @see <a href="https://man7.org/linux/man-pages/man7/rdma_cm.7.html">the manual pages of
 *     rdma-core</a>
 */
public interface Verbs {

  /**
   * All devices.
   *
   * @param count where their number is put, an int
   * @return an array of pointers, to be freed
   */
  long ibv_get_device_list(long count);

  void ibv_free_device_list(long list);

  String ibv_get_device_name(long device);

  long ibv_open_device(long device);

  int ibv_close_device(long context);

  int ibv_query_device(long context, long attr);

  int ibv_query_port(long context, int port, long attr);

  /** Below 0 where there is no GID at this index, too. */
  int ibv_query_gid_ex(long context, int port, int index, long entry);

  long ibv_alloc_pd(long context);

  int ibv_dealloc_pd(long pd);

  /**
   * What {@code ibv_reg_mr} is in C for flags that a device need not have. Blocks for as long as it
   * takes to pin the memory.
   *
   * @param iova by which address own and others' writes name the first byte
   */
  long ibv_reg_mr_iova2(long pd, long address, long length, long iova, int access);

  /**
   * The same for memory that another driver exports; below 0 where the library is older than that,
   * too.
   *
   * @param offset of the first byte in what was exported; within a page of the host as the iova
   * @param descriptor of what was exported, which may be closed afterwards
   */
  long ibv_reg_dmabuf_mr(long pd, long offset, long length, long iova, int descriptor, int access);

  /** Whether the library has {@link #ibv_reg_dmabuf_mr}; a device may refuse it all the same. */
  boolean knowsDmaBufs();

  int ibv_dereg_mr(long mr);

  long ibv_create_comp_channel(long context);

  int ibv_destroy_comp_channel(long channel);

  long ibv_create_cq(long context, int entries, long channel);

  int ibv_destroy_cq(long cq);

  /** How many completions were put into {@code wcs}, at most {@code count}. */
  int ibv_poll_cq(long cq, int count, long wcs);

  int ibv_req_notify_cq(long cq);

  /**
   * Takes an event of the channel; {@link #nonBlocking} makes it fail with EAGAIN if there is none.
   *
   * @param cq where the queue's address is put
   * @param cqContext where its context is put
   */
  int ibv_get_cq_event(long channel, long cq, long cqContext);

  void ibv_ack_cq_events(long cq, int count);

  long ibv_create_srq(long pd, long attr);

  int ibv_destroy_srq(long srq);

  int ibv_post_srq_recv(long srq, long wr, long badWr);

  long ibv_create_qp(long pd, long attr);

  /** Blocks while the kernel looks for the way to the peer, when the state becomes RTR. */
  int ibv_modify_qp(long qp, long attr, int mask);

  int ibv_destroy_qp(long qp);

  /** On failure {@code badWr} has the first one that was not taken over. */
  int ibv_post_send(long qp, long wr, long badWr);

  /** Fails with EAGAIN if there is none, after {@link #nonBlocking}. */
  int ibv_get_async_event(long context, long event);

  void ibv_ack_async_event(long event);

  String ibv_wc_status_str(int status);

  String ibv_event_type_str(int type);

  /** What {@code fcntl} does with O_NONBLOCK: reads of this descriptor block no more. */
  int nonBlocking(int descriptor);
}
