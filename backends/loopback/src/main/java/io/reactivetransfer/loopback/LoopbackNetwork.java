package io.reactivetransfer.loopback;

import io.reactivetransfer.spi.BackendException;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What joins the NICs of several engines in one JVM. Engines reach each other if their backends
 * share a network; by default all share {@link #shared()}, and a test that wants to be alone makes
 * its own. Safe from any thread.
 */
public final class LoopbackNetwork {

  private static final LoopbackNetwork SHARED = new LoopbackNetwork();

  private final long id = new SplittableRandom().nextLong();
  private final AtomicLong keys = new AtomicLong();
  private final Map<LoopbackAddress, Port> ports = new ConcurrentHashMap<>();

  /** A network of its own, with nobody on it. */
  public LoopbackNetwork() {}

  /** The one that backends use unless they are told otherwise. */
  public static LoopbackNetwork shared() {
    return SHARED;
  }

  long id() {
    return id;
  }

  /** A key that was never given out before. */
  LoopbackKey newKey() {
    long serial = keys.incrementAndGet();
    // Not SecureRandom: it may block, and this is called by NIC threads. Whoever could guess a key
    // is
    // in the same JVM and could write to the memory anyway.
    return new LoopbackKey(serial, new SplittableRandom(id ^ serial).nextLong());
  }

  void attach(Port port) {
    if (ports.putIfAbsent(port.address(), port) != null) {
      throw new BackendException(
          0, port.address() + " is open already; close it before it is opened again");
    }
  }

  void detach(Port port) {
    ports.remove(port.address(), port);
  }

  @Nullable Port find(LoopbackAddress address) {
    return ports.get(address);
  }
}
