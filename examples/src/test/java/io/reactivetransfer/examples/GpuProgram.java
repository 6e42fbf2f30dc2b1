package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The programs with a GPU, which is the fake's. All that the tests of this JVM run share a process,
 * {@link GpuPrograms}, that ends with this one.
 */
public final class GpuProgram {

  private static final int PATIENCE_SECONDS = 150;

  private static @Nullable Process shared;

  private GpuProgram() {}

  /** Runs one. What it prints is what its process would have printed. */
  public static synchronized ExampleRun run(String... arguments) throws Exception {
    Process process = shared;
    if (process == null || !process.isAlive()) {
      process = start();
      shared = process;
    }
    Writer stdin = process.outputWriter(StandardCharsets.UTF_8);
    stdin.write(String.join(GpuPrograms.SEPARATOR, arguments) + "\n");
    stdin.flush();
    return awaitEnd(process);
  }

  private static ExampleRun awaitEnd(Process process) throws Exception {
    boolean isAnswered = false;
    try {
      ExampleRun run =
          CompletableFuture.supplyAsync(() -> ended(process))
              .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      isAnswered = true;
      return run;
    } finally {
      if (!isAnswered) { // what it says later, or a child of it does, is of no other program
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().onExit().join();
      }
    }
  }

  private static Process start() throws Exception {
    Path folder = Files.createTempDirectory("fake-cuda");
    folder.toFile().deleteOnExit();
    FakeCuda.compile(folder);
    folder.resolve("libcuda.so.1").toFile().deleteOnExit();
    ProcessBuilder command =
        JavaProcess.command(
            // Nobody measures here, so others may run benchmarks, too.
            List.of("--sun-misc-unsafe-memory-access=allow", "-Djmh.ignoreLock=true"),
            GpuPrograms.class.getName());
    FakeCuda.use(folder, command);
    return command.redirectErrorStream(true).start();
  }

  /**
   * What the line says that tells of its end. Whatever the JVM, a library or a child prints comes
   * before it, and is a complaint of the program, too.
   */
  private static ExampleRun ended(Process process) {
    StringBuilder printed = new StringBuilder();
    try {
      var stdout = process.inputReader(StandardCharsets.UTF_8);
      for (String line = stdout.readLine(); line != null; line = stdout.readLine()) {
        if (line.startsWith(GpuPrograms.ENDED)) {
          String[] words = line.substring(GpuPrograms.ENDED.length()).split(" ", -1);
          return new ExampleRun(
              Integer.parseInt(words[0]), decoded(words[1]), decoded(words[2]) + printed);
        }
        if (!line.isEmpty()) { // as the one is which ends a line of somebody else
          printed.append(line).append('\n');
        }
      }
    } catch (IOException e) {
      printed.append(e);
    }
    throw new AssertionError("the process of programs with a GPU has ended:\n" + printed);
  }

  private static String decoded(String word) {
    return new String(Base64.getDecoder().decode(word), StandardCharsets.UTF_8);
  }

  /** What a command prints that ends well and complains of nothing. */
  public static String output(String... arguments) throws Exception {
    ExampleRun program = run(arguments);
    assertThat(program.code()).as(program::toString).isZero();
    assertThat(program.stderr()).isEmpty();
    return program.stdout();
  }

  /** What a command complains of, in this process, that was given something that does not fit. */
  public static String refusal(String... arguments) {
    StringWriter err = new StringWriter();
    int code = Main.commandLine().setErr(new PrintWriter(err, true)).execute(arguments);
    assertThat(code).as(err::toString).isEqualTo(2);
    return err.toString();
  }
}
