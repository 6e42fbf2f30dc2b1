package io.reactivetransfer.libfabric;

import io.reactivetransfer.spi.CompletionSink;

/**
 * A write that failed and is to be reported.
 *
 * @param token of the engine
 * @param code an errno, or 0
 * @param text what happened
 * @param posted whether the provider ever had it: then it may have arrived
 */
record Failure(long token, int code, String text, boolean posted) {

  /** Of a write that the provider had, or of more than a write. */
  Failure(long token, int code, String text) {
    this(token, code, text, true);
  }

  /** Of a write that was never given to the provider. */
  static Failure beforePost(long token, int code, String text) {
    return new Failure(token, code, text, false);
  }

  /** Only what was never posted has certainly not arrived. */
  void report(CompletionSink sink) {
    if (posted) {
      sink.failed(token, code, text);
    } else {
      sink.refused(token, code, text);
    }
  }
}
