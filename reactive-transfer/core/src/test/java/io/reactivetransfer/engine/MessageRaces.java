package io.reactivetransfer.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import io.reactivetransfer.Message;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.peers.ControlFrame;
import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** Messages, credit and demand meet. */
public class MessageRaces {

  private static int sent(RaceRig rig) {
    return rig.hand.control().sent(ControlFrame.MESSAGE).size();
  }

  /** A message is withdrawn while credit for it comes. */
  @JCStressTest
  @Outcome(id = "sent 1, told", expect = ACCEPTABLE, desc = "the credit came first")
  @Outcome(id = "sent 1, not told", expect = ACCEPTABLE, desc = "sent, and cancelled meanwhile")
  @Outcome(id = "sent 0, not told", expect = ACCEPTABLE, desc = "the cancel came first")
  @State
  public static class CancelAndCredit {
    private final RaceRig rig = new RaceRig();
    private final Probe<Void> probe =
        rig.subscribe(rig.hand.engine().send(rig.hand.peer(2), ByteBuffer.allocate(1)));

    public CancelAndCredit() {
      rig.turn();
    }

    @Actor
    public void user() {
      probe.cancel();
    }

    @Actor
    public void worker() {
      rig.receive(rig.hand.credit(2, 1));
      rig.turn();
    }

    @Arbiter
    public void end(L_Result result) {
      String left = rig.leftovers();
      String told = probe.isComplete() ? "told" : "not told";
      result.r1 = "sent " + sent(rig) + ", " + told + left;
    }
  }

  /** Two messages are sent while credit for one comes. */
  @JCStressTest
  @Outcome(id = "sent 1, then 2", expect = ACCEPTABLE, desc = "never more than there is credit for")
  @State
  public static class SendAndCredit {
    private final RaceRig rig = new RaceRig();
    private final Probe<Void> first = rig.probe(Long.MAX_VALUE);
    private final Probe<Void> second = rig.probe(Long.MAX_VALUE);

    @Actor
    public void user() {
      rig.hand.engine().send(rig.hand.peer(2), ByteBuffer.allocate(1)).subscribe(first);
      rig.hand.engine().send(rig.hand.peer(2), ByteBuffer.allocate(1)).subscribe(second);
    }

    @Actor
    public void worker() {
      rig.hand.peer(2);
      rig.receive(rig.hand.credit(2, 1));
      rig.turn();
    }

    @Arbiter
    public void end(L_Result result) {
      rig.turn();
      int early = sent(rig);
      rig.receive(rig.hand.credit(2, 2));
      result.r1 = "sent " + early + ", then " + later(rig);
    }

    private static String later(RaceRig rig) {
      String left = rig.leftovers();
      return sent(rig) + left;
    }
  }

  /** Messages come while they are asked for. */
  @JCStressTest
  @Outcome(id = "3 messages", expect = ACCEPTABLE, desc = "each once, in whatever order")
  @State
  public static class DemandAndMessages {
    private final RaceRig rig = new RaceRig();
    private final Probe<Message> probe = rig.probe(0);

    public DemandAndMessages() {
      rig.receive(rig.hand.hello(2));
      rig.turn();
      rig.hand.engine().messages().subscribe(probe);
    }

    @Actor
    public void user() {
      probe.request(1);
      probe.request(2);
    }

    @Actor
    public void worker() {
      for (int i = 0; i < 3; i++) {
        rig.receive(ControlFrame.message(0, ByteBuffer.allocate(1)));
      }
      rig.turn();
    }

    @Arbiter
    public void end(L_Result result) {
      rig.turn();
      int count = probe.count();
      probe.cancel();
      result.r1 = count + " messages" + rig.leftovers();
    }
  }
}
