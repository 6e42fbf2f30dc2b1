package io.reactivetransfer.examples.jlama;

import io.reactivetransfer.tck.process.JavaProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The program as a user starts it, with a model and prompts that are over soon. */
final class Programs {

  /** Far more than it takes; machines that build are busy. */
  private static final long PATIENCE_SECONDS = 170;

  /**
   * With both compilers, whatever this JVM has: the first one alone makes objects of vectors, and
   * what is computed with them takes ten times as long.
   */
  private static final List<String> JVM_OPTIONS =
      List.of(
          "--sun-misc-unsafe-memory-access=allow",
          "--add-modules=jdk.incubator.vector",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=4");

  private Programs() {}

  /** Waits for the end of one. */
  static int exitCode(JavaProcess program) throws Exception {
    try {
      var _ = program.handle().onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      // what it printed so far is said below
    }
    return program.exitCode();
  }

  static JavaProcess jlama(String... arguments) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "jlama", "--embedding=128", "--tokens=32", "--block-tokens=16", "--generate=8"));
    all.addAll(List.of(arguments));
    return JavaProcess.start(
        JavaProcess.command(JVM_OPTIONS, JlamaMain.class.getName(), all.toArray(String[]::new)));
  }
}
