package io.reactivetransfer.tools.process;

import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a command listens.
 *
 * @param host name or address of a host
 * @param port of it; 0 leaves the choice to who listens
 */
public record HostPort(String host, int port) {

  private static final Pattern FORM = Pattern.compile("(\\[[^\\[\\]]+]|[^:\\[\\]\\s]+):(\\d{1,5})");
  private static final int MAX_PORT = 65_535;

  /**
   * Reads {@code HOST:PORT}, where an IPv6 address is in brackets.
   *
   * @throws IllegalArgumentException if it is anything else; names the option
   */
  public static HostPort of(String option, String text) {
    Matcher matcher = FORM.matcher(text.strip());
    if (!matcher.matches() || Integer.parseInt(matcher.group(2)) > MAX_PORT) {
      throw new IllegalArgumentException(
          "expected " + option + " HOST:PORT, such as 10.0.0.7:7400 or [::1]:7400, got " + text);
    }
    String host = matcher.group(1);
    return new HostPort(
        host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
        Integer.parseInt(matcher.group(2)));
  }

  /** The name is looked up. */
  InetSocketAddress resolve() {
    return new InetSocketAddress(host, port);
  }

  @Override
  public String toString() {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }
}
