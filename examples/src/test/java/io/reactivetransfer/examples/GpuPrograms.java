package io.reactivetransfer.examples;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;

/**
 * Runs one program after the other, in one process, since a process has one driver of GPUs: the
 * arguments of each are a line of its stdin. It ends with that.
 */
final class GpuPrograms {

  static final String SEPARATOR = "\t";

  /** What each line begins with that says how a program has ended. */
  static final String ENDED = "ended ";

  private GpuPrograms() {}

  /** Needs no arguments. */
  public static void main(String[] none) throws IOException {
    Locale.setDefault(Locale.ROOT); // as Main does
    PrintStream stdout = System.out;
    BufferedReader stdin =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = stdin.readLine(); line != null; line = stdin.readLine()) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      ByteArrayOutputStream err = new ByteArrayOutputStream();
      System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
      System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
      int code =
          Main.commandLine()
              .setOut(new PrintWriter(System.out, true))
              .setErr(new PrintWriter(System.err, true))
              .execute(line.split(SEPARATOR));
      stdout.println(); // a child may have left a line without its end
      stdout.println(ENDED + code + " " + encoded(out) + " " + encoded(err));
    }
    System.exit(0);
  }

  /** In one word. */
  private static String encoded(ByteArrayOutputStream bytes) {
    return Base64.getEncoder().encodeToString(bytes.toByteArray());
  }
}
