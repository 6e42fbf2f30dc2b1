package io.reactivetransfer.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** Closing while everything else goes on. */
public class CloseRaces {

  private static final MemorySegment MEMORY = Arena.global().allocate(64);

  /** Everything that can be asked of an engine; nothing is asked before it is subscribed to. */
  private static List<Publisher<?>> everything(RaceRig rig) {
    var engine = rig.hand.engine();
    return List.of(
        engine.submit(rig.write),
        engine.submit(Flux.just(rig.write, rig.write, rig.write)),
        engine.counter(RaceRig.IMM).next(1),
        engine.counter(RaceRig.IMM).every(1),
        engine.send(rig.hand.peer(2), ByteBuffer.allocate(1)),
        engine.messages(),
        rig.source.quiesced(),
        rig.source.revoke(),
        rig.source.close(),
        engine.register(new HostMemory(MEMORY), Access.LOCAL),
        engine.close());
  }

  @JCStressTest
  @Outcome(id = "closed", expect = ACCEPTABLE, desc = "each subscription has ended once")
  @State
  public static class CloseAndEverything {
    private final RaceRig rig = new RaceRig();
    private final List<Publisher<?>> everything = everything(rig);

    @Actor
    public void user() {
      everything.forEach(rig::subscribe);
    }

    @Actor
    public void worker() {
      rig.hand.engine().close().subscribe();
      rig.turn();
    }

    @Arbiter
    public void end(L_Result result) {
      String left = rig.leftovers();
      result.r1 = (rig.hand.engine().isClosed() ? "closed" : "open") + left;
    }
  }

  /** The same, when it was open before. */
  @JCStressTest
  @Outcome(id = "closed", expect = ACCEPTABLE, desc = "each subscription has ended once")
  @State
  public static class EverythingThenClose {
    private final RaceRig rig = new RaceRig();

    public EverythingThenClose() {
      everything(rig).forEach(rig::subscribe);
    }

    @Actor
    public void user() {
      rig.subscribe(rig.hand.engine().close());
    }

    @Actor
    public void worker() {
      rig.turn();
    }

    @Arbiter
    public void end(L_Result result) {
      String left = rig.leftovers();
      result.r1 = (rig.hand.engine().isClosed() ? "closed" : "open") + left;
    }
  }
}
