package io.reactivetransfer.examples.weights;

import io.reactivetransfer.examples.worker.Events;
import io.reactivetransfer.tools.ByteCount;
import io.reactivetransfer.tools.ChangingLine;
import io.reactivetransfer.weights.run.StageProgress;
import java.io.PrintWriter;

/** Shows how far an update is: one line that changes on a terminal, a few lines otherwise. */
final class Progress implements Events {

  private static final int BAR = 20;

  private final ChangingLine line;
  private String update = "";
  private boolean isShown;

  Progress(PrintWriter out) {
    this.line = new ChangingLine(out);
  }

  /** A line for people. */
  synchronized void say(String text) {
    line.keep();
    line.say(text);
  }

  /** From now on it is about this one. */
  synchronized void begin(String name) {
    update = name;
    isShown = true;
  }

  /** Nothing more is shown. */
  synchronized void end() {
    line.clear();
    isShown = false;
  }

  @Override
  public synchronized void happened(String word, String rest) {
    if (!word.equals("progress")) {
      say(word + " " + rest);
    } else if (isShown) {
      TrainerFigures now = TrainerFigures.of(rest);
      if (line.isLive()) {
        line.draw(text(now));
      } else if (now.steps() > 0) {
        line.say(text(now));
      }
    }
  }

  private String text(TrainerFigures now) {
    int filled = (int) (now.written().steps() * BAR / Math.max(1, now.steps()));
    return "%s: [%s%s] %d of %d steps written, %s; loaded %s, gathered %s, prepared %s "
        .formatted(
            update,
            "#".repeat(filled),
            ".".repeat(BAR - filled),
            now.written().steps(),
            now.steps(),
            new ByteCount(now.written().bytes()),
            stage(now.loaded()),
            stage(now.gathered()),
            stage(now.prepared()))
        .stripTrailing();
  }

  private static String stage(StageProgress stage) {
    return String.valueOf(stage.steps());
  }
}
