package io.reactivetransfer.examples;

/** A command that can be told to show stack traces. */
public interface Verbosity {

  /** Whether it was told to. */
  boolean isVerbose();
}
