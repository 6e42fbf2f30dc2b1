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

  /** Has it end by itself, unless it was asked already, and waits for that. */
  void end() throws InterruptedException;

  /** Has all end by themselves at once, for those that wait for each other then. */
  static void endAll(Collection<? extends Asked> workers) throws InterruptedException {
    for (Asked worker : workers) {
      worker.askToEnd();
    }
    for (Asked worker : workers) {
      worker.end();
    }
  }

  /** Ends it at once. */
  @Override
  void close();
}
