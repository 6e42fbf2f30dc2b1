package io.reactivetransfer.tools.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A pair of engines, one on each side, that is opened, works, and is closed, again and again. */
final class Lane {

  private final String name;
  private final List<Side> sides;

  Lane(String name, List<Side> sides) {
    this.name = name;
    this.sides = sides;
  }

  /** One life. */
  void live(Task task) throws InterruptedException {
    String opening = Host.OPEN + " " + name + " " + task.toLine();
    List<String> greetings = ask(List.of(opening, opening));
    String run = Host.RUN + " " + name + " ";
    ask(List.of(run + greetings.get(1), run + greetings.get(0)));
    String closing = Host.CLOSE + " " + name;
    ask(List.of(closing, closing));
  }

  /** Asks both at the same time; the first failure ends it, whichever of them has it. */
  private List<String> ask(List<String> lines) throws InterruptedException {
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    try {
      CompletionService<String> ends = new ExecutorCompletionService<>(threads);
      List<Future<String>> answers = new ArrayList<>();
      for (int i = 0; i < lines.size(); i++) {
        Side side = sides.get(i);
        String line = lines.get(i);
        answers.add(ends.submit(() -> side.ask(line)));
      }
      answer(ends.take());
      answer(ends.take());
      return List.of(answer(answers.get(0)), answer(answers.get(1)));
    } finally {
      threads.shutdownNow();
    }
  }

  private static String answer(Future<String> answer) throws InterruptedException {
    try {
      return answer.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SoakFailure failure) {
        throw failure;
      }
      throw new SoakFailure(String.valueOf(e.getCause()), e.getCause());
    }
  }
}
