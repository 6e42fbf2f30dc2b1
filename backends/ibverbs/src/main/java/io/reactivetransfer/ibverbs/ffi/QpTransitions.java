package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.CField;
import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair's way from made to connected, and into the state of error.
 *
 * @see <a href="https://man7.org/linux/man-pages/man3/ibv_modify_qp.3.html">ibv_modify_qp(3)</a>
 */
public final class QpTransitions implements AutoCloseable {

  private final Verbs verbs;
  private final long qp;
  private final Arena arena = Arena.ofConfined();
  private final long attr = arena.allocate(IbLayout.QP_ATTR_BYTES, Long.BYTES).address();

  /** Of one queue pair, on one thread. */
  public QpTransitions(Verbs verbs, long qp) {
    this.verbs = verbs;
    this.qp = qp;
  }

  /**
   * Ready to be connected.
   *
   * @param access what its peer will be allowed to do, such as {@link Ib#IBV_ACCESS_REMOTE_WRITE}
   */
  public int init(int port, int access) {
    Raw.putInt(IbLayout.QP_ACCESS.in(attr), access);
    putByte(IbLayout.QP_PORT, port);
    return to(Ib.IBV_QPS_INIT, Ib.IBV_QP_PKEY_INDEX | Ib.IBV_QP_PORT | Ib.IBV_QP_ACCESS_FLAGS);
  }

  /** Of the packets that it will send. */
  public void priority(int serviceLevel, int trafficClass) {
    putByte(IbLayout.QP_SL, serviceLevel);
    putByte(IbLayout.QP_TRAFFIC_CLASS, trafficClass);
  }

  /**
   * Ready to receive.
   *
   * @param port the own one
   * @param gidIndex of the own address
   * @param gid of the peer; null to go by its lid
   */
  public int readyToReceive(
      int port,
      int gidIndex,
      @Nullable Gid gid,
      int lid,
      int mtu,
      int number,
      int psn,
      int rnrTimer) {
    Raw.putInt(IbLayout.QP_PATH_MTU.in(attr), mtu);
    Raw.putInt(IbLayout.QP_DEST.in(attr), number);
    Raw.putInt(IbLayout.QP_RQ_PSN.in(attr), psn);
    putByte(IbLayout.QP_MIN_RNR_TIMER, rnrTimer);
    putByte(IbLayout.QP_AH_PORT, port);
    Raw.putShort(IbLayout.QP_DLID.in(attr), (short) lid);
    if (gid != null) {
      putByte(IbLayout.QP_IS_GLOBAL, 1);
      Raw.put(IbLayout.QP_DGID.in(attr), gid.bytes());
      putByte(IbLayout.QP_SGID_INDEX, gidIndex);
      putByte(IbLayout.QP_HOP_LIMIT, 64);
    }
    return to(
        Ib.IBV_QPS_RTR,
        Ib.IBV_QP_AV
            | Ib.IBV_QP_PATH_MTU
            | Ib.IBV_QP_DEST_QPN
            | Ib.IBV_QP_RQ_PSN
            | Ib.IBV_QP_MAX_DEST_RD_ATOMIC
            | Ib.IBV_QP_MIN_RNR_TIMER);
  }

  /**
   * Ready to send.
   *
   * @param timeout an acknowledgement is waited for 4.096 us times 2 to the power of this
   * @param retries how often it is sent again
   * @param rnrRetries how often when the peer has no receive posted; 7 for ever
   */
  public int readyToSend(int psn, int timeout, int retries, int rnrRetries) {
    Raw.putInt(IbLayout.QP_SQ_PSN.in(attr), psn);
    putByte(IbLayout.QP_TIMEOUT, timeout);
    putByte(IbLayout.QP_RETRY_CNT, retries);
    putByte(IbLayout.QP_RNR_RETRY, rnrRetries);
    return to(
        Ib.IBV_QPS_RTS,
        Ib.IBV_QP_TIMEOUT
            | Ib.IBV_QP_RETRY_CNT
            | Ib.IBV_QP_RNR_RETRY
            | Ib.IBV_QP_SQ_PSN
            | Ib.IBV_QP_MAX_QP_RD_ATOMIC);
  }

  /** Nothing is sent or received any more; what is out is completed with an error. */
  public int error() {
    return to(Ib.IBV_QPS_ERR, 0);
  }

  private int to(int state, int mask) {
    Raw.putInt(IbLayout.QP_STATE.in(attr), state);
    return verbs.ibv_modify_qp(qp, attr, Ib.IBV_QP_STATE | mask);
  }

  private void putByte(CField field, int value) {
    Raw.putByte(field.in(attr), (byte) value);
  }

  @Override
  public void close() {
    arena.close();
  }
}
