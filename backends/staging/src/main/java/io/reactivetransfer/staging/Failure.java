package io.reactivetransfer.staging;

import io.reactivetransfer.spi.BackendException;

/**
 * Why something failed.
 *
 * @param code of who has refused it, or 0
 * @param text what happened
 */
record Failure(int code, String text) {

  static Failure of(String what, Throwable cause) {
    int code = cause instanceof BackendException known ? known.code() : 0;
    return new Failure(code, what + cause.getMessage());
  }
}
