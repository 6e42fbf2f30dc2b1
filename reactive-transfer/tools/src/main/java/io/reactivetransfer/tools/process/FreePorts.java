package io.reactivetransfer.tools.process;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of the loopback address for another program that listens later, or again: below those that
 * systems give out by themselves, where a connection of anybody would get them meanwhile.
 */
public final class FreePorts {

  private static final int FIRST = 12_000;
  private static final int COUNT = 18_000;

  private FreePorts() {}

  /** A port that nobody listens on now, and neither on the next one. */
  public static int two() throws IOException {
    int port;
    do {
      port = FIRST + ThreadLocalRandom.current().nextInt(COUNT);
    } while (!isFree(port) || !isFree(port + 1));
    return port;
  }

  private static boolean isFree(int port) throws IOException {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (BindException taken) {
      return false;
    }
  }
}
