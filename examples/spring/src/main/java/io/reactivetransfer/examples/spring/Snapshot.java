package io.reactivetransfer.examples.spring;

import java.util.List;

/**
 * What the page is told: counts since the start, of which it makes rates.
 *
 * @param millis a clock that only grows, in milliseconds
 * @param name of this node
 * @param address of this node's engine
 * @param engine the first digits of the engine's id
 * @param paused whether this node writes nothing
 * @param health UP or DOWN, of the engine
 * @param reason why it is down, or empty
 * @param transfersInFlight transfers that the engine has taken over and not finished
 * @param window the most that may be in flight to one peer
 * @param writeBytes bytes of one write
 * @param peers the other nodes
 */
record Snapshot(
    long millis,
    String name,
    String address,
    String engine,
    boolean paused,
    String health,
    String reason,
    long transfersInFlight,
    int window,
    long writeBytes,
    List<Other> peers) {

  /**
   * Another node.
   *
   * @param name of the node
   * @param address of its engine
   * @param trouble why it is lost, or empty while it is alive
   * @param writesDone writes to it that are done
   * @param writesArrived writes of it that have arrived here
   * @param writesInFlight writes to it that were taken over and are not done
   */
  record Other(
      String name,
      String address,
      String trouble,
      long writesDone,
      long writesArrived,
      long writesInFlight) {

    static Other of(Link link) {
      String trouble = link.trouble;
      return new Other(
          link.name,
          link.at.toString(),
          trouble == null ? "" : trouble,
          link.writesDone.sum(),
          link.writesArrived.sum(),
          link.writesInFlight());
    }
  }
}
