package io.reactivetransfer.examples;

import io.reactivetransfer.tck.process.JavaProcess;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;

/**
 * An example that has ended.
 *
 * @param code its exit code
 * @param stdout what it has printed
 * @param stderr what it has complained of
 */
public record ExampleRun(int code, String stdout, String stderr) {

  /**
   * Runs it in this process, since another JVM would show no more than this one. What it starts is
   * in processes of its own.
   */
  public static ExampleRun here(String... arguments) {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    StringWriter err = new StringWriter();
    PrintStream stdout = System.out;
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8)); // of short programs
    try {
      int code =
          Main.commandLine()
              .setOut(new PrintWriter(System.out, true))
              .setErr(new PrintWriter(err, true))
              .execute(arguments);
      return new ExampleRun(code, printed.toString(StandardCharsets.UTF_8), err.toString());
    } finally {
      System.setOut(stdout);
    }
  }

  /** Runs a program that ends by itself in this process, with what it prints to stdout. */
  public static ExampleRun here(Class<?> program) throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream stdout = System.out;
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      program.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
    } finally {
      System.setOut(stdout);
    }
    return new ExampleRun(0, printed.toString(StandardCharsets.UTF_8), "");
  }

  /** Runs a class of the tests which starts what an example does in processes of their own. */
  public static ExampleRun of(String mainClass, String... arguments) throws Exception {
    try (JavaProcess program = JavaProcess.start(mainClass, arguments)) {
      program.handle().onExit().get(); // for as long as the test may take
      int code = program.exitCode();
      return new ExampleRun(code, program.stdout(), program.stderr());
    }
  }

  /** All that it has said, for who wants to know why it failed. */
  @Override
  public String toString() {
    return "exit code " + code + "\n" + stdout + stderr;
  }
}
