package io.reactivetransfer.tools.process;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts a program again, in a process of its own. */
public final class ChildJvm {

  private ChildJvm() {}

  /**
   * Same Java, same class path, same options; its stderr is ours.
   *
   * @param main its main class
   * @param nativeBytes how much native memory it may allocate
   * @param arguments name of the command, and its options
   */
  public static Process start(Class<?> main, long nativeBytes, List<String> arguments)
      throws IOException {
    return start(main, List.of(), nativeBytes, arguments);
  }

  /**
   * The same for a program that needs more than ours do.
   *
   * @param main its main class
   * @param jvmOptions such as {@code --add-modules=jdk.incubator.vector}
   * @param nativeBytes how much native memory it may allocate
   * @param arguments name of the command, and its options
   */
  public static Process start(
      Class<?> main, List<String> jvmOptions, long nativeBytes, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.add("-XX:+UseSerialGC"); // starts faster, and there is next to no garbage
    command.add("-Xmx512m");
    command.add("-XX:MaxDirectMemorySize=" + nativeBytes);
    command.addAll(ourOptions());
    command.addAll(jvmOptions);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(arguments);
    return new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
  }

  /**
   * What this process was told about compilers and modules, so that both sides of a measurement are
   * alike.
   */
  private static List<String> ourOptions() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option ->
            option.startsWith("-XX:TieredStopAtLevel=") || option.startsWith("--add-modules="))
        .toList();
  }
}
