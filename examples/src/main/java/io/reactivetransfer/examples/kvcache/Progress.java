package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.tools.ByteCount;
import io.reactivetransfer.tools.ChangingLine;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Shows how far it is: one line that changes on a terminal, a few lines otherwise. */
final class Progress {

  /** Without a terminal, a line for each tenth. */
  private static final int LINES = 10;

  private static final long REDRAW_NANOS = 50_000_000;

  private final Plan plan;
  private final ChangingLine line;
  private final List<Moment> moments = new ArrayList<>();
  private int lastTenth;
  private long startNanos;
  private long drawnNanos;

  Progress(PrintWriter out, Plan plan) {
    this.plan = plan;
    this.line = new ChangingLine(out);
  }

  /** A line for people. */
  synchronized void say(String text) {
    line.keep();
    line.say(text);
  }

  /** So many layers are done. */
  synchronized void layersDone(int done) {
    long now = System.nanoTime();
    if (startNanos == 0) {
      startNanos = now;
    }
    int layers = plan.shape().layers();
    if (line.isLive()) {
      if (done == layers || now - drawnNanos > REDRAW_NANOS) {
        drawnNanos = now;
        line.draw(text(done, now));
      }
    } else if (done * LINES / layers > lastTenth) {
      lastTenth = done * LINES / layers;
      line.say(text(done, now));
    }
  }

  /** Something has happened, for a picture of it. */
  synchronized void happened(Moment moment) {
    moments.add(moment);
  }

  /** All of that, in the order in which it was heard. */
  synchronized List<Moment> moments() {
    return List.copyOf(moments);
  }

  /** Ends the changing line. */
  synchronized void finishLine() {
    line.keep();
  }

  private String text(int done, long now) {
    int layers = plan.shape().layers();
    int filled = done * 20 / layers;
    String bar = "#".repeat(filled) + ".".repeat(20 - filled);
    double seconds = Math.max(1, now - startNanos) / 1e9;
    return String.format(
        "prefill: [%s] %d of %d layers written, %s, %.1f s ",
        bar, done, layers, new ByteCount(plan.shape().bytes() / layers * done), seconds);
  }
}
