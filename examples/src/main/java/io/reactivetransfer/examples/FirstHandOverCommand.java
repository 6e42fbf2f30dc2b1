package io.reactivetransfer.examples;

import io.reactivetransfer.examples.first.FirstHandOver;
import picocli.CommandLine.Command;

/** Runs the program of docs/kv-cache.md. */
@Command(
    name = "first-hand-over",
    description = "The program in docs/kv-cache.md: one KV cache between two engines, over TCP.")
public final class FirstHandOverCommand implements Runnable {

  @Override
  public void run() {
    FirstHandOver.main(new String[0]);
  }
}
