package io.reactivetransfer.examples.spring;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What {@code examples/run spring} starts: two nodes as processes of their own, or one of them. */
public final class SpringMain {

  private static final List<String> NODES = List.of("a", "b");

  /** Ends a node when the process that has started it is gone. */
  private static final String WITH_PARENT = "with-parent";

  private static final int SIGNALLED = 128;

  /** SIGHUP, SIGINT, SIGKILL and SIGTERM: what people end processes by. */
  private static final List<Integer> ENDING = List.of(1, 2, 9, 15);

  private SpringMain() {}

  /**
   * Starts both nodes and waits for their end, or becomes one of them.
   *
   * @param args spring, and behind it nothing; or the node, and then properties of Spring Boot,
   *     such as {@code --server.port=8090}
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length < 2) {
      int code = both();
      if (code != 0) {
        System.exit(code);
      }
    } else if (NODES.contains(args[1])) {
      List<String> arguments = new ArrayList<>(List.of(args).subList(2, args.length));
      if (arguments.remove(WITH_PARENT)) {
        endWithParent();
      }
      arguments.addFirst("--spring.profiles.active=" + args[1]);
      NodeApplication.main(arguments.toArray(String[]::new));
    } else {
      System.err.println(
          "examples/run spring: expected nothing behind it for both nodes, or a or b for one of"
              + " them and then properties such as --server.port=8090, got "
              + args[1]);
      System.exit(2);
    }
  }

  private static void endWithParent() {
    ProcessHandle.current()
        .parent()
        .ifPresent(parent -> {
          var _ = parent.onExit().thenRun(() -> System.exit(1));
        });
  }

  /** The exit code of the first that has failed by itself, or 0 if none has. */
  static int exitCode(List<Integer> codes) {
    return codes.stream().filter(SpringMain::isFailure).findFirst().orElse(0);
  }

  private static boolean isFailure(int code) {
    return code != 0 && !ENDING.contains(code - SIGNALLED);
  }

  private static int both() throws IOException, InterruptedException {
    List<Process> nodes = new CopyOnWriteArrayList<>(); // the hook may come meanwhile
    Runtime.getRuntime().addShutdownHook(new Thread(() -> nodes.forEach(Process::destroy)));
    for (String name : NODES) {
      Process node = new ProcessBuilder(command(name)).inheritIO().start();
      nodes.add(node);
      System.out.printf(
          "Node %s is process %d. To lose it: kill -9 %d; to have it again: examples/run spring"
              + " %s%n",
          name, node.pid(), node.pid(), name);
    }
    for (Process node : nodes) {
      var _ =
          node.onExit()
              .thenAccept(ended -> {
                if (isFailure(ended.exitValue())) { // half of the example is no use
                  nodes.forEach(Process::destroy);
                }
              });
    }
    List<Integer> codes = new ArrayList<>();
    for (Process node : nodes) {
      codes.add(node.waitFor());
    }
    return exitCode(codes);
  }

  /** The Java, the options and the class path of this process. */
  private static List<String> command(String name) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(SpringMain.class.getName(), "spring", name, WITH_PARENT));
    return command;
  }
}
