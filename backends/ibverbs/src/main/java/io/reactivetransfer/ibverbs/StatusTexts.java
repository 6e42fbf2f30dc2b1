package io.reactivetransfer.ibverbs;

import io.reactivetransfer.ffm.Errno;
import io.reactivetransfer.ibverbs.ffi.Ib;
import io.reactivetransfer.ibverbs.ffi.Verbs;

/** What the status of a completion means, and what to do about it. */
final class StatusTexts {

  private final Verbs verbs;
  private final Port port;

  StatusTexts(Verbs verbs, Port port) {
    this.verbs = verbs;
    this.port = port;
  }

  String pollFailed(int result) {
    return "ibv_poll_cq of " + port.name() + " failed with " + Errno.text(-result);
  }

  /**
   * Of the first completion of a connection that has failed. Where the target has refused the key,
   * or nothing was sent, the write is certainly not counted, nor is anything behind it; of one that
   * was refused halfway, some bytes may have come.
   *
   * <p>A request that the target calls invalid proves nothing: where one is sent again because its
   * acknowledgement is late, Soft-RoCE of Linux 6.1 may mix up the second copy, and the first one
   * may have arrived. Nor does it prove anything that a card cannot read what it sends again:
   * memory of an accelerator can be taken away meanwhile.
   *
   * @param vendorError the code of the card's maker, for its support
   */
  Failure of(int status, int vendorError, VerbsPeer peer) {
    String detail =
        verbs.ibv_wc_status_str(status)
            + " (status "
            + status
            + ", vendor error "
            + vendorError
            + ") on "
            + port.name();
    return switch (status) {
      case Ib.IBV_WC_REM_ACCESS_ERR ->
          new Failure(
              status,
              "the target's NIC has refused the write: no memory under this key, or not within its"
                  + " bounds; it was revoked, deregistered, or never registered: "
                  + detail,
              true);
      case Ib.IBV_WC_LOC_LEN_ERR ->
          new Failure(status, "this NIC has refused the write: " + detail, true);
      case Ib.IBV_WC_LOC_PROT_ERR ->
          new Failure(
              status,
              "this NIC could not read what is written, perhaps any more: close the region before"
                  + " the memory is freed: "
                  + detail,
              false);
      case Ib.IBV_WC_REM_INV_REQ_ERR ->
          new Failure(
              status,
              peer
                  + "'s NIC calls a request invalid, which none is that this one was given; whether"
                  + " the write has arrived is not known: "
                  + detail,
              false);
      case Ib.IBV_WC_WR_FLUSH_ERR ->
          new Failure(
              status,
              "the connection with " + peer + " was broken before the write was done: " + detail,
              false);
      case Ib.IBV_WC_RETRY_EXC_ERR ->
          new Failure(
              status,
              peer
                  + " does not answer: its process has ended, its port or a link is down: "
                  + detail,
              false);
      default -> new Failure(status, "the way to " + peer + " is lost: " + detail, false);
    };
  }
}
