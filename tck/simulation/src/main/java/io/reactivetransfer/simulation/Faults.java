package io.reactivetransfer.simulation;

import java.util.SplittableRandom;

/** What goes wrong: links, NICs, processes. */
final class Faults {

  private static final long MAX_OUTAGE_NANOS = 2_000_000;
  private static final long LONGEST_STOP_IN_DEADLINES = 3;

  private Faults() {}

  static void cut(World world, SplittableRandom random) {
    Node one = world.pickUp(random);
    Node other = one == null ? null : world.pickOther(one, random);
    if (one != null && other != null) {
      world.network().cut(one.id(), other.id());
    }
  }

  static void failNic(World world, SplittableRandom random) {
    Node node = world.pickUp(random);
    if (node != null && random.nextInt(3) == 0 && world.network().breakNic(node.id())) {
      node.nicBroke(); // the messages of all may have gone over it, and do until they are told
    } else if (node != null && node.engine() != null) {
      int nic = random.nextInt(node.engine().nics().size());
      world.network().failNic(node.id(), nic, random.nextLong(MAX_OUTAGE_NANOS));
    }
  }

  /** For a moment, or for so long that others take it as lost. */
  static void stop(World world, SplittableRandom random) {
    Node node = world.pickUp(random);
    if (node != null) {
      long longest = world.forecast().livenessNanos() * LONGEST_STOP_IN_DEADLINES;
      node.stop(random.nextLong(random.nextBoolean() ? MAX_OUTAGE_NANOS : longest));
    }
  }

  static void kill(World world, SplittableRandom random) {
    Node node = world.pickUp(random);
    if (node != null) {
      node.kill();
      if (random.nextBoolean()) {
        int place = node.process().place();
        world.time().after(random.nextLong(MAX_OUTAGE_NANOS), () -> world.addNode(place));
      }
    }
  }

  static void closeEngine(World world, SplittableRandom random) {
    Node node = world.pickUp(random);
    if (node != null) {
      node.act(
          0,
          () -> {
            if (node.isUp()) {
              node.close();
            }
          });
    }
  }

  /** A new engine, where there was none. */
  static void start(World world, SplittableRandom random) {
    world.time().after(random.nextLong(MAX_OUTAGE_NANOS), world::addNode);
  }
}
