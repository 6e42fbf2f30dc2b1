package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Outcome;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Scatter.Part;
import io.reactivetransfer.engine.base.Probe;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;

/** A transfer to several peers has one end, whatever becomes of its memory while it begins. */
class ScatterTest {

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private Scatter scatter;

  /** The second part's memory is closed by another thread when the first one has been posted. */
  @BeforeEach
  void open() {
    hand.open(1);
    MemoryRegion first = hand.region();
    MemoryRegion second = hand.region();
    scatter =
        Scatter.of(
            Imm.of(5),
            new Part(first.slice(0, 100), hand.remote(1).slice(0, 100)),
            new Part(second.slice(0, 100), hand.remote(2).slice(0, 100)));
    hand.nic(0).onPost =
        () -> {
          hand.nic(0).onPost = () -> {};
          second.close().subscribe();
        };
  }

  @Test
  void endsWhenAllOfItIsBack() {
    Probe<Scatter> probe = hand.probe(hand.engine().submit(scatter));
    hand.turn();
    assertThat(hand.inFlight()).hasSize(2);
    probe.assertOpen();
    hand.completeAll();
    probe.assertComplete();
  }

  @Test
  void hasOneOutcome() {
    Probe<Outcome<Scatter>> probe = hand.probe(hand.engine().submitEach(Flux.just(scatter)));
    hand.turn();
    hand.completeAll();
    assertThat(probe.assertComplete().items()).hasSize(1);
    assertThat(hand.stats().transfersInFlight()).isZero();
  }
}
