package io.reactivetransfer.tools.perf;

import io.reactivetransfer.tools.CommandLines;

/** A role in this process; it does its work on the thread that asks. */
record LocalSide(String name, Role role) implements Side {

  @Override
  public String ask(String line) throws SideFailedException, InterruptedException {
    try {
      return role.answer(line);
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      throw new SideFailedException(name + ": " + CommandLines.describe(e), e);
    }
  }
}
