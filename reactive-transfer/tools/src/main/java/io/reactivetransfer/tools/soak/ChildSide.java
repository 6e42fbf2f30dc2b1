package io.reactivetransfer.tools.soak;

import io.reactivetransfer.tools.Main;
import io.reactivetransfer.tools.process.Child;
import io.reactivetransfer.tools.process.ChildJvm;
import io.reactivetransfer.tools.process.LineChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/** A side in a process of its own, as its parent sees it; see {@link ChildProcess}. */
final class ChildSide implements Side, LineChannel.Listener {

  private static final long NATIVE_BYTES = 1L << 30;
  private static final Duration UNTIL_GONE = Duration.ofSeconds(8);

  private final int side;
  private final Child child;
  private final AtomicLong questions = new AtomicLong();
  private final Map<String, CompletableFuture<String>> open = new ConcurrentHashMap<>();
  private volatile boolean gone;

  private ChildSide(int side, Process process) {
    this.side = side;
    this.child = new Child("side " + side, process);
  }

  static ChildSide start(Plan plan, int side) throws IOException {
    List<String> arguments = new ArrayList<>(plan.toArguments());
    arguments.add("--side=" + side);
    ChildSide started = new ChildSide(side, ChildJvm.start(Main.class, NATIVE_BYTES, arguments));
    started.child.listen(started);
    return started;
  }

  long pid() {
    return child.pid();
  }

  @Override
  public String ask(String line) throws InterruptedException {
    String id = String.valueOf(questions.incrementAndGet());
    CompletableFuture<String> answer = new CompletableFuture<>();
    open.put(id, answer);
    child.tell(id + " " + line);
    if (gone) {
      answer.completeExceptionally(lost());
    }
    try {
      return answer.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof SoakFailure failure
          ? failure
          : new SoakFailure(e.toString(), e);
    } finally {
      open.remove(id);
    }
  }

  /** A word, the number of the question, the rest. */
  @Override
  public void line(String line) {
    String[] words = line.split(" ", 3);
    CompletableFuture<String> answer = words.length < 3 ? null : open.get(words[1]);
    if (answer == null) {
      return;
    }
    if (words[0].equals(ChildProcess.ANSWER)) {
      answer.complete(words[2]);
    } else {
      answer.completeExceptionally(new SoakFailure("side " + side + ": " + words[2], null));
    }
  }

  @Override
  public void ended() {
    gone = true;
    SoakFailure failure = lost();
    open.values().forEach(answer -> answer.completeExceptionally(failure));
  }

  private SoakFailure lost() {
    try {
      child.awaitEnd(UNTIL_GONE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return new SoakFailure("expected " + child + " to live, got: " + child.ending(), null);
  }

  @Override
  public void close() {
    child.destroy();
  }
}
