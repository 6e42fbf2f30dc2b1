package io.reactivetransfer.examples.cluster;

import io.reactivetransfer.examples.worker.WorkerChild;
import io.reactivetransfer.tools.OptionValues;
import io.reactivetransfer.tools.Verbosity;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of the example. */
@Command(
    name = "cluster",
    description =
        "Runs prefill and decode nodes that find each other by etcd, and changes who is there while"
            + " requests run.",
    sortOptions = false,
    footer = {
      "",
      "Each node is a process; etcd, which has to be installed, is one, too. Two prefill nodes"
          + " join, one is killed, one leaves, etcd drops its history, a decode node joins, one"
          + " leaves, and etcd is killed and started again, while another prefill node dies. With"
          + " --partition, one more dies while no node reaches etcd, which drops what they have not"
          + " heard of before they reach it again. Every byte is compared.",
      "Exit code 0: every request has arrived. 1: one has not, or something else has failed, and"
          + " stderr says what. 2: a wrong value."
    })
public final class ClusterCommand implements Callable<Integer>, Verbosity {

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--prefills",
      paramLabel = "N",
      description = "Prefill nodes in the beginning, 1 to 16. Default: 2.")
  private int prefills = 2;

  @Option(
      names = "--decodes",
      paramLabel = "N",
      description = "Decode nodes in the beginning, 1 to 16. Default: 3.")
  private int decodes = 3;

  @Option(
      names = "--requests",
      paramLabel = "N",
      description =
          "Requests of each decode node between one change and the next, 1 to 100,000. Default:"
              + " 200.")
  private int requests = 200;

  @Option(
      names = "--pause",
      paramLabel = "MILLIS",
      description =
          "For how long a decode node waits before it orders the next one of the four requests that"
              + " it has at a time, 0 to 10,000. Default: 0.")
  private int pause;

  @Option(
      names = "--partition",
      paramLabel = "SECONDS",
      description =
          "For how long nothing passes between the nodes and etcd, 1 to 600. Default: 0, not at"
              + " all.")
  private int partition;

  @Option(names = "--verbose", description = "Show stack traces.")
  private boolean verbose;

  @Option(names = "--role", hidden = true)
  private @Nullable String role;

  @Option(names = "--name", hidden = true)
  private String name = "";

  @Option(names = "--etcd", hidden = true)
  private String etcd = "";

  @Option(names = "--number", hidden = true)
  private int number;

  @Override
  public boolean isVerbose() {
    return verbose;
  }

  /** Runs it. */
  @Override
  public Integer call() throws IOException, InterruptedException {
    if (role != null) {
      boolean isPrefill = role.equals(ClusterNode.PREFILL);
      return WorkerChild.run(
          verbose,
          events ->
              isPrefill
                  ? PrefillNode.open(name, etcd)
                  : DecodeNode.open(name, etcd, number, Duration.ofMillis(pause)));
    }
    try {
      OptionValues.within("--prefills", prefills, 1, 16);
      OptionValues.within("--decodes", decodes, 1, 16);
      OptionValues.within("--requests", requests, 1, 100_000);
      OptionValues.within("--pause", pause, 0, 10_000);
      OptionValues.within("--partition", partition, 0, 600);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
    try (Cluster cluster = Cluster.open(pause, this::say)) {
      run(cluster);
      return print(cluster);
    }
  }

  private void run(Cluster cluster) throws IOException, InterruptedException {
    cluster.addPrefills(prefills);
    cluster.addDecodes(decodes);
    cluster.await(requests);
    cluster.addPrefills(2);
    cluster.await(requests);
    cluster.killPrefill();
    cluster.await(requests);
    cluster.endPrefill();
    cluster.await(requests);
    cluster.compact();
    cluster.addDecodes(1);
    cluster.endDecode();
    cluster.await(requests);
    cluster.addPrefills(1);
    cluster.killEtcd();
    cluster.killPrefill();
    cluster.await(requests);
    cluster.startEtcd();
    cluster.addPrefills(1);
    cluster.await(requests);
    if (partition > 0) {
      partition(cluster);
    }
    cluster.requireKnown();
    cluster.endAll();
  }

  /** Requests go on, and who dies is found by the engines alone. */
  private void partition(Cluster cluster) throws IOException, InterruptedException {
    cluster.partition();
    long end = System.nanoTime() + Duration.ofSeconds(partition).toNanos();
    cluster.await(requests);
    cluster.killPrefill();
    cluster.await(requests);
    TimeUnit.NANOSECONDS.sleep(end - System.nanoTime()); // not at all if it is over
    cluster.heal();
    cluster.addPrefills(1);
    cluster.await(requests);
  }

  private int print(Cluster cluster) {
    Requests all = cluster.requests();
    cluster.table().gap();
    cluster.table().line("together", all.toString());
    spec.commandLine().getOut().print(cluster.table().text());
    spec.commandLine().getOut().flush();
    if (all.failed() == 0 && all.areAccountedFor()) {
      return ExitCode.OK;
    }
    say(
        all.areAccountedFor()
            ? "requests have failed, the first of them " + all.why()
            : "expected each request to arrive or to fail, got others");
    return ExitCode.SOFTWARE;
  }

  private void say(String what) {
    spec.commandLine().getErr().println(spec.qualifiedName() + ": " + what);
    spec.commandLine().getErr().flush();
  }
}
