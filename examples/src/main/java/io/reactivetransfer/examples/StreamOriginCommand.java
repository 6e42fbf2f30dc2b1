package io.reactivetransfer.examples;

import io.reactivetransfer.examples.first.StreamOrigin;
import picocli.CommandLine.Command;

/** Runs a program of docs/getting-started.md. */
@Command(
    name = "stream-origin",
    description = "A program in docs/getting-started.md: writes 20 parts to stream-target.")
public final class StreamOriginCommand extends GettingStartedCommand.Origin {

  /** Does nothing yet. */
  public StreamOriginCommand() {
    super(StreamOrigin::main);
  }
}
