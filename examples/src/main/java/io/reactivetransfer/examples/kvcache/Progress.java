package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.tools.ByteCount;
import java.io.Console;
import java.io.PrintWriter;

/** Shows how far it is: one line that changes on a terminal, a few lines otherwise. */
final class Progress {

  /** Without a terminal, a line for each tenth. */
  private static final int LINES = 10;

  private static final long REDRAW_NANOS = 50_000_000;

  private final PrintWriter out;
  private final Plan plan;
  private final boolean live;
  private boolean lineOpen;
  private int lastTenth;
  private long startNanos;
  private long drawnNanos;

  @SuppressWarnings("SystemConsoleNull") // on 25 it is null again
  Progress(PrintWriter out, Plan plan) {
    this.out = out;
    this.plan = plan;
    Console console = System.console();
    this.live = console != null && console.isTerminal();
  }

  /** A line for people. */
  synchronized void say(String text) {
    finishLine();
    out.println(text);
    out.flush();
  }

  /** So many layers are done. */
  synchronized void layersDone(int done) {
    long now = System.nanoTime();
    if (startNanos == 0) {
      startNanos = now;
    }
    int layers = plan.shape().layers();
    if (live) {
      if (done == layers || now - drawnNanos > REDRAW_NANOS) {
        drawnNanos = now;
        out.print("\r" + line(done, now));
        lineOpen = true;
      }
    } else if (done * LINES / layers > lastTenth) {
      lastTenth = done * LINES / layers;
      out.println(line(done, now));
    }
    out.flush();
  }

  /** Ends the changing line. */
  synchronized void finishLine() {
    if (lineOpen) {
      out.println();
      lineOpen = false;
    }
  }

  private String line(int done, long now) {
    int layers = plan.shape().layers();
    int filled = done * 20 / layers;
    String bar = "#".repeat(filled) + ".".repeat(20 - filled);
    double seconds = Math.max(1, now - startNanos) / 1e9;
    return String.format(
        "prefill: [%s] %d of %d layers written, %s, %.1f s ",
        bar, done, layers, new ByteCount(plan.shape().bytes() / layers * done), seconds);
  }
}
