package io.reactivetransfer.tools.process;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Lines of text to and from another process, each of a bounded length. */
public final class LineChannel {

  /** Descriptors and addresses of eight NICs take a few thousand. */
  static final int MAX_LINE_BYTES = 1 << 16;

  /** Of a line that is too long, this much is named. */
  private static final int SHOWN_BYTES = 20;

  private static final class TooLongException extends IOException {
    private static final long serialVersionUID = 1;

    TooLongException() {
      super("expected lines of up to " + MAX_LINE_BYTES + " bytes, got more");
    }
  }

  /** What the other process says, on a thread of its own. */
  public interface Listener {
    /** A line, without its end. */
    void line(String line);

    /** What it says cannot be read any more, and why; then nothing more comes. */
    default void unreadable(String why) {}

    /** Nothing more comes. Called once, last. */
    void ended();
  }

  private final InputStream in;
  private final OutputStream out;

  /** Over these two, which whoever made them closes. */
  public LineChannel(InputStream in, OutputStream out) {
    this.in = new BufferedInputStream(in);
    this.out = out;
  }

  /**
   * Says a line.
   *
   * @return false if nobody takes it any more; then the end of what the other one says follows
   * @throws IllegalStateException if it is longer than a line may be; nothing is said then
   */
  public synchronized boolean tell(String line) {
    byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
    if (bytes.length - 1 > MAX_LINE_BYTES) {
      throw new IllegalStateException(
          "expected a line of up to "
              + MAX_LINE_BYTES
              + " bytes to say, got "
              + (bytes.length - 1)
              + ": say it in parts ("
              + new String(bytes, 0, SHOWN_BYTES, StandardCharsets.UTF_8)
              + "...)");
    }
    try {
      out.write(bytes);
      out.flush();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * The next line, or null if there is none any more; only while nobody listens.
   *
   * @throws IOException if it cannot be read, or is longer than a line may be
   */
  public @Nullable String read() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    int next;
    while ((next = in.read()) != '\n') {
      if (next < 0) {
        return null; // half a line is none
      }
      if (line.size() == MAX_LINE_BYTES) {
        throw new TooLongException();
      }
      if (next != '\r') {
        line.write(next);
      }
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  /** Begins to listen; returns the thread that does, which ends with what it listens to. */
  public Thread listen(String name, Listener listener) {
    return Thread.ofPlatform()
        .name(name)
        .daemon()
        .start(() -> {
          try {
            String line;
            while ((line = read()) != null) {
              listener.line(line);
            }
          } catch (TooLongException e) {
            listener.unreadable(String.valueOf(e.getMessage()));
          } catch (IOException e) {
            // it is gone; how it ended says more
          } finally {
            listener.ended();
          }
        });
  }
}
