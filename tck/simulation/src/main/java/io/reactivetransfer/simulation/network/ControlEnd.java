package io.reactivetransfer.simulation.network;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One end of a session between two control channels, as of a TCP connection: what is given to it
 * comes out at the other end once and in order, until the session breaks. Then each end learns of
 * it in its own time; one that hears nothing takes what it is given, as a kernel does, and learns
 * of the end when it has spoken, if there is anybody to answer.
 */
final class ControlEnd {

  /** The code of a lost session. */
  static final int LOST = 104;

  private static final int MIN_DEPTH = 8;
  private static final int MORE_DEPTH = 57;

  private enum State {
    /** The other end believes in it, and this one has not heard of that yet. */
    OPENING,
    UP,
    /** It is broken, and this end was not told. */
    SEVERED,
    OVER
  }

  private final SimulatedControl control;
  private final EngineId remote;
  private final HostPort at;
  private final SimulatedNetwork network;
  private final VirtualTime time;
  private final Weather weather;
  private final SplittableRandom random;

  /** What is on its way to the other end. */
  private final ArrayDeque<Runnable> pipe = new ArrayDeque<>();

  private final int depth;
  private State state = State.OPENING;
  private @Nullable ControlEnd other;

  /** Messages of this end that the engine at the other one has not taken. */
  private int untaken;

  private boolean refused;
  private boolean slow;

  /** Whether it learns of the end of the session when it speaks. */
  private boolean unaware;

  private ControlEnd(SimulatedControl control, SimulatedControl remote) {
    this.control = control;
    this.remote = remote.engine();
    this.at = remote.address();
    this.network = control.network();
    this.time = network.time();
    this.weather = network.weather();
    this.random = network.random();
    this.depth = MIN_DEPTH + random.nextInt(MORE_DEPTH);
    this.slow = Weather.happens(weather.slow(), random);
  }

  /** Makes a session: the engine that was dialled has it at once, the other one when it hears. */
  static void join(SimulatedControl dialler, SimulatedControl dialled) {
    ControlEnd near = new ControlEnd(dialler, dialled);
    ControlEnd far = new ControlEnd(dialled, dialler);
    near.other = far;
    far.other = near;
    far.state = State.UP;
    dialled.enter(far);
    far.put(near::opened);
  }

  private void opened() {
    if (state != State.OPENING) {
      return;
    }
    if (control.isClosed() || !control.dials(at, remote)) {
      hangUp(); // nobody waits for it any more
      return;
    }
    state = State.UP;
    control.enter(this);
  }

  /** Whether the other end has not heard of the session yet. */
  boolean isOpening() {
    ControlEnd far = other;
    return state == State.UP && far != null && far.state == State.OPENING;
  }

  EngineId remote() {
    return remote;
  }

  /** Where the other end was when the session was made. */
  HostPort at() {
    return at;
  }

  /** Takes a hundred times as long as it should from now on, in this direction. */
  void slowDown() {
    slow = true;
  }

  // ---- messages ----

  boolean send(byte[] bytes) {
    if (untaken >= depth) {
      refused = true;
      return false;
    }
    untaken++;
    if (state == State.UP) {
      boolean twice = Weather.happens(weather.duplicate(), random);
      put(() -> deliver(bytes, twice));
    } else if (unaware && network.control(at) != null) {
      unaware = false;
      loseIn(weather.draw(weather.detection(), random));
    }
    return true;
  }

  private void deliver(byte[] bytes, boolean twice) {
    ControlEnd to = other;
    if (to != null) {
      to.control.report(new ControlReport.Received(to, bytes, true));
      if (twice) {
        to.control.report(new ControlReport.Received(to, bytes, false));
      }
    }
  }

  /** One event for each thing, and each takes the first one: so they keep their order. */
  private void put(Runnable thing) {
    pipe.add(thing);
    time.after(
        latency(),
        () -> {
          Runnable first = pipe.poll();
          if (first != null) {
            first.run();
          }
        });
  }

  private long latency() {
    return slow
        ? weather.latency().draw(random) * Weather.SLOWER
        : weather.draw(weather.latency(), random);
  }

  /** The engine has taken a message: there is room for another one at the other end. */
  void taken() {
    ControlEnd from = other;
    if (from != null) {
      time.after(latency(), from::madeRoom);
    }
  }

  private void madeRoom() {
    untaken--;
    if (refused) {
      refused = false;
      control.ring();
    }
  }

  // ---- its end ----

  /** It breaks; each end is told in its own time. */
  void cut() {
    ControlEnd far = other;
    if (state == State.UP && far != null) {
      sever();
      learn(Weather.happens(weather.silent(), random));
      far.learn(Weather.happens(weather.silent(), random));
    }
  }

  /** It breaks, and one end is told, or none. */
  void halfOpen(boolean tellsOne) {
    ControlEnd far = other;
    if (state == State.UP && far != null) {
      sever();
      learn(!tellsOne);
      far.learn(true);
    }
  }

  /** Its process is gone. */
  void vanish(boolean silent) {
    ControlEnd far = other;
    sever();
    state = State.OVER;
    if (far != null) {
      far.learn(silent);
    }
  }

  /** Its engine has closed: what was taken over still comes. */
  void finish() {
    ControlEnd far = other;
    if (state == State.UP && far != null) {
      put(() -> far.lose("it has closed"));
    }
    state = State.OVER;
  }

  /** Its engine wants it no more, and hears nothing of it any more. */
  void hangUp() {
    ControlEnd far = other;
    sever();
    state = State.OVER;
    if (far != null) {
      far.learn(false);
    }
  }

  /** Another session takes its place: its loss is told before anything of that one. */
  void replaced() {
    ControlEnd far = other;
    sever();
    lose("the engine there has dialled anew");
    if (far != null) {
      far.learn(false);
    }
  }

  /** Some of what is on its way still comes; the rest never does. */
  private void sever() {
    ControlEnd far = other;
    if ((state == State.UP || state == State.OPENING) && far != null) {
      network.observer().disturbed(control.engine(), remote);
      dropAll();
      far.dropAll();
      if (state != State.OVER) {
        state = State.SEVERED;
      }
      if (far.state != State.OVER) {
        far.state = State.SEVERED;
      }
    }
  }

  private void dropAll() {
    int stillCome = pipe.isEmpty() ? 0 : random.nextInt(pipe.size() + 1);
    Runnable next;
    while (stillCome-- > 0 && (next = pipe.poll()) != null) {
      next.run();
    }
    pipe.clear();
  }

  private void learn(boolean silent) {
    if (state == State.SEVERED) {
      unaware = silent;
      loseIn(silent ? weather.silentNanos() : weather.draw(weather.detection(), random));
    }
  }

  private void loseIn(long nanos) {
    time.after(nanos, () -> lose("the connection is lost"));
  }

  /** Tells the engine that it is over. */
  private void lose(String text) {
    if (state == State.OVER) {
      return;
    }
    state = State.OVER;
    if (control.leave(this)) {
      control.lost(remote, text);
    } else {
      control.dialsFailed(at, remote, text); // it had not heard of the session
    }
  }
}
