package io.reactivetransfer.ibverbs.ffi;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What cards do on their own: a thread that does the requests of all queue pairs, in turn, as long
 * as there is a queue pair. Everything is done under one lock, that of the fake.
 */
final class FakeCard {

  private static final long PAUSE_MILLIS = 1;

  private final Object lock;
  private final FakeBooks books;
  private final List<FakeDevice> devices;

  /** Used by its thread only. */
  private final FakeMemory memory = new FakeMemory();

  private @Nullable Thread thread;
  private int turn;
  private boolean isHeld;
  private boolean takesReceives;
  private boolean mixesUpNext;
  private final List<FakeConnection> connections = new ArrayList<>();

  FakeCard(Object lock, FakeBooks books, List<FakeDevice> devices) {
    this.lock = lock;
    this.books = books;
    this.devices = devices;
  }

  FakeBooks books() {
    return books;
  }

  FakeMemory memory() {
    return memory;
  }

  /** A queue pair is ready to send; under the lock. */
  void connected(FakeConnection connection) {
    connections.add(connection);
  }

  /** What those were told that have become so; under the lock. */
  List<FakeConnection> connections() {
    return List.copyOf(connections);
  }

  /** There is something to do; under the lock. */
  void wake() {
    if (thread == null) {
      thread = Thread.ofPlatform().daemon().name("fake-card").start(this::work);
    }
    lock.notifyAll();
  }

  /** Does nothing of what is posted until it is let go; under the lock. */
  void hold(boolean isHeld) {
    this.isHeld = isHeld;
    lock.notifyAll();
  }

  void takesReceives(boolean takes) {
    takesReceives = takes;
  }

  boolean takesReceives() {
    return takesReceives;
  }

  /** A second copy of the next write that comes in is called invalid; under the lock. */
  void mixUpNext() {
    mixesUpNext = true;
  }

  /** Whether that is so of the one that comes in now. */
  boolean mixesUp() {
    boolean mixesUp = mixesUpNext;
    mixesUpNext = false;
    return mixesUp;
  }

  private void work() {
    while (turn()) {
      Thread.onSpinWait(); // whoever waits for the lock gets it
    }
  }

  private boolean turn() {
    synchronized (lock) {
      List<FakeQueuePair> all = books.all(FakeQueuePair.class);
      if (all.isEmpty()) {
        thread = null;
        return false;
      }
      long now = System.nanoTime();
      for (int i = 0; i < all.size() && !isHeld; i++) {
        FakeQueuePair next = all.get(Math.floorMod(turn++, all.size()));
        if (next.hasWork() && now - next.dueNanos >= 0) {
          next.step();
          return true;
        }
      }
      boolean isBusy = !isHeld && hasWork(all);
      try {
        lock.wait(isBusy ? PAUSE_MILLIS : 0);
      } catch (InterruptedException e) {
        return true; // nobody interrupts it
      }
      return true;
    }
  }

  private static boolean hasWork(List<FakeQueuePair> all) {
    for (FakeQueuePair each : all) {
      if (each.hasWork()) {
        return true;
      }
    }
    return false;
  }

  boolean isAnywhere(Gid gid) {
    return devices.stream().anyMatch(device -> device.has(gid));
  }

  /** The queue pair that a packet gets to; null if it gets to none. */
  @Nullable FakeQueuePair reachable(FakeQueuePair from, int number, Gid gid) {
    for (FakeQueuePair each : books.all(FakeQueuePair.class)) {
      if (each.number == number
          && from.context.device.isUp
          && each.context.device.isUp
          && each.context.device.has(gid)) {
        return each;
      }
    }
    return null;
  }

  FakeObject.@Nullable Mr local(FakeObject.Pd pd, int lkey) {
    for (FakeObject.Mr each : books.all(FakeObject.Mr.class)) {
      if (each.pd == pd && each.lkey == lkey) {
        return each;
      }
    }
    return null;
  }

  FakeObject.@Nullable Mr remote(FakeObject.Pd pd, int rkey) {
    for (FakeObject.Mr each : books.all(FakeObject.Mr.class)) {
      if (each.pd == pd && each.rkey == rkey) {
        return each;
      }
    }
    return null;
  }
}
