package io.reactivetransfer.simulation;

import java.util.SplittableRandom;
import java.util.function.BiConsumer;

/** What goes wrong: sessions, links, NICs, processes. */
final class Faults {

  private static final long MAX_OUTAGE_NANOS = 2_000_000;
  private static final long LONGEST_STOP_IN_DEADLINES = 3;

  private Faults() {}

  private static void withTwo(World world, SplittableRandom random, BiConsumer<Node, Node> action) {
    Node one = world.pickUp(random);
    Node other = one == null ? null : world.pickOther(one, random);
    if (one != null && other != null) {
      action.accept(one, other);
    }
  }

  /** Breaks one link between NICs. */
  static void cut(World world, SplittableRandom random) {
    withTwo(world, random, (one, other) -> world.network().cut(one.id(), other.id()));
  }

  /** Breaks the session of two engines, at times so that none comes about for a while. */
  static void cutControl(World world, SplittableRandom random) {
    withTwo(
        world,
        random,
        (one, other) -> {
          long outage = random.nextBoolean() ? 0 : random.nextLong(MAX_OUTAGE_NANOS);
          world.network().cutControl(one.id(), other.id(), outage);
        });
  }

  /** Breaks it, and at least one of the two hears nothing of that. */
  static void halfOpen(World world, SplittableRandom random) {
    withTwo(
        world,
        random,
        (one, other) -> world.network().halfOpen(one.id(), other.id(), random.nextBoolean()));
  }

  static void slowControl(World world, SplittableRandom random) {
    withTwo(world, random, (one, other) -> world.network().slowDown(one.id(), other.id()));
  }

  static void failNic(World world, SplittableRandom random) {
    Node node = world.pickUp(random);
    if (node == null || (random.nextInt(3) == 0 && world.network().breakNic(node.id()))) {
      return;
    }
    if (node.engine() != null) {
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
