package io.reactivetransfer.examples;

import io.reactivetransfer.examples.cluster.ClusterCommand;
import io.reactivetransfer.examples.kvcache.KvCacheCommand;
import io.reactivetransfer.examples.moe.MoeCommand;
import io.reactivetransfer.examples.observe.ObserveCommand;
import io.reactivetransfer.examples.together.TogetherCommand;
import io.reactivetransfer.examples.weights.WeightsCommand;
import io.reactivetransfer.tools.CommandLines;
import io.reactivetransfer.tools.JmhCommand;
import io.reactivetransfer.tools.SimulateCommand;
import io.reactivetransfer.tools.doctor.DoctorCommand;
import io.reactivetransfer.tools.jmh.RecorderCostCommand;
import io.reactivetransfer.tools.moe.HostWorkCommand;
import io.reactivetransfer.tools.perf.PerfCommand;
import io.reactivetransfer.tools.soak.SoakCommand;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** All examples, and the tools. Without a name it lists them. */
@Command(
    name = "examples/run",
    synopsisSubcommandLabel = "NAME",
    description = "Runs an example of reactive-transfer.",
    footer = {"", "examples/run help NAME shows the options of an example."},
    commandListHeading = "%nExamples:%n",
    subcommands = {
      KvCacheCommand.class,
      WeightsCommand.class,
      MoeCommand.class,
      TogetherCommand.class,
      ClusterCommand.class,
      ObserveCommand.class,
      Elsewhere.Jlama.class,
      Elsewhere.Spring.class,
      PerfCommand.class,
      FirstWriteCommand.class,
      FirstTargetCommand.class,
      FirstOriginCommand.class,
      StreamTargetCommand.class,
      StreamOriginCommand.class,
      FirstHandOverCommand.class,
      FirstUpdateCommand.class,
      HowToCommand.class,
      SimulateCommand.class,
      SoakCommand.class,
      DoctorCommand.class,
      HostWorkCommand.class,
      RecorderCostCommand.class,
      JmhCommand.class,
      HelpCommand.class
    })
public final class Main {

  private Main() {}

  /**
   * Runs the example that is named first.
   *
   * @param arguments the name, and the options of the example
   */
  public static void main(String[] arguments) {
    Locale.setDefault(Locale.ROOT); // figures look the same everywhere
    System.exit(commandLine().execute(arguments));
  }

  static CommandLine commandLine() {
    return CommandLines.of(new Main());
  }
}
