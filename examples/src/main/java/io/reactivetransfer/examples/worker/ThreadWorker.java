package io.reactivetransfer.examples.worker;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Worker} in this process with a thread of its own: it works as soon as it is asked, so
 * that several of them can wait for each other.
 */
public final class ThreadWorker implements Asked {

  private final String name;
  private final Worker worker;
  private final ExecutorService thread;
  private final LinkedBlockingQueue<Future<String>> answers = new LinkedBlockingQueue<>();
  private @Nullable Future<?> ending;

  /** One that is open. */
  public ThreadWorker(String name, Worker worker) {
    this.name = name;
    this.worker = worker;
    this.thread =
        Executors.newSingleThreadExecutor(Thread.ofPlatform().name(name).daemon().factory());
    answers.add(CompletableFuture.completedFuture("ready"));
  }

  @Override
  public void ask(String line) {
    answers.add(thread.submit(() -> worker.answer(line)));
  }

  @Override
  public String awaitAnswer() throws IOException, InterruptedException {
    try {
      return answers.take().get();
    } catch (ExecutionException e) {
      throw new IOException(this + ": " + e.getCause(), e.getCause());
    }
  }

  @Override
  public void askToEnd() {
    ending = asked();
  }

  private Future<?> asked() {
    Future<?> asked = ending;
    return asked == null ? thread.submit(worker::close) : asked;
  }

  @Override
  public void end() throws IOException, InterruptedException {
    try {
      asked().get();
    } catch (ExecutionException e) {
      throw new IOException(this + " did not close: " + e.getCause(), e.getCause());
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }

  @Override
  public String toString() {
    return name;
  }
}
