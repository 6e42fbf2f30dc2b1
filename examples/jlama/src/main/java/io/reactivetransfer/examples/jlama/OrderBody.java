package io.reactivetransfer.examples.jlama;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What a decode node says to a prefill node beside what the library says: the prompt, and how this
 * example wants it to behave. To the library these are bytes.
 *
 * @param round which round of the decode node it is, for the figures
 * @param overlap whether layers are handed over while the next ones are computed, or all at the end
 * @param remember whether the prefix is to be known from now on
 * @param halt whether to wait behind the first layer until the order has ended: what ends it then
 *     comes in the middle on any machine
 * @param prompt the tokens
 */
record OrderBody(int round, boolean overlap, boolean remember, boolean halt, List<Integer> prompt) {

  private static final int OVERLAP = 1;
  private static final int REMEMBER = 2;
  private static final int HALT = 4;

  ByteBuffer write() {
    ByteBuffer bytes = ByteBuffer.allocate((2 + prompt.size()) * Integer.BYTES);
    bytes.putInt(round);
    bytes.putInt((overlap ? OVERLAP : 0) | (remember ? REMEMBER : 0) | (halt ? HALT : 0));
    prompt.forEach(bytes::putInt);
    return bytes.flip();
  }

  /**
   * Reads what {@link #write} has written.
   *
   * @throws IllegalArgumentException if it is something else
   */
  static OrderBody read(ByteBuffer bytes, int vocabulary) {
    if (bytes.remaining() < 3 * Integer.BYTES || bytes.remaining() % Integer.BYTES != 0) {
      throw new IllegalArgumentException(
          "expected a round, flags and a prompt, got " + bytes.remaining() + " bytes");
    }
    int round = bytes.getInt();
    int flags = bytes.getInt();
    List<Integer> prompt = new ArrayList<>();
    while (bytes.hasRemaining()) {
      int token = bytes.getInt();
      if (token < 0 || token >= vocabulary) {
        throw new IllegalArgumentException(
            "expected tokens of 0 to " + (vocabulary - 1) + ", got " + token);
      }
      prompt.add(token);
    }
    return new OrderBody(
        round, (flags & OVERLAP) != 0, (flags & REMEMBER) != 0, (flags & HALT) != 0, prompt);
  }
}
