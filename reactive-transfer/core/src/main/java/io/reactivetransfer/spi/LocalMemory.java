package io.reactivetransfer.spi;

/**
 * Memory registered with one {@link Domain}. Made by it, and given back to it as the source of
 * writes.
 */
public interface LocalMemory {

  /**
   * What a remote engine must know to write here, 1 to 64 bytes that only backends of the same name
   * understand; offsets count from the beginning of the memory. Meaningless for memory registered
   * for local use.
   */
  byte[] key();
}
