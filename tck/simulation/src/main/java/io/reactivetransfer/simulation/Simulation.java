package io.reactivetransfer.simulation;

import io.reactivetransfer.spi.Backend;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Runs seeds, one after the other, on the caller's thread. A seed decides everything: run again, it
 * does the same again.
 */
public final class Simulation implements SeededRun {

  private static final int LINES = 40;

  private final Ground<Plot> ground = new Ground<>();
  private final UnaryOperator<Backend> sabotage;
  private final boolean forgiving;

  /** Of engines on sound NICs. */
  public Simulation() {
    this(UnaryOperator.identity(), false);
  }

  /**
   * Of engines on NICs that something was done to.
   *
   * @param sabotage what was done to them
   * @param forgiving whether it is a fault that the models know nothing of: then failures need no
   *     reason, and all other rules hold
   */
  Simulation(UnaryOperator<Backend> sabotage, boolean forgiving) {
    this.sabotage = sabotage;
    this.forgiving = forgiving;
  }

  /**
   * What came of a seed.
   *
   * @param seed which
   * @param violation the first rule that did not hold, or null
   * @param events how many events it took
   * @param fingerprint of all that happened
   * @param trace the last that happened
   */
  public record Result(
      long seed, @Nullable String violation, long events, long fingerprint, List<String> trace) {

    /** Copies the trace. */
    public Result {
      trace = List.copyOf(trace);
    }

    /** Whether every rule held. */
    public boolean isClean() {
      return violation == null;
    }
  }

  @Override
  public Result run(long seed, IntPredicate acts) {
    return run(seed, Simulation::plan, acts);
  }

  /** Runs one seed with these acts instead of its own, one after the other. */
  Result run(long seed, List<ActKind> kinds) {
    return run(seed, (forecast, random) -> plan(kinds, forecast, random), act -> true);
  }

  /** So many times the same acts, for a run that consists of them. */
  static List<ActKind> rounds(int rounds, List<ActKind> round) {
    return Collections.nCopies(rounds, round).stream().flatMap(List::stream).toList();
  }

  private Result run(
      long seed, BiFunction<Forecast, SplittableRandom, List<Act>> planner, IntPredicate acts) {
    ground.clear();
    SplittableRandom random = new SplittableRandom(seed);
    Forecast forecast = Forecast.of(random);
    World world = new World(forecast, random.split(), ground, sabotage);
    Clock clock = new Clock(world.time(), world.referee(), world::check, world::checkAll);
    if (forgiving) {
      world.forgive();
    }
    try {
      for (int engine = 0; engine < forecast.engines(); engine++) {
        world.addNode();
      }
      List<Act> plan = planner.apply(forecast, random);
      for (int i = 0; i < plan.size(); i++) {
        Act act = plan.get(i);
        if (acts.test(i)) {
          world.time().after(act.nanos(), () -> act.perform(world));
        }
      }
      clock.run(forecast.horizonNanos() + 1);
      if (world.referee().violation() == null) {
        new Finale(world, clock).play();
      }
    } catch (RuntimeException e) {
      world.referee().violated("the run broke off: " + e);
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
    return Forecast.of(new SplittableRandom(seed)).acts();
  }

  private static List<Act> plan(Forecast forecast, SplittableRandom random) {
    boolean faults = random.nextInt(4) > 0;
    List<Act> plan = new ArrayList<>();
    for (int i = 0; i < forecast.acts(); i++) {
      ActKind kind = ActKind.draw(random);
      long nanos = random.nextLong(forecast.horizonNanos());
      long seed = random.nextLong();
      boolean skipped = kind.isFault() && !faults;
      plan.add(new Act(skipped ? ActKind.SUBMIT : kind, nanos, seed));
    }
    plan.sort(Comparator.comparingLong(Act::nanos));
    return plan;
  }

  private static List<Act> plan(List<ActKind> kinds, Forecast forecast, SplittableRandom random) {
    List<Act> plan = new ArrayList<>();
    long step = forecast.horizonNanos() / (kinds.size() + 1);
    for (ActKind kind : kinds) {
      plan.add(new Act(kind, step * (plan.size() + 1), random.nextLong()));
    }
    return plan;
  }
}
