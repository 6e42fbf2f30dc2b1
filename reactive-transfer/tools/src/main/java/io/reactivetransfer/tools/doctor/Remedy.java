package io.reactivetransfer.tools.doctor;

import java.util.List;

/**
 * What to do where a backend does not connect, or carries nothing long, by what its failure says.
 *
 * @param here the address of this host on the way to the other one
 * @param there the address of the other one
 */
record Remedy(String here, String there) {

  /** One of the two hosts alone is at fault, and the text says how. */
  private static final String NOT_THERE = "cannot run here";

  private static final String SECRET = "cluster secret";

  /** What ends a connection within its first moments says the same as what lets none through. */
  private static final String TOO_EARLY = "within the handshake";

  /** The control channel was, and no NIC. */
  private static final String NEVER_CONNECTED = "cannot connect";

  /** There was a connection, and what was sent over it did not come, or no answer. */
  private static final List<String> ONCE_CONNECTED =
      List.of(
          " broke: ",
          "without a farewell",
          "in the middle of a frame",
          "(livenessDeadline)",
          "was not done within");

  /** Where not even 8 bytes came there and back, for this reason. */
  String of(String backend, String reason) {
    if (reason.contains(NOT_THERE)) {
      return "do on that host what this says; the path was not tried";
    }
    if (reason.contains(SECRET)) {
      return "this check has no secret: see that its engines are what answers at these addresses";
    }
    boolean early = reason.contains(TOO_EARLY) || reason.contains(NEVER_CONNECTED);
    if (!early && ONCE_CONNECTED.stream().anyMatch(reason::contains)) {
      return "they were connected, so " + ofLongWrites();
    }
    String ports =
        "let TCP through between "
            + here
            + " and "
            + there
            + " in both directions, on all ports above 1023: engines listen on any free one, not"
            + " on that of this check";
    return backend.equals("libfabric")
        ? ports + "; and have both hosts use the same provider, see above"
        : ports;
  }

  /** Where short writes come there and back, and long ones do not. */
  String ofLongWrites() {
    return "look at the MTU on the way, in both directions, such as by 'ping -M do -s 1472 "
        + there
        + "', and at firewalls that drop ICMP or let small packets through only";
  }
}
