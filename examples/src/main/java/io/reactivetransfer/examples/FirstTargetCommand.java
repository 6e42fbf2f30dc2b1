package io.reactivetransfer.examples;

import io.reactivetransfer.examples.first.FirstTarget;
import picocli.CommandLine.Command;

/** Runs a program of docs/getting-started.md. */
@Command(
    name = "first-target",
    description = "A program in docs/getting-started.md: waits for one write, over TCP.")
public final class FirstTargetCommand extends GettingStartedCommand.Target {

  /** Does nothing yet. */
  public FirstTargetCommand() {
    super(FirstTarget::main);
  }
}
