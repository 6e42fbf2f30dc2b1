package io.reactivetransfer.tools;

import java.io.Console;
import java.io.PrintWriter;

/** Lines for people, and behind them one that changes, if they are on a terminal. */
public final class ChangingLine {

  private final PrintWriter out;
  private final boolean live;
  private int length;

  /** Writes there, and looks whether it is a terminal. */
  @SuppressWarnings("SystemConsoleNull") // on 25 it is null again
  public ChangingLine(PrintWriter out) {
    this.out = out;
    Console console = System.console();
    this.live = console != null && console.isTerminal();
  }

  /** Whether there is a line that changes. */
  public boolean isLive() {
    return live;
  }

  /** A line that stays. */
  public synchronized void say(String text) {
    clear();
    out.println(text);
    out.flush();
  }

  /** What the line that changes says from now on. */
  public synchronized void draw(String text) {
    if (live) {
      out.print("\r" + text + " ".repeat(Math.max(0, length - text.length())));
      out.flush();
      length = text.length();
    }
  }

  /** Removes the line that changes. */
  public synchronized void clear() {
    if (length > 0) {
      out.print("\r" + " ".repeat(length) + "\r");
      out.flush();
      length = 0;
    }
  }

  /** Leaves the line that changes as it is. */
  public synchronized void keep() {
    if (length > 0) {
      out.println();
      out.flush();
      length = 0;
    }
  }
}
