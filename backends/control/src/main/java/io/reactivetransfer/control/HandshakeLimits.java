package io.reactivetransfer.control;

/**
 * What strangers may cost: each connection from outside takes a socket and some work before it is
 * known who made it. The limits hold for each NIC. The time that a handshake may take is the
 * engine's connect timeout, and its frames have lengths of their own.
 *
 * @param connections how many connections from outside there may be, open ones counted; more are
 *     closed at once, 1 or more
 * @param halfOpen how many of them may be before the end of their handshake; if there is one more,
 *     then the oldest of these is closed, so that those who are slow cannot keep others out; 1 or
 *     more
 * @param perSecond how many connections one address may make each second, in the long run; more are
 *     closed at once. An address is an IPv4 address, or the first 64 bits of an IPv6 address; 1 or
 *     more
 * @param burst how many it may make at once after a while without any; 1 or more
 */
public record HandshakeLimits(int connections, int halfOpen, int perSecond, int burst) {

  /** 4,096 connections, 256 of them half-open, 256 a second and 1,024 at once of one address. */
  public static final HandshakeLimits DEFAULTS = new HandshakeLimits(4_096, 256, 256, 1_024);

  /** Checks that all are 1 or more. */
  public HandshakeLimits {
    requirePositive("connections", connections);
    requirePositive("halfOpen", halfOpen);
    requirePositive("perSecond", perSecond);
    requirePositive("burst", burst);
  }

  private static void requirePositive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException("expected " + name + " of 1 or more, got " + value);
    }
  }
}
