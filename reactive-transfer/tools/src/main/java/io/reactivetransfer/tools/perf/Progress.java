package io.reactivetransfer.tools.perf;

import io.reactivetransfer.tools.ByteCount;
import io.reactivetransfer.tools.ChangingLine;
import java.io.PrintWriter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Shows what runs: one line that changes on a terminal, a line for each size otherwise. */
final class Progress {

  private final ChangingLine line;
  private final int sizes;
  private int size;
  private @Nullable Layout layout;
  private String phase = "";
  private long startNanos;
  private long runNanos;

  Progress(PrintWriter out, Plan plan) {
    this.line = new ChangingLine(out);
    this.sizes = plan.sizes().size();
  }

  /** A line for people. */
  synchronized void say(String text) {
    line.say(text);
  }

  /** Something begins that takes so long. */
  synchronized void begin(Layout layout, String phase, long nanos) {
    this.layout = layout;
    this.phase = phase;
    runNanos = nanos;
    startNanos = System.nanoTime();
    draw("");
  }

  /** So many operations of the present run are done. */
  synchronized void operations(long done) {
    Layout running = layout;
    if (running != null) {
      double seconds = (System.nanoTime() - startNanos) / 1e9;
      draw(
          String.format(
              Locale.ROOT,
              ", %,.0f operations/s, %.3f GB/s",
              done / seconds,
              done * running.operationBytes() / seconds / 1e9));
    }
  }

  /** A size is over. */
  synchronized void measured(Result result) {
    size++;
    say(
        String.format(
            Locale.ROOT,
            "%d of %d: %s, %,.0f operations/s, %.3f GB/s",
            size,
            sizes,
            new ByteCount(result.layout().size()),
            result.ours().operationsPerSecond(),
            result.bytesPerSecond() / 1e9));
    layout = null;
  }

  /** Removes the changing line. */
  synchronized void clear() {
    line.clear();
  }

  private void draw(String rates) {
    Layout running = layout;
    if (line.isLive() && running != null) {
      line.draw(
          String.format(
              Locale.ROOT,
              "%d of %d: %s, %s, %.1f of %.1f s%s",
              size + 1,
              sizes,
              new ByteCount(running.size()),
              phase,
              (System.nanoTime() - startNanos) / 1e9,
              runNanos / 1e9,
              rates));
    }
  }
}
