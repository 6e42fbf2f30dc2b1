package io.reactivetransfer;

/**
 * One of the ways on which two engines exchange messages. Each has an order, credits and a
 * subscriber of its own, so that a channel which nobody reads holds up no other, and libraries on
 * one engine do not take each other's messages.
 *
 * <p>Both sides must mean the same by a number. 0 to 15 are the application's, which hands them
 * out; 16 to 31 are for libraries, each of which says in its documentation which one it uses: 16 to
 * 18 are those of {@code reactive-transfer-kv-cache}, 19 to 24 those of {@code
 * reactive-transfer-weights}, 25 is that of {@code reactive-transfer-moe}.
 *
 * @param number 0 to {@link #MAX_NUMBER}
 */
public record MessageChannel(int number) {

  /** The greatest number. */
  public static final int MAX_NUMBER = 31;

  /** Number 0: what is meant where no channel is named. */
  public static final MessageChannel DEFAULT = new MessageChannel(0);

  /** Checks the number. */
  public MessageChannel {
    if (number < 0 || number > MAX_NUMBER) {
      throw new IllegalArgumentException(
          "expected a message channel of 0 to " + MAX_NUMBER + ", got " + number);
    }
  }
}
