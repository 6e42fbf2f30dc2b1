package io.reactivetransfer.control;

import io.reactivetransfer.HostPort;
import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A port that was free a moment ago, below those that the system gives out itself: nobody gets it
 * by chance.
 */
final class FreePort {

  private static final int FIRST = 12_000;
  private static final int COUNT = 18_000;

  private FreePort() {}

  static HostPort onLoopback() {
    while (true) {
      int port = FIRST + ThreadLocalRandom.current().nextInt(COUNT);
      try (ServerSocket _ = new ServerSocket(port)) { // of every address of this machine
        return new HostPort("127.0.0.1", port);
      } catch (BindException taken) {
        continue;
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }
}
