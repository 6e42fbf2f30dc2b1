package io.reactivetransfer.tools;

/** A command that can be told to show stack traces. */
public interface Verbosity {

  /** Whether it was told to. */
  boolean isVerbose();
}
