package io.reactivetransfer.tools;

import java.util.List;

/**
 * Does what the programs do that the tests start in processes of their own, with as little as
 * possible, so that a cache can be made of the classes that they need.
 */
final class Rehearsal {

  private static final List<String> PROGRAMS =
      List.of(
          "perf --in-process --backend=tcp --size=64 --seconds=0.01 --warmup=0 --rounds=1 --verify",
          "doctor");

  private Rehearsal() {}

  /** Needs no arguments. */
  public static void main(String[] arguments) {
    for (String program : PROGRAMS) {
      int code = Main.commandLine().execute(program.split(" "));
      if (code != 0) {
        throw new IllegalStateException("expected " + program + " to end well, got code " + code);
      }
    }
    System.exit(0);
  }
}
