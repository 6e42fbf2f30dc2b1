package io.reactivetransfer.loopback;

import io.reactivetransfer.spi.RemoteMemory;

/**
 * Memory of another engine. Its length is not kept: the target knows the true one and checks.
 *
 * @param peer whose it is
 * @param key what names it there
 */
record LoopbackTarget(LoopbackPeer peer, LoopbackKey key) implements RemoteMemory {}
