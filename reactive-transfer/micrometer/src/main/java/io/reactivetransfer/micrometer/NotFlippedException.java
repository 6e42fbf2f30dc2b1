package io.reactivetransfer.micrometer;

/**
 * What an observation of an update shows as its error that was not flipped to: the update itself
 * has a reason for people and no exception.
 */
final class NotFlippedException extends Exception {

  private static final long serialVersionUID = 1;

  NotFlippedException(String reason) {
    super(reason, null, false, false); // nothing was thrown where this is made
  }
}
