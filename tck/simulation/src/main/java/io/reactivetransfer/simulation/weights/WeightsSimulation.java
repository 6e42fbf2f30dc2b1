package io.reactivetransfer.simulation.weights;

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
import java.util.function.BiFunction;
import java.util.function.IntPredicate;

/**
 * Runs seeds of the weights pipeline, one after the other, on the caller's thread. A seed decides
 * everything: run again, it does the same again.
 */
public final class WeightsSimulation implements SeededRun {

  private static final int LINES = 60;

  private final Ground<Strip> ground = new Ground<>();
  private final WeightsTampering tampering;

  /** Something that is to happen; leaving out another one does not change its mind. */
  private record Act(WeightsActKind kind, long nanos, long seed) {

    void perform(WeightsWorld world) {
      world.referee().note(-1, kind.name(), seed & 0xffff);
      kind.perform(world, new SplittableRandom(seed));
    }
  }

  /** Of processes that nobody got at. */
  public WeightsSimulation() {
    this(WeightsTampering.NONE);
  }

  /** Of processes that somebody got at. */
  WeightsSimulation(WeightsTampering tampering) {
    this.tampering = tampering;
  }

  @Override
  public Result run(long seed, IntPredicate acts) {
    return run(seed, WeightsSimulation::plan, acts);
  }

  /** Runs one seed with these acts instead of its own, one after the other. */
  Result run(long seed, List<WeightsActKind> kinds) {
    return run(seed, (forecast, random) -> plan(kinds, forecast, random), act -> true);
  }

  private Result run(
      long seed,
      BiFunction<WeightsForecast, SplittableRandom, List<Act>> planner,
      IntPredicate acts) {
    ground.clear();
    SplittableRandom random = new SplittableRandom(seed);
    WeightsForecast forecast = WeightsForecast.of(seed, random);
    WeightsWorld world = new WeightsWorld(forecast, random.split(), ground, tampering);
    Clock clock = new Clock(world.time(), world.referee(), world::check, world::requireInTime);
    Dropped.to(world.referee());
    try {
      world.populate();
      List<Act> plan = planner.apply(forecast, random);
      for (int i = 0; i < plan.size(); i++) {
        Act act = plan.get(i);
        if (acts.test(i)) {
          world.time().after(act.nanos(), () -> act.perform(world));
        }
      }
      clock.run(forecast.horizonNanos() + 1);
      if (world.referee().violation() == null) {
        new WeightsFinale(world, clock, random.split()).play();
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
    return WeightsForecast.of(seed, new SplittableRandom(seed)).acts();
  }

  private static List<Act> plan(WeightsForecast forecast, SplittableRandom random) {
    List<Act> plan = new ArrayList<>();
    for (int i = 0; i < forecast.acts(); i++) {
      WeightsActKind kind = WeightsActKind.draw(random);
      long nanos = random.nextLong(forecast.horizonNanos());
      long seed = random.nextLong();
      plan.add(new Act(allowed(kind, forecast), nanos, seed));
    }
    plan.sort(Comparator.comparingLong(Act::nanos));
    return plan;
  }

  private static List<Act> plan(
      List<WeightsActKind> kinds, WeightsForecast forecast, SplittableRandom random) {
    List<Act> plan = new ArrayList<>();
    long step = forecast.horizonNanos() / (kinds.size() + 1);
    for (WeightsActKind kind : kinds) {
      plan.add(new Act(allowed(kind, forecast), step * (plan.size() + 1), random.nextLong()));
    }
    return plan;
  }

  private static WeightsActKind allowed(WeightsActKind kind, WeightsForecast forecast) {
    return kind.isFault() && forecast.calm() ? WeightsActKind.READ : kind;
  }
}
