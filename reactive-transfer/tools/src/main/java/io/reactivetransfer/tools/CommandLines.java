package io.reactivetransfer.tools;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Programs of several commands: their help, and how they tell of wrong values and failures. */
public final class CommandLines {

  private CommandLines() {}

  /**
   * The command line of such a program. Without a command it shows the usage. Wrong values: one
   * line, exit code 2. Failures: one line, exit code 1.
   *
   * @param program annotated with its commands
   */
  public static CommandLine of(Object program) {
    CommandLine all = new CommandLine(program);
    all.getSubcommands().values().forEach(CommandLines::prepare);
    return all.setCaseInsensitiveEnumValuesAllowed(true)
        .setUsageHelpWidth(100)
        .setExecutionStrategy(CommandLines::execute)
        .setParameterExceptionHandler(CommandLines::wrongValue)
        .setExecutionExceptionHandler(CommandLines::failure);
  }

  private static void prepare(CommandLine command) {
    if (command.getCommand() instanceof HelpCommand) {
      return;
    }
    OptionSpec.Builder help = OptionSpec.builder("-h", "--help").usageHelp(true);
    command.getCommandSpec().addOption(help.description("Show this and exit.").build());
    if (command.getCommand() instanceof JmhCommand) {
      command.setUnmatchedOptionsArePositionalParams(true).setStopAtPositional(true);
    }
  }

  private static int execute(CommandLine.ParseResult parsed) {
    if (!parsed.hasSubcommand()) {
      CommandLine all = parsed.commandSpec().commandLine();
      all.usage(all.getOut());
      return CommandLine.ExitCode.OK;
    }
    return new CommandLine.RunLast().execute(parsed);
  }

  private static int wrongValue(ParameterException wrong, String[] arguments) {
    CommandLine command = wrong.getCommandLine();
    PrintWriter err = command.getErr();
    boolean noSuchCommand =
        wrong instanceof UnmatchedArgumentException && command.getParent() == null;
    String text =
        noSuchCommand
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
