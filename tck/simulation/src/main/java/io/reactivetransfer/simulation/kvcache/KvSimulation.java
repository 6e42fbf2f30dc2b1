package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.simulation.Clock;
import io.reactivetransfer.simulation.Dropped;
import io.reactivetransfer.simulation.Ground;
import io.reactivetransfer.simulation.SeededRun;
import io.reactivetransfer.simulation.Simulation.Result;
import io.reactivetransfer.simulation.Trace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;

/**
 * Runs seeds of the hand-over of KV caches, one after the other, on the caller's thread. A seed
 * decides everything: run again, it does the same again.
 */
public final class KvSimulation implements SeededRun {

  private static final int LINES = 60;

  private final Ground<Land.Strip> ground = new Ground<>();
  private final Tampering tampering;

  /** Something that is to happen; leaving out another one does not change its mind. */
  private record Act(KvActKind kind, long nanos, long seed) {

    void perform(KvWorld world) {
      world.referee().note(-1, kind.name(), seed & 0xffff);
      kind.perform(world, new SplittableRandom(seed));
    }
  }

  /** Of nodes that nobody got at. */
  public KvSimulation() {
    this(Tampering.NONE);
  }

  /** Of nodes that somebody got at. */
  KvSimulation(Tampering tampering) {
    this.tampering = tampering;
  }

  @Override
  public Result run(long seed, IntPredicate acts) {
    ground.clear();
    SplittableRandom random = new SplittableRandom(seed);
    KvForecast forecast = KvForecast.of(random);
    KvWorld world = new KvWorld(forecast, random.split(), ground, tampering);
    Clock clock = new Clock(world.time(), world.referee(), world::check, world::requireInTime);
    Dropped.to(world.referee());
    try {
      world.populate();
      List<Act> plan = plan(forecast, random);
      for (int i = 0; i < plan.size(); i++) {
        Act act = plan.get(i);
        if (acts.test(i)) {
          world.time().after(act.nanos(), () -> act.perform(world));
        }
      }
      clock.run(forecast.horizonNanos() + 1);
      if (world.referee().violation() == null) {
        new KvFinale(world, clock).play();
      }
    } catch (RuntimeException e) {
      world.referee().violated("the run broke off: " + e);
    } finally {
      Dropped.to(null);
    }
    String violation = world.referee().violation();
    Trace trace = world.referee().trace();
    return new Result(
        seed,
        violation,
        world.time().eventsDone(),
        trace.fingerprint(),
        violation == null ? List.of() : trace.last(LINES));
  }

  @Override
  public int acts(long seed) {
    return KvForecast.of(new SplittableRandom(seed)).acts();
  }

  private static List<Act> plan(KvForecast forecast, SplittableRandom random) {
    List<Act> plan = new ArrayList<>();
    for (int i = 0; i < forecast.acts(); i++) {
      KvActKind kind = KvActKind.draw(random);
      long nanos = random.nextLong(forecast.horizonNanos());
      long seed = random.nextLong();
      // Some runs have routers, and then many: in the others all else is as frequent as without.
      boolean isOut =
          (kind.isFault() && forecast.calm()) || (kind.isOfRouters() && !forecast.routed());
      KvActKind then = isOut ? KvActKind.ORDER : kind;
      if (forecast.routed() && then == KvActKind.ORDER && random.nextBoolean()) {
        then = KvActKind.ROUTE;
      }
      plan.add(new Act(then, nanos, seed));
    }
    plan.sort(Comparator.comparingLong(Act::nanos));
    return plan;
  }
}
