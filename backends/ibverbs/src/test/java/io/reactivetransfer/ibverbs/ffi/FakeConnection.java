package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.Raw;

/**
 * What a queue pair was told when it became ready to receive and ready to send.
 *
 * @param device number of the device
 * @param mtu of its path, such as {@link Ib#IBV_MTU_4096}
 * @param sentPsn number of the first packet that it sends
 * @param receivedPsn number of the first packet that it expects
 * @param minRnrTimer how long a sender is asked to wait for a receive, as verbs count it
 * @param timeout exponent of the time in which an acknowledgement has to come
 * @param retries how often a packet is sent again
 * @param rnrRetries how often one is that found no receive
 */
public record FakeConnection(
    int device,
    int mtu,
    int sentPsn,
    int receivedPsn,
    int minRnrTimer,
    int timeout,
    int retries,
    int rnrRetries) {

  /** What the attributes say by the second of the two changes of state. */
  static FakeConnection of(FakeDevice device, long attr) {
    return new FakeConnection(
        device.index,
        Raw.getInt(IbLayout.QP_PATH_MTU.in(attr)),
        Raw.getInt(IbLayout.QP_SQ_PSN.in(attr)),
        Raw.getInt(IbLayout.QP_RQ_PSN.in(attr)),
        Raw.getUnsignedByte(IbLayout.QP_MIN_RNR_TIMER.in(attr)),
        Raw.getUnsignedByte(IbLayout.QP_TIMEOUT.in(attr)),
        Raw.getUnsignedByte(IbLayout.QP_RETRY_CNT.in(attr)),
        Raw.getUnsignedByte(IbLayout.QP_RNR_RETRY.in(attr)));
  }
}
