package io.reactivetransfer.loopback;

/** Checks of ranges that may be anything, without overflow. */
final class Ranges {

  private Ranges() {}

  static boolean within(long offset, long length, long total) {
    return offset >= 0 && length >= 0 && length <= total && offset <= total - length;
  }

  static String describe(long offset, long length, long total) {
    return "expected a range within " + total + " bytes, got " + length + " at offset " + offset;
  }
}
