package io.reactivetransfer.examples.worker;

import java.io.IOException;

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

  /** Has it end by itself, and waits for that. */
  void end() throws InterruptedException;

  /** Ends it at once. */
  @Override
  void close();
}
