package io.reactivetransfer.staging;

import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.Doorbell;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * What all parts of one staging NIC share: the NIC of the engine, the second one by which pieces
 * come and go, tokens, time, and what is to be told to peers.
 */
final class Nics {

  /** What is to be told to a NIC. */
  record Said(StagedPeer to, ByteBuffer message) {}

  private final Domain main;
  private final SecondNic second;
  private final Devices devices;
  private final Doorbell doorbell;
  private final long patienceNanos;
  private final OwnTokens tokens = new OwnTokens();
  private final Randomness random = new Randomness();
  private final Immediates immediates = new Immediates(random::nextInt);
  private final PollClock clock = new PollClock(System.nanoTime());
  private final Doubts doubts = new Doubts();
  private final Queue<Said> outbox = new ArrayDeque<>();

  Nics(Domain main, SecondNic second, Devices devices, Doorbell doorbell, long patienceNanos) {
    this.main = main;
    this.second = second;
    this.devices = devices;
    this.doorbell = doorbell;
    this.patienceNanos = patienceNanos;
  }

  /** The engine's NIC, which its memory of the host is registered with. */
  Domain main() {
    return main;
  }

  SecondNic second() {
    return second;
  }

  Devices devices() {
    return devices;
  }

  Doorbell doorbell() {
    return doorbell;
  }

  /** How long a peer may owe an answer. */
  long patienceNanos() {
    return patienceNanos;
  }

  OwnTokens tokens() {
    return tokens;
  }

  Randomness random() {
    return random;
  }

  /** Of the second NIC. */
  Immediates immediates() {
    return immediates;
  }

  PollClock clock() {
    return clock;
  }

  /** About copies of all buffers. */
  Doubts doubts() {
    return doubts;
  }

  /** Has it told with the next poll. */
  void say(StagedPeer to, ByteBuffer message) {
    outbox.add(new Said(to, message));
    doorbell.ring();
  }

  Queue<Said> outbox() {
    return outbox;
  }
}
