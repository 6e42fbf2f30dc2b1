package io.reactivetransfer.kvcache;

import io.reactivetransfer.Peer;

/**
 * A prefill node, as decode knows it.
 *
 * @param name what it calls itself
 * @param mapping from its layout to ours
 */
record KvSource(Peer peer, String name, KvMapping mapping) {

  HandOverException.Node with() {
    return new HandOverException.Node("prefill", peer, name);
  }
}
