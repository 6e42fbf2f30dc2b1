package io.reactivetransfer.simulation.kvcache;

import java.util.SplittableRandom;
import java.util.function.BiConsumer;

/** What goes wrong: sessions, links, NICs, processes. */
final class KvFaults {

  private static final long MAX_OUTAGE_NANOS = 2_000_000;
  private static final long LONGEST_STOP_IN_DEADLINES = 3;

  private KvFaults() {}

  private static void withTwo(
      KvWorld world, SplittableRandom random, BiConsumer<KvNode, KvNode> action) {
    KvNode one = world.pickUp(random);
    KvNode other = one == null ? null : world.pickOther(one, random);
    if (one != null && other != null) {
      action.accept(one, other);
    }
  }

  static void cut(KvWorld world, SplittableRandom random) {
    withTwo(world, random, (one, other) -> world.network().cut(one.id(), other.id()));
  }

  static void cutControl(KvWorld world, SplittableRandom random) {
    withTwo(
        world,
        random,
        (one, other) -> {
          long outage = random.nextBoolean() ? 0 : random.nextLong(MAX_OUTAGE_NANOS);
          world.network().cutControl(one.id(), other.id(), outage);
        });
  }

  static void halfOpen(KvWorld world, SplittableRandom random) {
    withTwo(
        world,
        random,
        (one, other) -> world.network().halfOpen(one.id(), other.id(), random.nextBoolean()));
  }

  static void slowControl(KvWorld world, SplittableRandom random) {
    withTwo(world, random, (one, other) -> world.network().slowDown(one.id(), other.id()));
  }

  static void failNic(KvWorld world, SplittableRandom random) {
    KvNode node = world.pickUp(random);
    if (node == null || (random.nextInt(3) == 0 && world.network().breakNic(node.id()))) {
      return;
    }
    var engine = node.engine();
    if (engine != null && !engine.nics().isEmpty()) {
      int nic = random.nextInt(engine.nics().size());
      world.network().failNic(node.id(), nic, random.nextLong(MAX_OUTAGE_NANOS));
    }
  }

  /** For a moment, or for so long that others take it as lost. */
  static void stop(KvWorld world, SplittableRandom random) {
    KvNode node = world.pickUp(random);
    if (node != null) {
      long longest = world.forecast().livenessNanos() * LONGEST_STOP_IN_DEADLINES;
      node.stop(random.nextLong(random.nextBoolean() ? MAX_OUTAGE_NANOS : longest));
    }
  }

  /** Kills a process; most are started again, at the same place or somewhere else. */
  static void kill(KvWorld world, SplittableRandom random) {
    KvNode node = world.pickUp(random);
    if (node != null) {
      node.kill();
      if (random.nextInt(4) > 0) {
        int place = random.nextInt(3) > 0 ? node.process().place() : world.newPlace();
        world
            .time()
            .after(
                random.nextLong(MAX_OUTAGE_NANOS),
                () -> world.addNode(place, node.rank(), node.decodes()));
      }
    }
  }

  static void closeEngine(KvWorld world, SplittableRandom random) {
    KvNode node = world.pickUp(random);
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
}
