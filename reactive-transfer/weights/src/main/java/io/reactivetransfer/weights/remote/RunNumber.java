package io.reactivetransfer.weights.remote;

import io.reactivetransfer.weights.version.UpdateNumber;

/**
 * By which number ranks of a trainer know an update among each other: 64 bits that all of them make
 * of its 192, without asking anybody. Two updates have the same one with a chance of one in 2^64.
 */
final class RunNumber {

  private RunNumber() {}

  static long of(UpdateNumber update) {
    return mixed(mixed(mixed(update.controller()) + update.round()) + update.serial());
  }

  /** Each bit depends on all bits, and no two numbers become the same. */
  private static long mixed(long number) {
    long mixed = (number ^ number >>> 32) * 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ mixed >>> 29) * 0xd6e8feb86659fd93L;
    return mixed ^ mixed >>> 32;
  }
}
