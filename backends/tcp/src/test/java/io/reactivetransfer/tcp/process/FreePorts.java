package io.reactivetransfer.tcp.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports to be used again by another process, so below those that the system gives out itself. */
final class FreePorts {

  private static final int FIRST = 12_000;
  private static final int COUNT = 18_000;

  private FreePorts() {}

  static int twoInARow() {
    while (true) {
      int port = FIRST + ThreadLocalRandom.current().nextInt(COUNT);
      if (isFree(port) && isFree(port + 1)) {
        return port;
      }
    }
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(port)); // of every address of this machine
      return true;
    } catch (java.net.BindException e) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
