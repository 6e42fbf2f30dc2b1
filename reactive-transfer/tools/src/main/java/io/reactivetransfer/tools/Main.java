package io.reactivetransfer.tools;

import io.reactivetransfer.tools.doctor.DoctorCommand;
import io.reactivetransfer.tools.jmh.RecorderCostCommand;
import io.reactivetransfer.tools.moe.HostWorkCommand;
import io.reactivetransfer.tools.perf.PerfCommand;
import io.reactivetransfer.tools.soak.SoakCommand;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** All tools. Without a name it lists them. */
@Command(
    name = "reactive-transfer",
    synopsisSubcommandLabel = "NAME",
    description = "Measures, checks and simulates reactive-transfer.",
    footer = {"", "reactive-transfer help NAME shows the options of a tool."},
    commandListHeading = "%nTools:%n",
    subcommands = {
      PerfCommand.class,
      DoctorCommand.class,
      SimulateCommand.class,
      SoakCommand.class,
      HostWorkCommand.class,
      RecorderCostCommand.class,
      JmhCommand.class,
      HelpCommand.class
    })
public final class Main {

  private Main() {}

  /**
   * Runs the tool that is named first.
   *
   * @param arguments the name, and the options of the tool
   */
  public static void main(String[] arguments) {
    Locale.setDefault(Locale.ROOT); // figures look the same everywhere
    System.exit(commandLine().execute(arguments));
  }

  static CommandLine commandLine() {
    return CommandLines.of(new Main());
  }
}
