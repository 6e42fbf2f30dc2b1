package io.reactivetransfer.weights.internal;

/** What somebody else's code has failed with, whose methods may throw themselves. */
public final class Failure {

  private Failure() {}

  /**
   * What it says, for people. An error says of which kind it is, too: the text of a missing class
   * is its name alone.
   */
  public static String textOf(Throwable failure) {
    try {
      String message = failure.getMessage();
      return message == null || failure instanceof Error ? String.valueOf(failure) : message;
    } catch (Throwable unsaid) {
      return "a " + failure.getClass().getName() + " that cannot say why";
    }
  }
}
