package io.reactivetransfer.examples;

import io.reactivetransfer.examples.first.StreamTarget;
import picocli.CommandLine.Command;

/** Runs a program of docs/getting-started.md. */
@Command(
    name = "stream-target",
    description = "A program in docs/getting-started.md: takes 20 parts, 4 at a time.")
public final class StreamTargetCommand extends GettingStartedCommand.Target {

  /** Does nothing yet. */
  public StreamTargetCommand() {
    super(StreamTarget::main);
  }
}
