package io.reactivetransfer.spi;

/** Whether a backend can run here. */
public sealed interface Availability {

  /** It can. */
  record Available() implements Availability {}

  /**
   * It cannot.
   *
   * @param reason what is missing
   * @param remedy what to do about it
   */
  record Unavailable(String reason, String remedy) implements Availability {}

  /** It can. */
  static Availability available() {
    return new Available();
  }

  /** It cannot, for this reason and with this remedy. */
  static Availability unavailable(String reason, String remedy) {
    return new Unavailable(reason, remedy);
  }
}
