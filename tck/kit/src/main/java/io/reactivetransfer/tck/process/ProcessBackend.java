package io.reactivetransfer.tck.process;

import io.reactivetransfer.spi.Backend;
import java.util.function.Supplier;

/**
 * Gives a backend in a process of a test, and one whose engine is where the test wants it: so that
 * another process can come up at the address of one that was killed, and the network between two
 * processes can be cut. Has a constructor without arguments.
 */
public interface ProcessBackend extends Supplier<Backend> {

  /**
   * A backend of one engine.
   *
   * @param advertisedHost what the engine tells others instead of 127.0.0.1, on which it listens;
   *     whatever comes to the same ports there is passed on
   * @param port what it listens on; NICs that listen, too, take those that follow
   */
  Backend at(String advertisedHost, int port);
}
