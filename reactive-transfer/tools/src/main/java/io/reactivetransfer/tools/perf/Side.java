package io.reactivetransfer.tools.perf;

/** A role, wherever it runs. */
interface Side {

  /**
   * Has the role do what the line says.
   *
   * @throws SideFailedException if it failed, or is gone
   */
  String ask(String line) throws SideFailedException, InterruptedException;
}
