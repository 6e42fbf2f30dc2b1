package io.reactivetransfer.examples;

import io.reactivetransfer.examples.first.FirstOrigin;
import picocli.CommandLine.Command;

/** Runs a program of docs/getting-started.md. */
@Command(
    name = "first-origin",
    description = "A program in docs/getting-started.md: writes to first-target.")
public final class FirstOriginCommand extends GettingStartedCommand.Origin {

  /** Does nothing yet. */
  public FirstOriginCommand() {
    super(FirstOrigin::main);
  }
}
