package io.reactivetransfer.tools;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A command in this process, which saves one; what it starts by itself is in processes of its own.
 */
public final class CommandHere {

  private static final long PATIENCE_SECONDS = 150;

  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final StringWriter err = new StringWriter();
  private final CompletableFuture<Integer> code = new CompletableFuture<>();

  private CommandHere() {}

  /** Starts it, on a thread of its own. */
  public static CommandHere start(String... arguments) {
    CommandHere command = new CommandHere();
    Thread.ofPlatform()
        .daemon()
        .name("command " + arguments[0])
        .start(() -> {
          try {
            command.code.complete(
                Main.commandLine()
                    .setOut(new PrintWriter(new Lines(command.lines), true))
                    .setErr(new PrintWriter(command.err, true))
                    .execute(arguments));
          } catch (Throwable failure) {
            command.code.completeExceptionally(failure);
          }
        });
    return command;
  }

  /** Waits for a line with this in it; those before it are skipped. */
  public Matcher awaitLine(String pattern) throws InterruptedException {
    while (true) {
      String line = lines.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (line == null) {
        throw new AssertionError("no line with '" + pattern + "'; stderr:\n" + err);
      }
      Matcher matcher = Pattern.compile(pattern).matcher(line);
      if (matcher.find()) {
        return matcher;
      }
    }
  }

  /** Waits for its end. */
  public int exitCode() throws Exception {
    return code.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** All that it has complained of so far. */
  public String stderr() {
    return err.toString();
  }

  /** What is printed, cut into lines. */
  private static final class Lines extends Writer {

    private final BlockingQueue<String> lines;
    private final StringBuilder begun = new StringBuilder();

    Lines(BlockingQueue<String> lines) {
      this.lines = lines;
    }

    @Override
    public void write(char[] chars, int offset, int length) {
      begun.append(chars, offset, length);
      for (int end; (end = begun.indexOf("\n")) >= 0; begun.delete(0, end + 1)) {
        lines.add(begun.substring(0, end));
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
