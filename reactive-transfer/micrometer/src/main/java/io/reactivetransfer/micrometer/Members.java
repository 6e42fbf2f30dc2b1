package io.reactivetransfer.micrometer;

/** Those that share meters, where their names are too many for meters of their own. */
interface Members<K> {

  /** It is counted here, too. */
  default void came(K member) {}

  /** Once, and behind everything else of it. What it did stays counted. */
  default void went(K member) {}
}
