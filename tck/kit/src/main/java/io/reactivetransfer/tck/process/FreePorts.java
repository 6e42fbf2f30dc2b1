package io.reactivetransfer.tck.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/** Ports to be used again by another process, so below those that the system gives out itself. */
public final class FreePorts {

  private static final int FIRST = 12_000;
  private static final int COUNT = 18_000;

  private FreePorts() {}

  /** The first of so many that nobody used a moment ago. */
  public static int inARow(int count) {
    int port;
    do {
      port = FIRST + ThreadLocalRandom.current().nextInt(COUNT);
    } while (!IntStream.range(port, port + count).allMatch(FreePorts::isFree));
    return port;
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(port)); // of every address of this machine
      return true;
    } catch (BindException e) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
