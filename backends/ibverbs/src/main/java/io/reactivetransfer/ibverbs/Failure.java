package io.reactivetransfer.ibverbs;

import io.reactivetransfer.spi.CompletionSink;

/**
 * Why writes have failed.
 *
 * @param code an errno, a status of a completion, or 0
 * @param text what happened
 * @param isCertain whether it is certain that no immediate of theirs was or will be counted; some
 *     bytes of the first one may have arrived
 */
record Failure(int code, String text, boolean isCertain) {

  /** The same, of what was never given to the device. */
  Failure asCertain() {
    return isCertain ? this : new Failure(code, text, true);
  }

  void report(CompletionSink sink, long token) {
    if (isCertain) {
      sink.refused(token, code, text);
    } else {
      sink.failed(token, code, text);
    }
  }
}
