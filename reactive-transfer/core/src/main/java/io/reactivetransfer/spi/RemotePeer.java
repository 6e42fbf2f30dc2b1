package io.reactivetransfer.spi;

/** The NIC of another engine, resolved by one {@link Domain}. Opaque to the engine. */
public interface RemotePeer {}
