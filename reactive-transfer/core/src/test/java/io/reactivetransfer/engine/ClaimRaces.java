package io.reactivetransfer.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import io.reactivetransfer.engine.base.Probe;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** Claims, arrivals and cancels meet: no arrival is lost, none counts twice. */
public class ClaimRaces {

  private static String verdict(RaceRig rig, boolean met) {
    String left = rig.leftovers();
    Probe<Long> rest = rig.subscribe(rig.hand.engine().counter(RaceRig.IMM).discard());
    rig.turn();
    return (met ? "met" : "not met") + ", " + rest.items() + left;
  }

  /** What a cancelled claim had got, or would have got, is there for the next one. */
  @JCStressTest
  @Outcome(id = "met, \\[0\\]", expect = ACCEPTABLE, desc = "the arrival came first")
  @Outcome(id = "not met, \\[1\\]", expect = ACCEPTABLE, desc = "the cancel came first")
  @State
  public static class CancelAndArrival {
    private final RaceRig rig = new RaceRig();
    private final Probe<Void> claim = rig.subscribe(rig.hand.engine().counter(RaceRig.IMM).next(1));

    @Actor
    public void user() {
      claim.cancel();
    }

    @Actor
    public void worker() {
      rig.arrive(1);
      rig.turn();
    }

    @Arbiter
    public void end(L_Result result) {
      result.r1 = verdict(rig, claim.isComplete());
    }
  }

  /** A claim that is made while what it waits for arrives. */
  @JCStressTest
  @Outcome(id = "met, \\[0\\]", expect = ACCEPTABLE, desc = "whoever was first")
  @State
  public static class ClaimAndArrival {
    private final RaceRig rig = new RaceRig();
    private final Probe<Void> claim = rig.probe(Long.MAX_VALUE);

    @Actor
    public void user() {
      rig.hand.engine().counter(RaceRig.IMM).next(2).subscribe(claim);
    }

    @Actor
    public void worker() {
      rig.arrive(2);
      rig.turn();
    }

    @Arbiter
    public void end(L_Result result) {
      rig.turn();
      result.r1 = verdict(rig, claim.isComplete());
    }
  }

  /** Rounds that are asked for while arrivals come. */
  @JCStressTest
  @Outcome(id = "3 rounds, \\[1\\]", expect = ACCEPTABLE, desc = "three of two, and one left")
  @State
  public static class DemandAndRounds {
    private final RaceRig rig = new RaceRig();
    private final Probe<Long> rounds = rig.probe(1);

    public DemandAndRounds() {
      rig.hand.engine().counter(RaceRig.IMM).every(2).subscribe(rounds);
      rig.turn();
    }

    @Actor
    public void user() {
      rounds.request(1);
      rounds.request(1);
    }

    @Actor
    public void worker() {
      rig.arrive(7);
      rig.turn();
    }

    @Arbiter
    public void end(L_Result result) {
      rig.turn();
      int count = rounds.count();
      rounds.cancel();
      String left = rig.leftovers();
      Probe<Long> rest = rig.subscribe(rig.hand.engine().counter(RaceRig.IMM).discard());
      rig.turn();
      result.r1 = count + " rounds, " + rest.items() + left;
    }
  }
}
