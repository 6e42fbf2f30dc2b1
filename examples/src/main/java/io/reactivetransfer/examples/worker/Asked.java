package io.reactivetransfer.examples.worker;

import java.io.IOException;
import java.util.Collection;

/** A {@link Worker}, seen from whoever asks it, wherever it runs. */
public interface Asked extends AutoCloseable {

  /** Asks, without waiting for the answer. */
  void ask(String line);

  /** The next answer. The first one is that it is ready. */
  String awaitAnswer() throws IOException, InterruptedException;

  /** Asks, and waits for the answer. */
  default String answer(String line) throws IOException, InterruptedException {
    ask(line);
    return awaitAnswer();
  }

  /** Has it end by itself, without waiting for that. */
  void askToEnd();

  /**
   * Has it end by itself, unless it was asked already, and waits for that.
   *
   * @throws IOException if it has not ended well
   */
  void end() throws IOException, InterruptedException;

  /** Has all end by themselves at once, for those that wait for each other then. */
  static void endAll(Collection<? extends Asked> workers) throws IOException, InterruptedException {
    for (Asked worker : workers) {
      worker.askToEnd();
    }
    endInTurn(workers);
  }

  /**
   * Has one after the other end by itself.
   *
   * @throws IOException if some have not ended well: why the first has not, and behind it the
   *     others
   */
  static void endInTurn(Collection<? extends Asked> workers)
      throws IOException, InterruptedException {
    IOException first = null;
    for (Asked worker : workers) {
      try {
        worker.end();
      } catch (IOException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }

  /** Closes what has failed, and adds to why it has failed what that throws. */
  static void closeAfter(Throwable failure, AutoCloseable failed) {
    try {
      failed.close();
    } catch (Exception e) {
      failure.addSuppressed(e);
    }
  }

  /** Ends it at once. */
  @Override
  void close();
}
