package io.reactivetransfer.examples.worker;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;

/** A {@link Worker} in this process; it works while its answer is awaited. */
public final class LocalWorker implements Asked {

  private static final String READY = "";

  private final Worker worker;
  private final Queue<String> questions = new ArrayDeque<>();

  /** One that is open. */
  public LocalWorker(Worker worker) {
    this.worker = worker;
    questions.add(READY);
  }

  @Override
  public void ask(String line) {
    questions.add(line);
  }

  @Override
  public String awaitAnswer() throws IOException, InterruptedException {
    String question = questions.remove();
    try {
      return question.equals(READY) ? READY : worker.answer(question);
    } catch (IOException | InterruptedException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  @Override
  public void askToEnd() {
    // it works while it is waited for
  }

  @Override
  public void end() throws IOException {
    try {
      worker.close();
    } catch (RuntimeException e) {
      throw new IOException("a part of this process did not close: " + e, e);
    }
  }

  @Override
  public void close() {}
}
