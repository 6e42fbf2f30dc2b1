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

  /** What the other process says, on a thread of its own. */
  public interface Listener {
    /** A line, without its end. */
    void line(String line);

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
   */
  public synchronized boolean tell(String line) {
    try {
      out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
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
        throw new IOException("expected lines of up to " + MAX_LINE_BYTES + " bytes, got more");
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
          } catch (IOException e) {
            // it is gone; how it ended says more
          } finally {
            listener.ended();
          }
        });
  }
}
