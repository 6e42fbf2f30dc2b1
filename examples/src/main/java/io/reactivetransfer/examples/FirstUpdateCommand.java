package io.reactivetransfer.examples;

import io.reactivetransfer.examples.first.FirstUpdate;
import picocli.CommandLine.Command;

/** Runs the second program of docs/weights.md. */
@Command(
    name = "first-update",
    description = "A program in docs/weights.md: weights from one trainer to two ranks, over TCP.")
public final class FirstUpdateCommand implements Runnable {

  @Override
  public void run() {
    FirstUpdate.main(new String[0]);
  }
}
