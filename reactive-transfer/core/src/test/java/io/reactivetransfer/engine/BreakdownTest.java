package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Signal;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.base.Probe;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;

/** A NIC that throws where it must not: the engine closes, everything ends, nothing hangs. */
class BreakdownTest {

  private static final RuntimeException BROKEN = new IllegalStateException("broken below");

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private final List<Probe<?>> pending = new ArrayList<>();
  private MemoryRegion source;

  /** Opens an engine on which something of every kind is pending. */
  private void open() {
    hand.open(2, o -> o.window(8));
    source = hand.region();
    pending.add(hand.probe(hand.engine().submit(write())));
    hand.turn();
    hand.nics().forEach(nic -> nic.room = 0);
    pending.add(hand.probe(hand.engine().submit(Flux.just(write(), write()))));
    pending.add(hand.probe(hand.engine().submit(Flux.<Write>never())));
    pending.add(hand.probe(hand.engine().counter(Imm.of(1)).next(1)));
    pending.add(hand.probe(hand.engine().counter(Imm.of(1)).every(1), new Probe<>(0)));
    pending.add(hand.probe(hand.engine().messages()));
    pending.add(hand.probe(hand.engine().send(hand.peer(1), ByteBuffer.allocate(1))));
    pending.add(hand.probe(source.quiesced()));
    hand.turn();
  }

  private Write write() {
    return Write.of(source.slice(0, 10), hand.remote(1).slice(0, 10));
  }

  /** The NICs take everything, and complete it. */
  private void settle() {
    hand.nics().forEach(nic -> nic.room = 100);
    hand.settle();
  }

  private void assertAllEnded() {
    assertThat(pending).allSatisfy(probe -> assertThat(probe.terminals()).isEqualTo(1));
    assertThat(hand.engine().isClosed()).isTrue();
    assertThat(hand.nics()).allMatch(ScriptedNic::isClosed);
    assertThat(hand.loop.isClosed()).isTrue();
  }

  @Test
  void inPollOnce() {
    open();
    hand.nic(1)
        .report(sink -> {
          throw BROKEN;
        });
    hand.turn();
    assertAllEnded();
    assertThat(pending.getFirst().error())
        .isInstanceOf(TransferException.class)
        .hasMessageContaining("broke")
        .hasCause(BROKEN);
  }

  @Test
  void inEveryPoll() {
    open();
    hand.nic(0).pollFailure = BROKEN;
    hand.turn();
    assertAllEnded();
  }

  @Test
  void inPollWithNothingInFlight() {
    hand.open(2);
    hand.nic(0).pollFailure = BROKEN;
    hand.turn();
    assertAllEnded();
  }

  @Test
  void inPollWhileItCloses() {
    open();
    Probe<Void> closing = hand.close().assertOpen();
    hand.nic(0).pollFailure = BROKEN;
    hand.turn();
    closing.assertComplete();
    assertAllEnded();
  }

  @Test
  void inPost() {
    open();
    hand.nic(0).postFailure = BROKEN;
    hand.turn();
    assertAllEnded();
  }

  @Test
  void inPostAtOnce() {
    hand.open(1);
    source = hand.region();
    hand.nic(0).postFailure = BROKEN;
    pending.add(hand.probe(hand.engine().submit(Flux.just(write(), write()))));
    hand.turn();
    assertAllEnded();
  }

  /** The parts that come after the one under which it breaks are never begun. */
  @Test
  void inPostOfSomethingForMany() {
    open();
    Scatter.Part part = new Scatter.Part(source.slice(0, 10), hand.remote(1).slice(0, 10));
    PeerGroup group = new PeerGroup(List.of(hand.peer(1), hand.peer(2), hand.peer(3)));
    settle();
    hand.nic(0).postFailure = BROKEN;
    hand.nic(1).postFailure = BROKEN;
    pending.add(hand.probe(hand.engine().submit(new Scatter(List.of(part, part), Imm.of(1)))));
    pending.add(hand.probe(hand.engine().submit(Signal.of(group, Imm.of(1)))));
    hand.turn();
    assertAllEnded();
  }

  @Test
  void inResolve() {
    open();
    hand.nic(1).resolveFailure = BROKEN;
    Write write = Write.of(source.slice(0, 1), hand.remote(7).slice(0, 1));
    Probe<Write> probe = hand.probe(hand.engine().submit(write));
    hand.turn();
    settle();
    // whether the engine survives is another question
    assertThat(probe.terminals()).isEqualTo(1);
    hand.nic(1).resolveFailure = null;
  }

  @Test
  void inRegister() {
    open();
    hand.nic(1).registerFailure = BROKEN;
    int before = hand.nic(0).registrations();
    Probe<MemoryRegion> probe =
        hand.probe(
            hand.engine()
                .register(new HostMemory(Arena.ofAuto().allocate(10)), Access.REMOTE_WRITE));
    hand.turn();
    assertThat(probe.error()).hasStackTraceContaining("broken below");
    if (!hand.nic(0).isClosed()) {
      assertThat(hand.nic(0).registrations()).as("undone on the first NIC").isEqualTo(before);
    }
  }

  @Test
  void inRevoke() {
    open();
    hand.nic(1).revokeFailure = BROKEN;
    Probe<Void> revoked = hand.probe(source.revoke());
    hand.turn();
    assertThat(revoked.error()).hasStackTraceContaining("broken below");
  }

  @Test
  void inRevokeWhenARegionIsClosed() {
    open();
    hand.nic(1).revokeFailure = BROKEN;
    Probe<Void> closed = hand.probe(source.close());
    hand.turn();
    settle();
    assertThat(closed.terminals()).isEqualTo(1);
    Probe<Void> again = hand.probe(source.close());
    hand.turn();
    settle();
    assertThat(again.terminals()).isEqualTo(1);
  }

  @Test
  void inDeregister() {
    open();
    hand.nic(0).deregisterFailure = BROKEN;
    Probe<Void> closed = hand.probe(source.close());
    hand.turn();
    settle();
    assertThat(closed.terminals()).isEqualTo(1);
    Probe<Void> again = hand.probe(source.close());
    hand.turn();
    settle();
    assertThat(again.terminals()).isEqualTo(1);
  }

  @Test
  void inRevokeOrDeregisterWhenTheEngineCloses() {
    open();
    hand.nic(0).deregisterFailure = BROKEN;
    hand.nic(1).revokeFailure = BROKEN;
    settle();
    Probe<Void> closing = hand.close();
    settle();
    assertThat(closing.terminals()).isEqualTo(1);
    assertAllEnded();
  }

  @Test
  void inClose() {
    open();
    hand.nic(0).closeFailure = BROKEN;
    settle();
    Probe<Void> closing = hand.close();
    assertThat(closing.terminals()).isEqualTo(1);
    assertAllEnded();
  }
}
