package io.reactivetransfer.examples.jlama;

import io.reactivetransfer.tools.CommandLines;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** What {@code examples/run jlama} starts: its class path has Jlama on it, the others' has not. */
@Command(
    name = "examples/run",
    synopsisSubcommandLabel = "NAME",
    description = "Runs an example of reactive-transfer.",
    subcommands = {JlamaCommand.class, HelpCommand.class})
public final class JlamaMain {

  private JlamaMain() {}

  /**
   * Runs it.
   *
   * @param arguments the name, and the options of the example
   */
  public static void main(String[] arguments) {
    Locale.setDefault(Locale.ROOT); // figures look the same everywhere
    System.exit(commandLine().execute(arguments));
  }

  static CommandLine commandLine() {
    return CommandLines.of(new JlamaMain());
  }
}
