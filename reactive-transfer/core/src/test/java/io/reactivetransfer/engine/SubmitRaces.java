package io.reactivetransfer.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.base.Probe;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;
import reactor.core.publisher.Flux;

/** Submitting, demand, completion and cancel meet. */
public class SubmitRaces {

  /** A cancel while the worker takes over, posts and completes. */
  @JCStressTest
  @Outcome(id = "emitted", expect = ACCEPTABLE, desc = "done before the cancel")
  @Outcome(id = "dropped", expect = ACCEPTABLE, desc = "cancelled before")
  @State
  public static class CancelAndCompletion {
    private final RaceRig rig = new RaceRig();
    private final Probe<WriteImm> probe = rig.subscribe(rig.hand.engine().submit(rig.write));

    @Actor
    public void user() {
      probe.cancel();
    }

    @Actor
    public void worker() {
      rig.turn();
    }

    @Arbiter
    public void end(L_Result result) {
      String left = rig.leftovers();
      result.r1 = (probe.isComplete() ? "emitted" : "dropped") + left;
    }
  }

  /** Demand that comes in pieces while the worker completes what was asked for. */
  @JCStressTest
  @Outcome(id = "all", expect = ACCEPTABLE, desc = "each was emitted once, and then the end")
  @State
  public static class DemandAndCompletion {
    private final RaceRig rig = new RaceRig();
    private final Probe<WriteImm> probe = rig.probe(1);

    public DemandAndCompletion() {
      rig.hand.engine().submit(Flux.range(0, 9).map(i -> rig.write)).subscribe(probe);
    }

    @Actor
    public void user() {
      probe.request(1);
      probe.request(2);
      probe.request(5);
    }

    @Actor
    public void worker() {
      rig.turn();
      rig.turn();
    }

    @Arbiter
    public void end(L_Result result) {
      String left = rig.leftovers();
      result.r1 = (probe.count() == 9 && probe.isComplete() ? "all" : "only " + probe) + left;
    }
  }

  /** A stream that is left after its first element, while more of it is on its way. */
  @JCStressTest
  @Outcome(id = "left", expect = ACCEPTABLE, desc = "nothing is in flight, nothing came after")
  @State
  public static class LeavingAStream {
    private final RaceRig rig = new RaceRig();
    private final Probe<WriteImm> probe =
        rig.subscribe(rig.hand.engine().submit(Flux.range(0, 100).map(i -> rig.write)));

    @Actor
    public void user() {
      probe.cancel();
    }

    @Actor
    public void worker() {
      rig.turn();
    }

    @Arbiter
    public void end(L_Result result) {
      result.r1 = "left" + rig.leftovers();
    }
  }
}
