package io.reactivetransfer.examples.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** Nodes come and go, and etcd does, while requests run: each of them arrives. */
@Timeout(600)
class ClusterTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine command = new CommandLine(new ClusterCommand());
    command.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return command.execute(arguments);
  }

  private static void requireEtcd() {
    boolean isThere =
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(path -> Files.isExecutable(Path.of(path, "etcd")));
    if (!isThere) {
      String why = "etcd is not available: no program of that name; apt-get install etcd-server";
      if (Boolean.getBoolean("reactivetransfer.requireAll")) {
        fail(why + "; skipping it is forbidden by -DrequireAll");
      }
      System.err.println("ClusterTest is skipped: " + why);
      abort(why);
    }
  }

  @Test
  void everyRequestArrivesWhoeverComesAndGoes() {
    requireEtcd();
    // Longer than a lease, so that etcd takes all nodes for gone meanwhile. And without a pause the
    // requests would take all of a machine while the nodes wait for one another.
    assertThat(run("--decodes=1", "--requests=20", "--pause=100", "--partition=4", "--verbose"))
        .as("%s%n%s", out, err)
        .isZero();
    assertThat(out.toString().lines())
        .anyMatch(line -> line.matches("prefill-0 +killed"))
        .anyMatch(line -> line.matches("prefill-1 +served [0-9,]+ or more, and left"))
        .anyMatch(line -> line.matches("decode-0 +[0-9,]+ requests, [0-9,]+ arrived, 0 failed; .*"))
        .anyMatch(line ->
            line.matches(
                "etcd +compacted up to change [0-9,]+, all nodes connected;"
                    + " up to change [0-9,]+, [0-9,]+ of them seen by no node"))
        .anyMatch(
            line -> line.matches("together +[0-9,]+ requests, [0-9,]+ arrived, 0 failed; .*"));
    assertThat(err.toString())
        .contains(
            "killed etcd",
            "started etcd again",
            "cut all nodes off from etcd",
            "let all nodes reach etcd again",
            "etcd lists who is there: [decode-1, prefill-",
            "each decode node knows who is there");
  }

  @Test
  void aRequestThatFailedIsNotAccountedForAsArrived() {
    Requests some = Requests.ofLine("5 3 1 7 4: why not");
    assertThat(some.areAccountedFor()).isFalse();
    assertThat(some.plus(Requests.ofLine("2 2 1 2 ")))
        .isEqualTo(new Requests(7, 5, 2, 9, "4: why not"));
    assertThat(new Requests(5, 4, 1, 5, "x").areAccountedFor()).isTrue();
    assertThat(Requests.ofLine(some.toLine())).isEqualTo(some);
    assertThat(Requests.ofLine(Requests.NONE.toLine())).isEqualTo(Requests.NONE);
  }

  @Test
  void refusesWhatCannotBe() {
    assertThat(run("--prefills=0")).isEqualTo(2);
    assertThat(err.toString()).contains("expected --prefills of 1 to 16, got 0");
    assertThat(run("--pause=-1")).isEqualTo(2);
    assertThat(err.toString()).contains("expected --pause of 0 to 10,000, got -1");
    assertThat(run("--partition=601")).isEqualTo(2);
    assertThat(err.toString()).contains("expected --partition of 0 to 600, got 601");
  }
}
