package io.reactivetransfer.tools.process;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Waits for a tool on another host. */
public final class HostListener {

  /** Where none can be accepted, as without a free file descriptor, none can be for a while. */
  private static final long PAUSE_NANOS = 100_000_000;

  private HostListener() {}

  /**
   * Waits until one connects that is of the same kind; others are told so and sent away.
   *
   * @param said is told where it listens, and who came
   * @throws IOException if it cannot listen there; says what to do
   */
  public static Connection awaitOne(HostPort at, Consumer<String> said) throws IOException {
    try (ServerSocket listener = new ServerSocket()) {
      bind(listener, at);
      said.accept("waiting at " + new HostPort(at.host(), listener.getLocalPort()));
      while (true) {
        try {
          Connection connection = Connection.accept(listener);
          said.accept("here is " + connection.remoteHost());
          return connection;
        } catch (IOException e) {
          said.accept(String.valueOf(e.getMessage()));
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      }
    }
  }

  private static void bind(ServerSocket listener, HostPort at) throws IOException {
    try {
      listener.bind(at.resolve());
    } catch (IOException e) {
      throw new IOException(
          "cannot listen at "
              + at
              + ": "
              + e.getMessage()
              + "; expected an address of this machine and a port that is free",
          e);
    }
  }
}
