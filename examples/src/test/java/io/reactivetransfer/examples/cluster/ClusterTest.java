package io.reactivetransfer.examples.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.reactivetransfer.examples.ExampleRun;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes come and go, and etcd does, while requests run: each of them arrives. */
// A usual build has the roles of this example by TogetherTest, in one process.
@Tag("merge")
@Timeout(600)
class ClusterTest {

  private static void requireEtcd() {
    if (!Etcd.isInstalled()) {
      String why = "etcd is not available: no program of that name; apt-get install etcd-server";
      if (Boolean.getBoolean("reactivetransfer.requireAll")) {
        fail(why + "; skipping it is forbidden by -DrequireAll");
      }
      System.err.println("ClusterTest is skipped: " + why);
      abort(why);
    }
  }

  private static ExampleRun run(int partitionSeconds) {
    requireEtcd();
    // Without a pause the requests would take all of a machine while the nodes wait for one
    // another.
    ExampleRun program =
        ExampleRun.here(
            "cluster",
            "--prefills=1",
            "--decodes=1",
            "--requests=10",
            "--pause=100",
            "--partition=" + partitionSeconds,
            "--verbose");
    assertThat(program.code()).as(program::toString).isZero();
    assertThat(program.stdout().lines())
        .anyMatch(line -> line.matches("prefill-0 +killed"))
        .anyMatch(line -> line.matches("prefill-1 +served [0-9,]+ or more, and left"))
        .anyMatch(line -> line.matches("decode-0 +[0-9,]+ requests, [0-9,]+ arrived, 0 failed; .*"))
        .anyMatch(
            line -> line.matches("etcd +compacted up to change [0-9,]+, all nodes connected.*"))
        .anyMatch(
            line -> line.matches("together +[0-9,]+ requests, [0-9,]+ arrived, 0 failed; .*"));
    assertThat(program.stderr())
        .contains(
            "killed etcd",
            "started etcd again",
            "etcd lists who is there: [decode-1, prefill-",
            "each decode node knows who is there");
    return program;
  }

  @Test
  void everyRequestArrivesWhoeverComesAndGoes() {
    assertThat(run(0).stderr()).doesNotContain("cut all nodes off from etcd");
  }

  // In a usual build the membership's PartitionTest cuts nodes off from etcd, and its EtcdAwayTest
  // compacts what they have not heard of; no pipeline runs beside it there.
  @Test
  @Tag("nightly")
  void everyRequestArrivesWhileNoNodeReachesEtcd() {
    ExampleRun program = run(4); // longer than a lease, so that etcd takes all nodes for gone
    assertThat(program.stdout())
        .containsPattern("; up to change [0-9,]+, [0-9,]+ of them seen by no node");
    assertThat(program.stderr())
        .contains("cut all nodes off from etcd", "let all nodes reach etcd again");
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

  private static void assertIsRefused(String argument, String why) {
    ExampleRun program = ExampleRun.here("cluster", argument);
    assertThat(program.code()).isEqualTo(2);
    assertThat(program.stderr()).contains(why);
  }

  @Test
  void refusesWhatCannotBe() {
    assertIsRefused("--prefills=0", "expected --prefills of 1 to 16, got 0");
    assertIsRefused("--pause=-1", "expected --pause of 0 to 10,000, got -1");
    assertIsRefused("--partition=601", "expected --partition of 0 to 600, got 601");
  }
}
