package io.reactivetransfer.loopback;

import io.reactivetransfer.HostPort;
import io.reactivetransfer.spi.BackendException;
import java.util.HashMap;
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

  private static final int MAX_PORT = 0xffff;

  private static final LoopbackNetwork SHARED = new LoopbackNetwork();

  private final long id = new SplittableRandom().nextLong();
  private final AtomicLong keys = new AtomicLong();
  private final Map<LoopbackAddress, Port> ports = new ConcurrentHashMap<>();

  /** Guards itself, the sessions, and the port that was given out last. */
  private final Map<HostPort, LoopbackControl> controls = new HashMap<>();

  private final Map<LoopbackControl, Map<LoopbackControl, LoopbackSession>> sessions =
      new HashMap<>();
  private int lastPort;

  /** A network of its own, with nobody on it. */
  public LoopbackNetwork() {}

  /** The one that backends use unless they are told otherwise. */
  public static LoopbackNetwork shared() {
    return SHARED;
  }

  // ---- control channels ----

  /**
   * Lets a channel be found, at the address that is returned.
   *
   * @throws BackendException if there are as many as there can be
   */
  HostPort attach(LoopbackControl control) {
    synchronized (controls) {
      for (int tries = 0; tries < MAX_PORT; tries++) {
        lastPort = lastPort % MAX_PORT + 1;
        HostPort address = new HostPort("loopback", lastPort);
        if (controls.putIfAbsent(address, control) == null) {
          sessions.put(control, new HashMap<>());
          return address;
        }
      }
    }
    throw new BackendException(0, "expected at most " + MAX_PORT + " engines, got one more");
  }

  @Nullable LoopbackControl control(HostPort address) {
    synchronized (controls) {
      return controls.get(address);
    }
  }

  /**
   * The session between two channels, which the one begins if there is none; null if either left.
   */
  @Nullable LoopbackSession join(LoopbackControl one, LoopbackControl other) {
    synchronized (controls) {
      Map<LoopbackControl, LoopbackSession> ofOne = sessions.get(one);
      Map<LoopbackControl, LoopbackSession> ofOther = sessions.get(other);
      if (ofOne == null || ofOther == null || one.equals(other)) {
        return null;
      }
      LoopbackSession session = ofOne.get(other);
      if (session == null) {
        session = new LoopbackSession(one, other);
        ofOne.put(other, session);
        ofOther.put(one, session);
        other.tell(new ControlEvent.Opened(session));
      }
      return session;
    }
  }

  /** One side ends a session; the other one is told why. */
  void end(LoopbackControl side, LoopbackSession session, String why) {
    LoopbackControl other = session.beyond(side);
    synchronized (controls) {
      Map<LoopbackControl, LoopbackSession> own = sessions.get(side);
      if (own != null && own.remove(other, session)) {
        sessions.getOrDefault(other, Map.of()).remove(side);
        other.tell(new ControlEvent.Ended(session, why));
      }
    }
  }

  /** A channel leaves: all its sessions end. */
  void detach(LoopbackControl control) {
    synchronized (controls) {
      controls.remove(control.address(), control);
      Map<LoopbackControl, LoopbackSession> own = sessions.remove(control);
      if (own != null) {
        String why = "engine " + control.engine().toShortString() + " was closed";
        own.forEach((other, session) -> {
          sessions.getOrDefault(other, Map.of()).remove(control);
          other.tell(new ControlEvent.Ended(session, why));
        });
      }
    }
  }

  // ---- NICs ----

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
