package io.reactivetransfer.examples.kvcache;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;

/**
 * How both sides ended.
 *
 * @param prefill null if it failed
 * @param decode null if it failed
 * @param failure what became of the sides, if one failed
 */
record Outcome(
    @Nullable PrefillReport prefill, @Nullable DecodeReport decode, @Nullable String failure) {

  int print(Plan plan, CommandLine command) {
    if (prefill == null || decode == null) {
      command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + failure);
      command.getErr().flush();
      return ExitCode.SOFTWARE;
    }
    command.getOut().print(ResultTable.of(plan, prefill, decode));
    command.getOut().flush();
    return ExitCode.OK;
  }
}
