package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.infra.TestInfo;
import org.openjdk.jcstress.infra.runners.CounterThread;
import org.openjdk.jcstress.infra.runners.ForkedTestConfig;
import org.openjdk.jcstress.infra.runners.Runner;
import org.openjdk.jcstress.infra.runners.SpinLoopStyle;
import org.openjdk.jcstress.infra.runners.TestList;

/** Runs all races, for a tenth of a second each, or longer: {@code -Drace.seconds=30}. */
class RacesTest {

  private static final long MILLIS =
      Math.round(
          1_000 * Double.parseDouble(System.getProperty("reactivetransfer.races.seconds", "0.1")));

  private static final int STRIDES = 8;
  private static final int STRIDE = 16;
  private static final int HEAP_MIB = 64;

  @TempDir private Path directory;

  static Collection<String> races() {
    return TestList.tests();
  }

  /**
   * What jcstress does in a process of its own for each race, but in here, and always with whole
   * strides: jcstress has one race after the other where the processors are busy.
   */
  @ParameterizedTest
  @MethodSource("races")
  void endAsTheyMust(String race) throws Exception {
    TestInfo info = TestList.getInfo(race);
    assertThat(outcomes(runner(info)))
        .isNotEmpty()
        .allMatch(outcome -> accepted(info, outcome), "is an outcome that is accepted");
  }

  private static Runner<?> runner(TestInfo info) throws Exception {
    return (Runner<?>)
        Class.forName(info.generatedRunner())
            .getConstructor(ForkedTestConfig.class)
            .newInstance(config(info));
  }

  private static <R> Set<String> outcomes(Runner<R> runner) throws InterruptedException {
    Set<String> outcomes = new TreeSet<>();
    for (CounterThread<R> actor : runner.internalRun()) {
      actor.join();
      assertThat(actor.throwable()).isNull();
      actor.result().elementSet().forEach(outcome -> outcomes.add(outcome.toString()));
    }
    return outcomes;
  }

  /** As jcstress sends it to a process; there is no other way to make one. */
  private static ForkedTestConfig config(TestInfo info) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(SpinLoopStyle.THREAD_YIELD.ordinal());
      out.writeInt((int) MILLIS);
      out.writeInt(1); // iteration
      out.writeUTF(info.generatedRunner());
      out.writeInt(HEAP_MIB);
      out.writeInt(STRIDE);
      out.writeInt(STRIDES);
      out.writeBoolean(false); // not bound to processors
    }
    return new ForkedTestConfig(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
  }

  private static boolean accepted(TestInfo info, String state) {
    return info.cases().stream().anyMatch(c -> c.expect() == Expect.ACCEPTABLE && c.matches(state));
  }

  /**
   * As jcstress has it, each race in a process of its own whose code is compiled as that of users.
   */
  // A usual build has the same races, with the fast compiler only.
  @Tag("nightly")
  @Test
  @Timeout(600)
  void endAsTheyMustInProcesses() throws IOException, InterruptedException {
    Path log = directory.resolve("log");
    Process jcstress =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "org.openjdk.jcstress.Main",
                // one kind of virtual machine instead of all, and not too many engines at a time
                "-jvmArgs",
                "-XX:+UseParallelGC",
                // otherwise it has all processors busy for half a minute to count them
                "-c",
                String.valueOf(Runtime.getRuntime().availableProcessors()),
                // a small heap, of which only what is used is touched
                "-hs",
                String.valueOf(HEAP_MIB),
                "-pth",
                "false",
                "-sc",
                "false",
                "-af",
                "NONE",
                "-f",
                "1",
                "-iters",
                "1",
                "-time",
                String.valueOf(MILLIS),
                "-strideSize",
                String.valueOf(STRIDE),
                "-strideCount",
                String.valueOf(STRIDES),
                "-r",
                directory.resolve("report").toString(),
                "-t",
                "io.reactivetransfer.engine")
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertThat(jcstress.waitFor(9, TimeUnit.MINUTES)).as("ended within 9 minutes").isTrue();
    } finally {
      jcstress.destroyForcibly();
    }
    String output = Files.readString(log);
    assertThat(output).as("what jcstress says").contains("RUN RESULTS");
    assertThat(output).contains("Failed tests: No matches.", "Error tests: No matches.");
    assertThat(jcstress.exitValue()).as("exit code; it said %n%s", output).isZero();
  }
}
