package io.reactivetransfer.examples.moe;

/** What is timed in a step, and what it is called. */
enum Half {
  DISPATCH_SEND("dispatchSend"),
  DISPATCH_RECEIVE("dispatchReceive"),
  COMBINE_SEND("combineSend"),
  COMBINE_RECEIVE("combineReceive"),
  STEP("step");

  private final String name;

  Half(String name) {
    this.name = name;
  }

  /** As the library calls it. */
  @Override
  public String toString() {
    return name;
  }
}
