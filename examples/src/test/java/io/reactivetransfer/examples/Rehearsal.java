package io.reactivetransfer.examples;

import io.reactivetransfer.examples.cluster.RehearsedNodes;
import java.util.List;

/**
 * Does what the programs do that the tests start in processes of their own, with as little as
 * possible, so that a cache can be made of the classes that they need.
 */
final class Rehearsal {

  private static final List<String> PROGRAMS =
      List.of(
          "kv-cache --backend=loopback --layers=2 --pages=2 --page-size=4096",
          "moe --backend=loopback --ranks=2 --tokens=4 --experts=2 --top-k=1 --hidden=64 --steps=2",
          "weights --backend=loopback --size=100KiB --updates=1 --from=fsdp=1 --to=tp=1",
          "perf --backend=tcp --in-process --size=64 --seconds=0.01 --warmup=0 --rounds=1");

  private Rehearsal() {}

  /** Needs no arguments. */
  public static void main(String[] arguments) throws Exception {
    for (String program : PROGRAMS) {
      int code = Main.commandLine().execute(program.split(" "));
      if (code != 0) {
        throw new IllegalStateException("expected " + program + " to end well, got code " + code);
      }
    }
    RehearsedNodes.run();
    System.exit(0);
  }
}
