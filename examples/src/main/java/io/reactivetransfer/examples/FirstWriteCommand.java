package io.reactivetransfer.examples;

import io.reactivetransfer.examples.first.FirstWrite;
import picocli.CommandLine.Command;

/** Runs the program of the README. */
@Command(
    name = "first-write",
    description = "The program in the README: one write between two engines, over loopback TCP.")
public final class FirstWriteCommand implements Runnable {

  @Override
  public void run() {
    FirstWrite.main(new String[0]);
  }
}
