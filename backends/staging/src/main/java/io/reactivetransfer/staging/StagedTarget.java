package io.reactivetransfer.staging;

import io.reactivetransfer.spi.RemoteMemory;

/**
 * Memory of an accelerator of a peer.
 *
 * @param peer whose it is
 * @param key names it to the peer
 */
record StagedTarget(StagedPeer peer, StagedKey key) implements RemoteMemory {}
