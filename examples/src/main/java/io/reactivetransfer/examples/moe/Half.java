package io.reactivetransfer.examples.moe;

import java.util.List;

/** What is timed in a step, and what it is called. */
enum Half {
  DISPATCH_SEND("dispatchSend"),
  DISPATCH_RECEIVE("dispatchReceive"),
  COMBINE_SEND("combineSend"),
  COMBINE_RECEIVE("combineReceive"),
  STEP("step"),
  /** CPU time of the call that takes the routing. */
  BEGIN("begin"),
  /** CPU time of the call that subscribes to {@link #DISPATCH_SEND}, on the caller's thread. */
  ENQUEUE("enqueue");

  /** From subscription to completion, and all together. */
  static final List<Half> WAITED_FOR =
      List.of(DISPATCH_SEND, DISPATCH_RECEIVE, COMBINE_SEND, COMBINE_RECEIVE, STEP);

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
