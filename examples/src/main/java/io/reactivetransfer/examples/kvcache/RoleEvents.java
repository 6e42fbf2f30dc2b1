package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.PeerAddress;

/** What a side tells while it runs. */
interface RoleEvents {

  /** Prefill can be reached here from now on. */
  void address(PeerAddress address);

  /** So many layers of prefill are done. */
  void layersDone(int layers);

  /** Something has happened, for a picture of it. */
  void happened(Moment moment);

  /** For people. */
  void said(String text);
}
