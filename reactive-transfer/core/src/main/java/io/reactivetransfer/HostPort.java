package io.reactivetransfer;

import java.util.Objects;

/**
 * Where an engine is reached: the name or address of a host, and a port. Written {@code
 * decode-3:7400}, {@code 10.0.0.7:7400} or {@code [fd00::7]:7400}. Names are resolved when they are
 * dialled, each time.
 *
 * @param host a name, an IPv4 address, or an IPv6 address without brackets; 1 to 255 printable
 *     letters of US-ASCII
 * @param port 1 to 65,535
 */
public record HostPort(String host, int port) {

  /** The longest host, in letters; the longest name that DNS has is shorter. */
  public static final int MAX_HOST = 255;

  private static final int MAX_PORT = 0xffff;

  /** Checks both. */
  public HostPort {
    Objects.requireNonNull(host, "host");
    if (host.isEmpty() || host.length() > MAX_HOST || !host.chars().allMatch(HostPort::isOfHost)) {
      throw new IllegalArgumentException(
          "expected a host of 1 to "
              + MAX_HOST
              + " printable letters of US-ASCII, without blanks and brackets, got "
              + clip(host));
    }
    if (port < 1 || port > MAX_PORT) {
      throw new IllegalArgumentException(
          "expected a port of 1 to " + MAX_PORT + " behind " + clip(host) + ", got " + port);
    }
  }

  /**
   * Reads {@code host:port}, the host in brackets if it holds colons.
   *
   * @throws IllegalArgumentException if it is anything else
   */
  public static HostPort parse(String text) {
    Objects.requireNonNull(text, "text");
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? text : text.substring(0, colon);
    boolean inBrackets = host.startsWith("[") && host.endsWith("]");
    String port = text.substring(colon + 1);
    if (colon < 0 || (!inBrackets && host.indexOf(':') >= 0) || !port.matches("[0-9]{1,5}")) {
      throw new IllegalArgumentException(
          "expected host:port, such as decode-3:7400 or [fd00::7]:7400, got " + clip(text));
    }
    return new HostPort(
        inBrackets ? host.substring(1, host.length() - 1) : host, Integer.parseInt(port));
  }

  private static boolean isOfHost(int letter) {
    return letter > ' ' && letter < 0x7f && letter != '[' && letter != ']';
  }

  private static String clip(String text) {
    int max = 40;
    String safe = text.replaceAll("[^\\x20-\\x7e]", "?");
    return safe.length() <= max ? "'" + safe + "'" : "'" + safe.substring(0, max) + "...'";
  }

  /** As it is read. */
  @Override
  public String toString() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
