package io.reactivetransfer.simulation;

import io.reactivetransfer.TransferEngine;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;

/** What goes wrong, whatever runs: sessions, links, NICs, processes. */
public final class Faults {

  /** So long it lasts at most, unless it is for good. */
  public static final long MAX_OUTAGE_NANOS = 2_000_000;

  private static final long LONGEST_STOP_IN_DEADLINES = 3;

  private Faults() {}

  private static void withTwo(
      Hosts<?> hosts, SplittableRandom random, BiConsumer<Host, Host> action) {
    Host one = hosts.pickUp(random);
    Host other = one == null ? null : hosts.pickOther(one, random);
    if (one != null && other != null) {
      action.accept(one, other);
    }
  }

  /** Breaks one link between NICs. */
  public static void cut(Hosts<?> hosts, SplittableRandom random) {
    withTwo(hosts, random, (one, other) -> hosts.network().cut(one.id(), other.id()));
  }

  /** Breaks the session of two engines, at times so that none comes about for a while. */
  public static void cutControl(Hosts<?> hosts, SplittableRandom random) {
    withTwo(
        hosts,
        random,
        (one, other) -> {
          long outage = random.nextBoolean() ? 0 : random.nextLong(MAX_OUTAGE_NANOS);
          hosts.network().cutControl(one.id(), other.id(), outage);
        });
  }

  /** Breaks it, and at least one of the two hears nothing of that. */
  public static void halfOpen(Hosts<?> hosts, SplittableRandom random) {
    withTwo(
        hosts,
        random,
        (one, other) -> hosts.network().halfOpen(one.id(), other.id(), random.nextBoolean()));
  }

  /** Makes the session of two engines slow. */
  public static void slowControl(Hosts<?> hosts, SplittableRandom random) {
    withTwo(hosts, random, (one, other) -> hosts.network().slowDown(one.id(), other.id()));
  }

  /** For a while, or for good. */
  public static void failNic(Hosts<?> hosts, SplittableRandom random) {
    Host node = hosts.pickUp(random);
    if (node == null || (random.nextInt(3) == 0 && hosts.network().breakNic(node.id()))) {
      return;
    }
    TransferEngine engine = node.engine();
    if (engine != null && !engine.nics().isEmpty()) {
      int nic = random.nextInt(engine.nics().size());
      hosts.network().failNic(node.id(), nic, random.nextLong(MAX_OUTAGE_NANOS));
    }
  }

  /** For a moment, or for so long that others take it as lost. */
  public static void stop(Hosts<?> hosts, SplittableRandom random) {
    Host node = hosts.pickUp(random);
    if (node != null) {
      long longest = hosts.livenessNanos() * LONGEST_STOP_IN_DEADLINES;
      node.stop(random.nextLong(random.nextBoolean() ? MAX_OUTAGE_NANOS : longest));
    }
  }

  /** Kills a process; another one may take its place. */
  public static <H extends Host> void kill(Hosts<H> hosts, SplittableRandom random) {
    H node = hosts.pickUp(random);
    if (node != null) {
      node.kill();
      hosts.replace(node, random);
    }
  }

  /** Closes an engine in good order, whatever runs on it. */
  public static void closeEngine(Hosts<?> hosts, SplittableRandom random) {
    Host node = hosts.pickUp(random);
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
