package io.reactivetransfer.examples;

import io.reactivetransfer.examples.kvcache.KvCacheCommand;
import io.reactivetransfer.examples.perf.PerfCommand;
import io.reactivetransfer.examples.simulate.SimulateCommand;
import io.reactivetransfer.examples.soak.SoakCommand;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** All examples. Without a name it lists them. */
@Command(
    name = "examples/run",
    synopsisSubcommandLabel = "NAME",
    description = "Runs an example of reactive-transfer.",
    footer = {"", "examples/run help NAME shows the options of an example."},
    commandListHeading = "%nExamples:%n",
    subcommands = {
      KvCacheCommand.class,
      PerfCommand.class,
      FirstWriteCommand.class,
      SimulateCommand.class,
      SoakCommand.class,
      DoctorCommand.class,
      JmhCommand.class,
      HelpCommand.class
    })
public final class Main implements Runnable {

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  /** Without a name. */
  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  /**
   * Runs the example that is named first.
   *
   * @param arguments the name, and the options of the example
   */
  public static void main(String[] arguments) {
    Locale.setDefault(Locale.ROOT); // figures look the same everywhere
    System.exit(commandLine().execute(arguments));
  }

  /** Wrong values: one line, exit code 2. Failures: one line, exit code 1. */
  static CommandLine commandLine() {
    CommandLine all = new CommandLine(new Main());
    all.getSubcommands().values().forEach(Main::addHelp);
    CommandLine jmh = Objects.requireNonNull(all.getSubcommands().get("jmh"));
    jmh.setUnmatchedOptionsArePositionalParams(true).setStopAtPositional(true);
    return all.setCaseInsensitiveEnumValuesAllowed(true)
        .setUsageHelpWidth(100)
        .setParameterExceptionHandler(Main::wrongValue)
        .setExecutionExceptionHandler(Main::failure);
  }

  private static void addHelp(CommandLine example) {
    if (!(example.getCommand() instanceof HelpCommand)) {
      OptionSpec.Builder help = OptionSpec.builder("-h", "--help").usageHelp(true);
      example.getCommandSpec().addOption(help.description("Show this and exit.").build());
    }
  }

  private static int wrongValue(ParameterException wrong, String[] arguments) {
    CommandLine command = wrong.getCommandLine();
    PrintWriter err = command.getErr();
    boolean noSuchExample =
        wrong instanceof UnmatchedArgumentException && command.getCommand() instanceof Main;
    String text =
        noSuchExample
            ? "expected one of "
                + String.join(", ", command.getSubcommands().keySet())
                + ", got "
                + String.join(" ", arguments)
            : describe(wrong);
    err.println(name(command) + ": " + text);
    err.flush();
    return CommandLine.ExitCode.USAGE;
  }

  private static int failure(
      Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
    PrintWriter err = command.getErr();
    if (command.getCommand() instanceof Verbosity it && it.isVerbose()) {
      failure.printStackTrace(err);
    }
    err.println(name(command) + ": " + describe(failure));
    err.flush();
    return CommandLine.ExitCode.SOFTWARE;
  }

  private static String name(CommandLine command) {
    return command.getCommandSpec().qualifiedName();
  }

  /** What a failure says, in one line. */
  public static String describe(Throwable failure) {
    String text = failure.getMessage();
    return text == null ? failure.toString() : oneLine(text);
  }

  private static String oneLine(String text) {
    return text.strip().replaceAll("\\s*\\R\\s*", "; ");
  }
}
