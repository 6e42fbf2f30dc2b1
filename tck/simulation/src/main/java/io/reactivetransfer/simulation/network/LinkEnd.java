package io.reactivetransfer.simulation.network;

import io.reactivetransfer.EngineId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One end of the link between two NICs: what its NIC has posted over it. Both ends are up together.
 * When a link breaks, each end is told in its own time; an end that was not told takes what is
 * posted, and fails it with the rest. Nothing of a new link comes before the loss of the old one.
 */
final class LinkEnd {

  /** The code of a lost link. */
  static final int LOST = 104;

  private static final int REMOTE_ACCESS = 13;

  /** The code of what the NIC itself is to blame for. */
  static final int DEVICE = 5;

  private static final byte HELLO = 1;
  private static final byte WELCOME = 2;

  private enum State {
    IDLE,
    /** It waits for an answer of the other NIC. */
    INTRODUCED,
    CONNECTING,
    UP,
    LOSING
  }

  private final SimulatedDomain domain;
  private final SimulatedAddress remote;
  private final int number;
  private final SimulatedNetwork network;
  private final VirtualTime time;
  private final Weather weather;
  private final SplittableRandom random;

  /** Not reported yet. */
  private final List<SimulatedWrite> outstanding = new ArrayList<>();

  /** Not landed yet. */
  private final List<SimulatedWrite> underway = new ArrayList<>();

  private State state = State.IDLE;
  private @Nullable LinkEnd other;

  private int shut;
  private boolean doomed;

  /** Which link it is, of those that came one after the other. */
  private int epoch;

  /** What was said to the other NIC, and heard of it, is numbered. */
  private int said;

  private int heard;

  /** Whether a session has ended since the other NIC was heard: what it said may be lost. */
  private boolean mayMiss;

  LinkEnd(SimulatedDomain domain, SimulatedAddress remote, int number) {
    this.domain = domain;
    this.remote = remote;
    this.number = number;
    this.network = domain.network();
    this.time = network.time();
    this.weather = network.weather();
    this.random = network.random();
  }

  /** The engine that posts over it. */
  EngineId origin() {
    return domain.where().engine();
  }

  int number() {
    return number;
  }

  int outstanding() {
    return outstanding.size();
  }

  boolean isUpTo(EngineId engine) {
    return state == State.UP && remote.engine().equals(engine);
  }

  /** Whether a write, not reported yet, reads by this registration; others may be of its bytes. */
  boolean isReading(long registration) {
    for (SimulatedWrite write : outstanding) {
      if (write.length > 0 && write.source.registration() == registration) {
        return true;
      }
    }
    return false;
  }

  /** How many writes, not reported yet, read some of these bytes; those of length 0 read none. */
  long readersOf(long begin, long end) {
    long readers = 0;
    for (SimulatedWrite write : outstanding) {
      long first = write.source.segment().address() + write.sourceOffset;
      if (write.length > 0 && first < end && begin < first + write.sourceExtent) {
        readers++;
      }
    }
    return readers;
  }

  // ---- its beginning ----

  /** Whether something can be given to it now; begins to connect if need be. */
  boolean isReady() {
    if (state == State.IDLE) {
      if (weather.introduces()) {
        introduce();
      } else if (Weather.happens(weather.refuse(), random)) {
        state = State.CONNECTING;
        time.after(1 + latency(), this::connected);
      } else {
        connect();
      }
    }
    return state != State.CONNECTING && state != State.INTRODUCED;
  }

  /** Says hello, and waits for the answer as long as NICs wait. */
  private void introduce() {
    state = State.INTRODUCED;
    int begun = ++epoch;
    say(HELLO);
    time.after(
        weather.silentDetectionNanos(),
        () -> {
          if (state == State.INTRODUCED && epoch == begun) {
            lose(1);
          }
        });
  }

  private void say(byte what) {
    SimulatedPeer peer = domain.peer(remote);
    if (peer != null) {
      domain.report(new Report.Said(this, peer, what));
    }
  }

  /** What the other NIC is told, with its number. */
  ByteBuffer message(byte what) {
    return ByteBuffer.allocate(1 + Integer.BYTES).put(what).putInt(++said).flip();
  }

  /** The other NIC has said something: each thing once and in order, but for what is lost. */
  void hear(ByteBuffer message) {
    byte what = message.get();
    int number = message.getInt();
    boolean again = number <= heard && weather.duplicate() == 0;
    if (again || (number > heard + 1 && heard > 0 && !mayMiss)) {
      network
          .observer()
          .misused(
              origin(), "gave its NIC message " + number + " of " + remote + " after " + heard);
    }
    heard = Math.max(heard, number);
    mayMiss = false;
    if (domain.isDown()) {
      return; // whoever waits for an answer waits in vain
    }
    if (what == HELLO) {
      say(WELCOME);
    } else if (state == State.INTRODUCED) {
      connect();
      domain.ring();
    }
  }

  /** What was said to the other NIC, or by it, may be lost. */
  void sessionEnded() {
    mayMiss = true;
    if (state == State.INTRODUCED) {
      state = State.IDLE;
      epoch++;
      domain.ring();
    }
  }

  private void connected() {
    if (state == State.CONNECTING) {
      connect();
    }
    domain.ring();
  }

  private void connect() {
    SimulatedDomain target = network.find(remote);
    if (target == null || target.isDown() || domain.isDown()) {
      lose(weather.draw(weather.detection(), random));
      return;
    }
    LinkEnd far = target.endTo(domain.where());
    if (far.state == State.LOSING) {
      far.report(true);
    }
    join(far);
    far.join(this);
  }

  private void join(LinkEnd far) {
    state = State.UP;
    epoch++;
    other = far;
  }

  // ---- writes ----

  void post(SimulatedWrite write) {
    outstanding.add(write);
    LinkEnd far = other;
    if (state != State.UP || far == null) {
      return; // it fails when the loss of the link is told
    }
    underway.add(write);
    if (doomed) {
      doomed = false;
      time.after(latency() / 2, this::cut);
    }
    new Landing(network, write, far.domain).begin();
  }

  long latency() {
    return weather.draw(weather.latency(), random);
  }

  /** It has landed. */
  void landed(SimulatedWrite write) {
    underway.remove(write);
  }

  /** Tells the engine in a while that it is done. */
  void acknowledge(SimulatedWrite write) {
    time.after(
        latency(),
        () -> {
          if (outstanding.remove(write)) {
            domain.report(new Report.Written(write.token));
          }
        });
  }

  /** Nothing more of it lands, and the engine is told in a while that it has failed. */
  void refuse(SimulatedWrite write, boolean remoteAccess) {

    write.dead = true;
    underway.remove(write);
    time.after(
        latency(),
        () -> {
          if (outstanding.remove(write)) {
            fail(
                write,
                remoteAccess ? REMOTE_ACCESS : DEVICE,
                remoteAccess ? "no memory under this key" : "the NIC reports an error",
                remoteAccess);
          }
        });
  }

  private void fail(SimulatedWrite write, int code, String text, boolean refused) {
    FailedWrite failed =
        new FailedWrite(
            domain.where().engine(),
            remote.engine(),
            write.source.segment(),
            write.sourceOffset,
            write.sourceExtent,
            write.hasImm ? write.imm : null);
    network.observer().failed(failed);
    if (write.hasImm && !refused) {
      network.observer().doubted(failed.origin(), failed.target(), write.imm);
    }
    domain.report(new Report.Failed(write.token, code, text, refused));
  }

  // ---- its end ----

  /** Breaks the link when something is on its way over it: little is to be seen of an idle one. */
  void cutWhenBusy() {
    doomed = true;
  }

  /** Breaks the link; both ends are told, each in its time. */
  void cut() {
    LinkEnd far = other;
    if (state == State.UP && far != null) {
      stopTraffic(far);
      lose(detectionNanos());
      far.lose(detectionNanos());
    }
  }

  private long detectionNanos() {
    boolean silent = Weather.happens(weather.silent(), random);
    return silent ? weather.silentDetectionNanos() : weather.draw(weather.detection(), random);
  }

  /** Its NIC vanishes. */
  void vanish(boolean silent) {
    LinkEnd far = other;
    if (state == State.UP && far != null) {
      stopTraffic(far);
      far.lose(silent ? weather.silentNanos() : weather.draw(weather.detection(), random));
    }
    state = State.IDLE;
    outstanding.clear();
    other = null;
    epoch++;
  }

  /** Grows when its engine shuts out what may still come of the other one. */
  int shut() {
    return shut;
  }

  /** Its engine gives the peer up: nothing of it comes in any more, nor what this breaks off. */
  void disconnect() {
    LinkEnd far = other;
    if (state == State.UP && far != null) {
      stopTraffic(far);
      far.lose(weather.draw(weather.detection(), random));
      report(random.nextBoolean());
    } else if (state == State.LOSING) {
      report(true);
    }
    if (weather.fences()) {
      shut++; // last, so that what was broken off here is shut out, too
    }
  }

  /** Its NIC breaks for good: what is out fails, and nobody here is told of a lost peer. */
  void breakDown() {
    LinkEnd far = other;
    if (state == State.UP && far != null) {
      stopTraffic(far);
      far.lose(weather.draw(weather.detection(), random));
    }
    report(false);
  }

  private void stopTraffic(LinkEnd far) {
    network.observer().wayLost(domain.where().engine(), remote.engine());
    dropAll(far);
    far.dropAll(this);
  }

  /** Some of what is on its way still arrives; the rest never does. */
  private void dropAll(LinkEnd far) {
    for (SimulatedWrite write : underway) {
      new Landing(network, write, far.domain).abandon(far);
    }
    underway.clear();
  }

  private void lose(long nanos) {
    state = State.LOSING;
    other = null;
    int lost = ++epoch;
    network.observer().wayLost(domain.where().engine(), remote.engine());
    time.after(
        nanos,
        () -> {
          if (state == State.LOSING && epoch == lost) {
            report(true);
          }
        });
  }

  /** Tells the engine of the loss, and then of what failed with it. */
  private void report(boolean loss) {
    state = State.IDLE;
    other = null;
    epoch++;
    if (loss) {
      network.observer().happened("lost", domain.where().engine(), number);
      domain.report(new Report.Lost(remote.engine(), "the link to " + remote + " is lost"));
    }
    for (SimulatedWrite write : outstanding) {
      fail(write, LOST, "the link to " + remote + " is lost", false);
    }
    outstanding.clear();
  }
}
