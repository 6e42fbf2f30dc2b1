package io.reactivetransfer.tck.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A program in a process of its own, with what it prints. */
@SuppressWarnings("JdkObsolete") // what it printed is shown while its readers go on
public final class JavaProcess implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(150);

  /** Two of them are an error. */
  private static final Pattern COLLECTOR = Pattern.compile("-XX:\\+Use[A-Za-z0-9]+GC");

  private final Process process;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final StringBuffer stdout = new StringBuffer();
  private final StringBuffer stderr = new StringBuffer();
  private final List<Thread> readers;

  private JavaProcess(Process process) {
    this.process = process;
    this.readers =
        List.of(
            read(process.inputReader(StandardCharsets.UTF_8), stdout),
            read(process.errorReader(StandardCharsets.UTF_8), stderr));
  }

  /**
   * How to start a program with the Java and the class path of this process. What this process was
   * told about compilers by {@code -XX:TieredStopAtLevel} and about its collector by {@code
   * -XX:+UseSerialGC} holds for that one, too, unless its options name a collector.
   *
   * <p>Where the system property {@code reactivetransfer.tck.classes} names a folder, and an {@link
   * EngineProcess} has left a cache of classes there, this program begins with it, too.
   *
   * @param jvmOptions such as {@code -Xmx128m}
   * @param mainClass the name of its class
   * @param arguments those of the program
   */
  public static ProcessBuilder command(
      List<String> jvmOptions, String mainClass, String... arguments) {
    return command(jvmOptions, ClassCache.OF_THIS.options(), mainClass, arguments);
  }

  /** The same with the options that have the class path. */
  static ProcessBuilder command(
      List<String> jvmOptions, List<String> classPath, String mainClass, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    boolean hasCollector = jvmOptions.stream().anyMatch(COLLECTOR.asMatchPredicate());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option ->
            option.startsWith("-XX:TieredStopAtLevel=")
                || (option.equals("-XX:+UseSerialGC") && !hasCollector))
        .forEach(command::add);
    command.addAll(jvmOptions);
    command.addAll(classPath);
    command.add(mainClass);
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }

  /** Starts a program with the Java and the class path of this process. */
  public static JavaProcess start(String mainClass, String... arguments) throws IOException {
    return start(command(List.of("--sun-misc-unsafe-memory-access=allow"), mainClass, arguments));
  }

  /** Starts what {@link #command} has made. */
  public static JavaProcess start(ProcessBuilder command) throws IOException {
    return new JavaProcess(command.start());
  }

  /** The process itself. */
  public ProcessHandle handle() {
    return process.toHandle();
  }

  /**
   * Waits for a line with this in it.
   *
   * @param pattern a regular expression; lines before that are skipped
   * @throws TimeoutException if none came in time; with all that it printed
   */
  public Matcher awaitLine(String pattern) throws InterruptedException, TimeoutException {
    Pattern compiled = Pattern.compile(pattern);
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      String line = lines.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (line == null) {
        throw new TimeoutException(
            "no line with '" + pattern + "' in:\n" + stdout + "\nstderr:\n" + stderr);
      }
      Matcher matcher = compiled.matcher(line);
      if (matcher.find()) {
        return matcher;
      }
    }
  }

  /**
   * Waits for its end.
   *
   * @throws TimeoutException if it did not end in time; with all that it printed
   */
  public int exitCode() throws InterruptedException, TimeoutException {
    if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new TimeoutException("still running:\n" + stdout + "\nstderr:\n" + stderr);
    }
    for (Thread reader : readers) {
      reader.join();
    }
    return process.exitValue();
  }

  /** All that it has printed so far. */
  public String stdout() {
    return stdout.toString();
  }

  /** All that it has complained of so far. */
  public String stderr() {
    return stderr.toString();
  }

  /** Ends it and its children, if they are still there. */
  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  private Thread read(BufferedReader reader, StringBuffer into) {
    return Thread.ofVirtual()
        .start(() -> {
          try (reader) {
            String line;
            while ((line = reader.readLine()) != null) {
              into.append(line).append('\n');
              if (into == stdout) {
                lines.add(line);
              }
            }
          } catch (IOException | UncheckedIOException e) {
            into.append(e).append('\n');
          }
        });
  }
}
