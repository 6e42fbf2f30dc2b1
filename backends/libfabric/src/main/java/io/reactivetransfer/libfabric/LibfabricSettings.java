package io.reactivetransfer.libfabric;

import java.util.Optional;

/**
 * What a backend was built with.
 *
 * @param library name or path of the library
 * @param provider the one to use; empty for the best
 * @param host where providers over IP listen
 * @param nics NICs of an engine that is not told how many, where they are software
 */
record LibfabricSettings(String library, Optional<String> provider, String host, int nics) {

  /** Where providers over IP listen unless told otherwise. */
  static final String LOOPBACK = "127.0.0.1";
}
