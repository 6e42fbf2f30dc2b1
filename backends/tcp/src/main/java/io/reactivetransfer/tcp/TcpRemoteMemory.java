package io.reactivetransfer.tcp;

import io.reactivetransfer.spi.RemoteMemory;

/** Memory of another engine, on one of its NICs. */
record TcpRemoteMemory(TcpPeer peer, MemoryKey key, long length) implements RemoteMemory {}
