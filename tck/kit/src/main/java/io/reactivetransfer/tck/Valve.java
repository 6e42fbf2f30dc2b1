package io.reactivetransfer.tck;

import io.reactivetransfer.Device;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.Doorbell;
import io.reactivetransfer.spi.Operation;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Sits between one engine and its NICs, and lets a test decide when a NIC takes a write over, when
 * it begins with it and when it reports it. Everything that it makes a NIC do is legal for a NIC;
 * so a rule that needs a slow, a small or a failing one can be checked on any backend.
 *
 * <p>Used by the test's thread and the engine's: one lock guards all.
 */
final class Valve {

  /**
   * A write that a NIC took over.
   *
   * @param number 0 for the first one that any NIC of the engine took over, then 1, 2 and so on
   * @param nic index of the NIC
   * @param peer whom it goes to
   * @param length bytes
   * @param hasImm whether it carries an immediate
   */
  record Taken(int number, int nic, EngineId peer, long length, boolean hasImm) {}

  /** The way of a NIC to a peer that is lost. */
  record Way(int nic, EngineId peer) {}

  /** What a peer says, though it does not. */
  record Heard(EngineId peer, ByteBuffer frame) {}

  private final NicTalk talk = new NicTalk();
  private final List<Doorbell> doorbells = new ArrayList<>();
  private final List<Set<Device>> devices = new ArrayList<>();
  private final List<Taken> taken = new ArrayList<>();
  private final List<String> faults = new ArrayList<>();
  private final Map<Object, Integer> inFlight = new HashMap<>();
  private final Map<Object, Integer> mostInFlight = new HashMap<>();
  private Predicate<Taken> heldWrites = Valve::none;
  private Predicate<Taken> heldReports = Valve::none;
  private Predicate<Taken> failing = Valve::none;
  private boolean refusing;
  private long maxWriteBytes = Long.MAX_VALUE;
  private int queueDepth = Integer.MAX_VALUE;
  private int maxRows = Integer.MAX_VALUE;
  private Set<Operation.Kind> operations = EnumSet.allOf(Operation.Kind.class);
  private int targets;
  private int peers;
  private final Queue<Heard> heard = new ArrayDeque<>();
  private final Queue<EngineId> endedSessions = new ArrayDeque<>();
  private boolean channelBroken;
  private int refusalsEach;
  private int ended;
  private boolean shut;
  private boolean writesShut;
  private int broken;
  private final Queue<Way> lostWays = new ArrayDeque<>();
  private int givingUp;
  private boolean refusingToLetGo;
  private boolean memoryHeld;
  private boolean chaining;
  private boolean merging;
  private int merged;
  private int flushes;

  /** This backend, with the valve in front of each NIC. For one engine. */
  Backend before(Backend backend) {
    return new ForwardingBackend(
        backend,
        (domain, context) -> {
          synchronized (this) {
            doorbells.add(context.doorbell());
            devices.add(domain.capabilities().devices());
            maxWriteBytes = Math.min(maxWriteBytes, domain.capabilities().maxWriteBytes());
          }
          return new NicTalkDomain(new ValveDomain(domain, context, this), context, talk);
        },
        (channel, context) -> new ValveChannel(channel, context, this));
  }

  /** Whether each of its NICs declares that it serves memory of this device. */
  synchronized boolean declares(Device device) {
    return devices.stream().allMatch(each -> each.contains(device));
  }

  /** Makes the NICs smaller than they are; to be called before they are opened. */
  synchronized Valve limits(long maxWriteBytes, int queueDepth) {
    this.maxWriteBytes = maxWriteBytes;
    this.queueDepth = queueDepth;
    return this;
  }

  /**
   * The NICs carry no more rows at once than these, gathered or not; to be called before they are
   * opened.
   */
  synchronized Valve rows(int maxRows) {
    this.maxRows = maxRows;
    return this;
  }

  synchronized int maxRows() {
    return maxRows;
  }

  /** The NICs name no other kinds of operation than these; to be called before they are opened. */
  synchronized Valve operations(Set<Operation.Kind> kinds) {
    operations = kinds;
    return this;
  }

  /** Which of these kinds its NICs name. */
  synchronized Set<Operation.Kind> named(Set<Operation.Kind> kinds) {
    return kinds.stream().filter(operations::contains).collect(Collectors.toSet());
  }

  /** Memory of peers that its NICs have resolved, and were not told to release. */
  synchronized int targets() {
    return targets;
  }

  synchronized void targets(int more) {
    targets += more;
  }

  /** NICs of peers that its NICs have resolved, and were not told to release. */
  synchronized int peers() {
    return peers;
  }

  synchronized void peers(int more) {
    peers += more;
  }

  /** The engine hears this, as if that peer had said it. */
  void say(EngineId peer, ByteBuffer frame) {
    synchronized (this) {
      heard.add(new Heard(peer, frame));
    }
    ring();
  }

  /** Each NIC says this to each one of that peer that it has resolved. */
  void speak(EngineId peer, ByteBuffer text) {
    talk.say(peer, text);
    ring();
  }

  /** What its NICs say so, and hear. */
  NicTalk talk() {
    return talk;
  }

  /** The session with that peer ends, as if the network had ended it. */
  void endSession(EngineId peer) {
    synchronized (this) {
      endedSessions.add(peer);
    }
    ring();
  }

  /** With whom the session has ended, and was not told yet; or null. */
  synchronized @Nullable EngineId nextEndedSession() {
    return endedSessions.poll();
  }

  /** The control channel can do nothing more. */
  void breakChannel() {
    synchronized (this) {
      channelBroken = true;
    }
    ring();
  }

  synchronized boolean isChannelBroken() {
    return channelBroken;
  }

  /** Whether it has heard all that was said so. */
  synchronized boolean hasHeardAll() {
    return heard.isEmpty();
  }

  /** What it hears next, or null. */
  synchronized @Nullable Heard nextHeard() {
    return heard.poll();
  }

  /** The NICs take these writes over, and do not begin with them. */
  synchronized Valve holdWrites(Predicate<Taken> which) {
    heldWrites = which;
    return this;
  }

  /** The NICs do these writes, and do not report them. */
  Valve holdReports(Predicate<Taken> which) {
    synchronized (this) {
      heldReports = which;
    }
    ring();
    return this;
  }

  /** The NICs take these writes over, and report them as failed instead of doing them. */
  synchronized Valve fail(Predicate<Taken> which) {
    failing = which;
    refusing = false;
    return this;
  }

  /** The same, and says that their targets have refused them. */
  synchronized Valve failRefused(Predicate<Taken> which) {
    failing = which;
    refusing = true;
    return this;
  }

  /** The NICs refuse each write and message that often before they take it over. */
  synchronized Valve refuseEach(int times) {
    refusalsEach = times;
    return this;
  }

  /** The NICs refuse everything. */
  synchronized Valve shut() {
    shut = true;
    return this;
  }

  /** The NICs refuse all writes, and take messages over. */
  synchronized Valve shutForWrites() {
    writesShut = true;
    return this;
  }

  /** This NIC fails, and with it all that it has taken over and not reported. */
  void breakNic(int nic) {
    synchronized (this) {
      broken |= 1 << nic;
    }
    ring();
  }

  /**
   * This NIC loses its way to a peer, once, and with it all that it has taken over for that one and
   * not reported.
   */
  void loseWay(int nic, EngineId peer) {
    synchronized (this) {
      lostWays.add(new Way(nic, peer));
    }
    ring();
  }

  /** Whom that NIC has lost its way to, and was not told yet; or null. */
  synchronized @Nullable EngineId nextLostPeer(int nic) {
    for (var each = lostWays.iterator(); each.hasNext(); ) {
      Way way = each.next();
      if (way.nic() == nic) {
        each.remove();
        return way.peer();
      }
    }
    return null;
  }

  /** Whether its NICs have told of all ways that were lost. */
  synchronized boolean hasLostAll() {
    return lostWays.isEmpty();
  }

  /** A NIC was told to give a peer up. */
  synchronized void givesUp(int nic) {
    givingUp |= 1 << nic;
  }

  /** Which NICs were told to give a peer up since this was asked last, as a set of bits. */
  synchronized int takeGivingUp() {
    int nics = givingUp;
    givingUp = 0;
    return nics;
  }

  /** From now on, no NIC confirms that it has given up memory, or that it is closed. */
  synchronized void refuseToLetGo() {
    refusingToLetGo = true;
  }

  synchronized boolean refusesToLetGo() {
    return refusingToLetGo;
  }

  /** The NICs take their time over registering, revoking and deregistering. */
  synchronized Valve holdMemory() {
    memoryHeld = true;
    return this;
  }

  synchronized boolean holdsMemory() {
    return memoryHeld;
  }

  /**
   * The NICs begin with what they take over when they are flushed, and not before, as one that
   * chains work requests; from then on, or to be called before they are opened.
   */
  synchronized Valve chain() {
    chaining = true;
    return this;
  }

  synchronized boolean chains() {
    return chaining;
  }

  /** The NICs report together what they may, from now on. */
  synchronized Valve merge() {
    merging = true;
    return this;
  }

  synchronized boolean merges() {
    return merging;
  }

  /** How many writes its NICs have reported together with others. */
  synchronized int merged() {
    return merged;
  }

  synchronized void merged(int writes) {
    merged += writes;
  }

  /** How often its NICs were flushed. */
  synchronized int flushes() {
    return flushes;
  }

  synchronized void flushed() {
    flushes++;
  }

  synchronized boolean isBroken(int nic) {
    return (broken & 1 << nic) != 0;
  }

  /**
   * Lets everything go, in the order in which it was taken over, and holds, fails and refuses
   * nothing from now on.
   */
  void open() {
    synchronized (this) {
      heldWrites = Valve::none;
      heldReports = Valve::none;
      failing = Valve::none;
      refusalsEach = 0;
      shut = false;
      writesShut = false;
      memoryHeld = false;
    }
    ring();
  }

  private void ring() {
    List<Doorbell> all;
    synchronized (this) {
      all = List.copyOf(doorbells);
    }
    all.forEach(Doorbell::ring);
  }

  /** What the NICs have taken over so far. */
  synchronized List<Taken> taken() {
    return List.copyOf(taken);
  }

  /** Writes that the NICs have done, whether or not they were let report them. */
  synchronized int ended() {
    return ended;
  }

  synchronized void end() {
    ended++;
  }

  /** Writes taken over and not reported. */
  synchronized int inFlight() {
    return inFlight.getOrDefault(this, 0);
  }

  /** The most that were ever in flight, over all NICs. */
  synchronized int mostInFlight() {
    return mostInFlight.getOrDefault(this, 0);
  }

  /** The most that were ever in flight on one NIC. */
  synchronized int mostInFlightOn(int nic) {
    return mostInFlight.getOrDefault(nic, 0);
  }

  /** The most that were ever in flight to one peer. */
  synchronized int mostInFlightTo(EngineId peer) {
    return mostInFlight.getOrDefault(peer, 0);
  }

  /** What a NIC did that no NIC may do. */
  synchronized List<String> faults() {
    return List.copyOf(faults);
  }

  synchronized void fault(String text) {
    if (!faults.contains(text)) { // one is enough, and leaves room for others
      faults.add(text);
    }
  }

  /** The longest write of its NICs, once they are open: less than {@link #limits} if need be. */
  synchronized long maxWriteBytes() {
    return maxWriteBytes;
  }

  synchronized int queueDepth() {
    return queueDepth;
  }

  synchronized boolean refuses(int refusedBefore) {
    return shut || refusedBefore < refusalsEach;
  }

  synchronized boolean refusesWrite(int refusedBefore) {
    return writesShut || refuses(refusedBefore);
  }

  /** What the next write that is taken over will be, if this one is. */
  synchronized Taken next(int nic, EngineId peer, long length, boolean hasImm) {
    return new Taken(taken.size(), nic, peer, length, hasImm);
  }

  synchronized void take(Taken write) {
    taken.add(write);
    for (Object key : List.of(this, write.nic(), write.peer())) {
      mostInFlight.merge(key, inFlight.merge(key, 1, Integer::sum), Math::max);
    }
  }

  synchronized void reported(Taken write) {
    for (Object key : List.of(this, write.nic(), write.peer())) {
      inFlight.merge(key, -1, Integer::sum);
    }
  }

  /** Which writes are held at this moment; to be asked once for a whole round. */
  synchronized Predicate<Taken> heldWrites() {
    return heldWrites;
  }

  /** Which reports are held at this moment; to be asked once for a whole round. */
  synchronized Predicate<Taken> heldReports() {
    return heldReports;
  }

  synchronized boolean fails(Taken write) {
    return failing.test(write);
  }

  /** Whether a write that fails is said to have been refused. */
  synchronized boolean refusesFailed() {
    return refusing;
  }

  private static boolean none(Taken write) {
    return false;
  }
}
