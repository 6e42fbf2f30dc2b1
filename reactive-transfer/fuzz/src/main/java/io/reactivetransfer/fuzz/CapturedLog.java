package io.reactivetransfer.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What is written to the log, which tests have on the standard error stream, until it is closed.
 */
public final class CapturedLog implements AutoCloseable {

  private final PrintStream before = System.err;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /** Takes what is written from now on. */
  public CapturedLog() {
    System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
  }

  /** Lines that contain this. */
  public List<String> lines(String word) {
    return text().lines().filter(line -> line.contains(word)).toList();
  }

  /** All of it. */
  public String text() {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    System.setErr(before);
    before.print(text());
  }
}
