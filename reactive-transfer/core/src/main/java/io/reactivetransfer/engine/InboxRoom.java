package io.reactivetransfer.engine;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * How many messages wait for the application, over all senders. Each sender has a bound of its own,
 * but anybody may be a sender, leave what it was granted, and be gone: so while too many wait,
 * nobody is granted more. Belongs to the worker.
 */
final class InboxRoom {

  /** Messages that wait; while there are so many, no credit is granted. */
  static final int MAX_UNTAKEN = 1 << 16;

  /** Those that are owed credit, and get it when half of the room is free again. */
  private final Set<Mail> owed = new LinkedHashSet<>();

  private int maxUntaken = MAX_UNTAKEN;
  private int untaken;

  /** Is full sooner. For tests. */
  void bound(int maxUntaken) {
    this.maxUntaken = maxUntaken;
  }

  boolean isFull() {
    return untaken >= maxUntaken;
  }

  /** A message has come. */
  void put() {
    untaken++;
  }

  /**
   * The application has taken one.
   *
   * @return those that can be granted credit now
   */
  List<Mail> take() {
    if (--untaken != maxUntaken / 2) {
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

  /** Owes it nothing any more; says whether it did. */
  boolean forgive(Mail mail) {
    return owed.remove(mail);
  }
}
