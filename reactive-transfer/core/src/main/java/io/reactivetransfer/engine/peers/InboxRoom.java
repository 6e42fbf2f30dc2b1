package io.reactivetransfer.engine.peers;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * How many messages wait for the application, over all senders. Each sender has a bound of its own,
 * but anybody may be a sender, leave what it was granted, and be gone: so while too many wait,
 * nobody is granted more. Belongs to the NIC thread.
 */
final class InboxRoom {

  /** Messages that wait, and their bytes; while there are so many, no credit is granted. */
  static final int MAX_UNTAKEN = 1 << 16;

  static final long MAX_UNTAKEN_BYTES = 256L << 20;

  /** Those that are owed credit, and get it when half of the room is free again. */
  private final Set<Mail> owed = new LinkedHashSet<>();

  private int maxUntaken = MAX_UNTAKEN;
  private int untaken;
  private long untakenBytes;

  /** Is full sooner. For tests. */
  void bound(int maxUntaken) {
    this.maxUntaken = maxUntaken;
  }

  boolean isFull() {
    return untaken >= maxUntaken || untakenBytes >= MAX_UNTAKEN_BYTES;
  }

  /** A message has come. */
  void put(int bytes) {
    untaken++;
    untakenBytes += bytes;
  }

  /**
   * The application has taken one.
   *
   * @return those that can be granted credit now
   */
  List<Mail> take(int bytes) {
    untaken--;
    untakenBytes -= bytes;
    if (owed.isEmpty() || untaken > maxUntaken / 2 || untakenBytes > MAX_UNTAKEN_BYTES / 2) {
      return List.of();
    }
    List<Mail> served = List.copyOf(owed);
    owed.clear();
    return served;
  }

  /** Owes credit to this one. */
  void owe(Mail mail) {
    owed.add(mail);
  }

  /** Owes it nothing any more. */
  void forgive(Mail mail) {
    owed.remove(mail);
  }
}
