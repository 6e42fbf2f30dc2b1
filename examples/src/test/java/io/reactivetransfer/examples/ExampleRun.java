package io.reactivetransfer.examples;

import io.reactivetransfer.tck.process.JavaProcess;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/**
 * An example that has ended.
 *
 * @param code its exit code
 * @param stdout what it has printed
 * @param stderr what it has complained of
 */
public record ExampleRun(int code, String stdout, String stderr) {

  /** Runs in this JVM what its caller asks for. */
  @FunctionalInterface
  private interface Program<E extends Exception> {
    int run() throws E;
  }

  /**
   * Runs an example: over a network each night in a process of its own, as a user starts it, so
   * that its stderr has what the processes complain of which it starts; else in this process.
   */
  public static ExampleRun over(String backend, String... arguments) throws Exception {
    boolean isNight = Integer.getInteger("reactivetransfer.rounds", 1) > 1;
    return isNight && !backend.equals("loopback")
        ? of(Main.class.getName(), arguments)
        : here(arguments);
  }

  /**
   * Runs it in this process, since another JVM would show no more than this one. What it starts is
   * in processes of its own, and what these complain of is not seen.
   */
  public static ExampleRun here(String... arguments) {
    return captured(() ->
        Main.commandLine()
            .setOut(new PrintWriter(System.out, true))
            .setErr(new PrintWriter(System.err, true))
            .execute(arguments));
  }

  /** Runs a program that ends by itself in this process. */
  public static ExampleRun here(Class<?> program) throws Exception {
    return captured(() -> {
      program.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
      return 0;
    });
  }

  /** Of short programs: all that is printed meanwhile is theirs. */
  private static <E extends Exception> ExampleRun captured(Program<E> program) throws E {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    ByteArrayOutputStream complaints = new ByteArrayOutputStream();
    PrintStream stdout = System.out;
    PrintStream stderr = System.err;
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(complaints, true, StandardCharsets.UTF_8));
    int code;
    try {
      code = program.run();
    } finally {
      System.setOut(stdout);
      System.setErr(stderr);
    }
    return new ExampleRun(
        code,
        printed.toString(StandardCharsets.UTF_8),
        complaints.toString(StandardCharsets.UTF_8));
  }

  /** Runs a program in a process of its own; its stderr has what those complain of it starts. */
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
