package io.reactivetransfer.control;

import java.security.SecureRandom;

/** Gives one byte after the other, each one more than the one before. */
final class CountingRandom extends SecureRandom {

  private static final long serialVersionUID = 1L;

  private int next;

  CountingRandom(int first) {
    this.next = first;
  }

  @Override
  public void nextBytes(byte[] bytes) {
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) next++;
    }
  }
}
