package io.reactivetransfer.spi;

/** Memory of another engine, resolved by one {@link Domain}. Opaque to the engine. */
public interface RemoteMemory {}
