package io.reactivetransfer.engine.memory;

import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.engine.base.Closing;
import io.reactivetransfer.engine.base.ForAll;
import io.reactivetransfer.engine.base.Recording;
import io.reactivetransfer.engine.base.Timers;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.engine.peers.PeerEvents;
import io.reactivetransfer.engine.peers.PeerLink;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Asks the peers that write to a region to stop, before its key is ended in the NICs: there, ending
 * a key under a write that is on its way takes innocent writes along. Who does not answer within
 * the grace, or has left, is not waited for. Belongs to the NIC thread.
 */
public final class Revocations implements PeerEvents {

  /** A region under its present name, and who has said that it writes there. */
  private static final class Named {
    final Set<PeerLink> users = new LinkedHashSet<>();
    final List<Runnable> whenAnswered = new ArrayList<>();
    Timers.@Nullable Timer grace;

    /**
     * Whether those who were asked have answered, or had the time to, or nobody was to be asked:
     * its key is being ended, which may take a while.
     */
    boolean isAnswered;
  }

  private final long graceNanos;
  private final Timers timers;
  private final Closing closing;
  private final Recording recording;
  private final Map<PeerLink, Set<Long>> used = new HashMap<>();
  private final Map<Long, Named> regions = new HashMap<>();
  private long lastNumber;

  /** Those who are asked have so long to answer. */
  public Revocations(Duration grace, Timers timers, Closing closing, Recording recording) {
    this.graceNanos = grace.toNanos();
    this.timers = timers;
    this.closing = closing;
    this.recording = recording;
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
      region.users.forEach(peer -> unused(peer, number));
    }
  }

  private void unused(PeerLink peer, long number) {
    used.computeIfPresent(
        peer,
        (each, numbers) -> {
          numbers.remove(number);
          return numbers.isEmpty() ? null : numbers;
        });
  }

  /** A peer is about to write to a region; false if it says otherwise. */
  public boolean uses(PeerLink peer, ByteBuffer frame) {
    if (frame.remaining() != Long.BYTES) {
      return false;
    }
    long number = frame.getLong();
    Named region = regions.get(number);
    if (region != null) {
      region.users.add(peer);
      used.computeIfAbsent(peer, each -> new HashSet<>(4)).add(number);
    }
    if (region == null || region.grace != null || region.isAnswered) {
      peer.mail.say(ControlFrame.revoke(number)); // too late, or while the others are asked
    }
    return true;
  }

  /** Has all stop that write to a region; then this runs, in any case. */
  void ask(long number, Runnable whenAnswered) {
    Named region = regions.get(number);
    if (region == null) {
      whenAnswered.run();
      return;
    }
    if (region.users.isEmpty() || graceNanos == 0 || closing.isBegun()) {
      region.isAnswered = true;
    }
    if (region.isAnswered) {
      whenAnswered.run();
      return;
    }
    region.whenAnswered.add(whenAnswered);
    if (region.grace == null) {
      region.grace = timers.in(graceNanos, () -> overdue(region));
      for (PeerLink peer : List.copyOf(region.users)) {
        peer.mail.say(ControlFrame.revoke(number));
      }
    }
  }

  private void overdue(Named region) {
    region.users.forEach(peer -> recording.tell(recorder -> recorder.revocationOverdue(peer)));
    answered(region);
  }

  /** A peer writes to a region no more; false if it says otherwise. */
  public boolean stopped(PeerLink peer, ByteBuffer frame) {
    if (frame.remaining() != Long.BYTES) {
      return false;
    }
    stopped(peer, frame.getLong());
    return true;
  }

  private void stopped(PeerLink peer, long number) {
    Named region = regions.get(number);
    unused(peer, number);
    if (region != null && region.users.remove(peer) && region.users.isEmpty()) {
      answered(region);
    }
  }

  @Override
  public void lost(PeerLink peer, PeerUnreachableException loss) {
    gone(peer);
  }

  @Override
  public void forgotten(PeerLink peer, PeerUnreachableException reason) {
    gone(peer);
  }

  private void gone(PeerLink peer) {
    ForAll.of(used.getOrDefault(peer, Set.of()), number -> stopped(peer, number));
  }

  /** The engine closes: nobody is waited for. */
  public void close() {
    ForAll.of(regions.values(), this::answered);
  }

  private void answered(Named region) {
    Timers.Timer grace = region.grace;
    if (grace != null) {
      region.isAnswered = true;
      timers.cancel(grace);
      List<Runnable> ready = List.copyOf(region.whenAnswered);
      region.whenAnswered.clear();
      ForAll.of(ready, Runnable::run);
    }
  }
}
