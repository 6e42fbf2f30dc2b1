package io.reactivetransfer.tools.perf;

/** A reference that the sides run themselves, with the memory that ours has. */
final class RoleReference implements ReferenceRuns {

  /** What the origin is asked to run, less its time. */
  @FunctionalInterface
  interface Question {
    String ask() throws SideFailedException, InterruptedException;
  }

  private final Side origin;
  private final Question question;
  private String prepared = "";

  RoleReference(Side origin, Question question) {
    this.origin = origin;
    this.question = question;
  }

  @Override
  public void prepare(Layout layout) throws SideFailedException, InterruptedException {
    prepared = question.ask();
  }

  @Override
  public RunFigures run(long nanos) throws SideFailedException, InterruptedException {
    return RunFigures.of(origin.ask(prepared + " " + nanos));
  }

  @Override
  public void close() {
    // the sides end what they have begun
  }
}
