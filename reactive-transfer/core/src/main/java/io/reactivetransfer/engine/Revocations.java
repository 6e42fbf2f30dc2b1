package io.reactivetransfer.engine;

import io.reactivetransfer.engine.base.Timers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Asks the peers that write to a region to stop, before its key is ended in the NICs: there, ending
 * a key under a write that is on its way takes innocent writes along. Who does not answer within
 * the grace, or has left, is not waited for. Belongs to the worker.
 */
final class Revocations {

  /** A region under its present name, and who has said that it writes there. */
  private static final class Named {
    final Set<PeerLink> users = new LinkedHashSet<>();
    final List<Runnable> whenAnswered = new ArrayList<>();
    Timers.@Nullable Timer grace;
  }

  private final Worker worker;
  private final Map<Long, Named> regions = new HashMap<>();
  private long lastNumber;

  Revocations(Worker worker) {
    this.worker = worker;
  }

  /** A name that was never given to a region of this engine. */
  long newNumber() {
    regions.put(++lastNumber, new Named());
    return lastNumber;
  }

  /** The name is used no more. */
  void forget(long number) {
    Named region = regions.remove(number);
    if (region != null) {
      region.users.forEach(peer -> peer.regionsUsed.remove(number));
    }
  }

  /** A peer is about to write to a region. */
  void uses(PeerLink peer, long number) {
    Named region = regions.get(number);
    if (region != null) {
      region.users.add(peer);
      peer.regionsUsed.add(number);
    }
    if (region == null || region.grace != null) {
      peer.mail.say(ControlFrame.revoke(number)); // too late, or while the others are asked
    }
  }

  /** Has all stop that write to a region; then this runs, in any case. */
  void ask(long number, Runnable whenAnswered) {
    Named region = regions.get(number);
    long grace = worker.options().revocationGrace().toNanos();
    if (region == null || region.users.isEmpty() || grace == 0 || worker.shutdown().isBegun()) {
      whenAnswered.run();
      return;
    }
    region.whenAnswered.add(whenAnswered);
    if (region.grace == null) {
      region.grace = worker.timers().at(worker.now() + grace, () -> answered(region));
      for (PeerLink peer : List.copyOf(region.users)) {
        peer.mail.say(ControlFrame.revoke(number));
      }
    }
  }

  /** A peer writes there no more. */
  void stopped(PeerLink peer, long number) {
    Named region = regions.get(number);
    peer.regionsUsed.remove(number);
    if (region != null && region.users.remove(peer) && region.users.isEmpty()) {
      answered(region);
    }
  }

  void peerLost(PeerLink peer) {
    for (long number : List.copyOf(peer.regionsUsed)) {
      stopped(peer, number);
    }
  }

  /** The engine closes: nobody is waited for. */
  void close() {
    List.copyOf(regions.values()).forEach(this::answered);
  }

  private void answered(Named region) {
    Timers.Timer grace = region.grace;
    if (grace != null) {
      worker.timers().cancel(grace);
      List<Runnable> ready = List.copyOf(region.whenAnswered);
      region.whenAnswered.clear();
      ready.forEach(Runnable::run);
    }
  }
}
