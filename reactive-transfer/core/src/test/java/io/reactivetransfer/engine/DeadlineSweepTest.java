package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.base.Probe;
import java.time.Duration;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Deadlines are looked at when one may be over, and not at all while nothing is out. */
class DeadlineSweepTest {

  private static final Duration SHORT = Duration.ofMillis(1);

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private MemoryRegion source;

  private void open() {
    hand.open(1, options -> options.livenessDeadline(Duration.ofMinutes(10)));
    source = hand.region();
  }

  private Write write() {
    return Write.of(source.slice(0, 10), hand.remote(1).slice(0, 10));
  }

  /** How many turns the engine takes by itself in this time. */
  private long turnsWithin(Duration time) {
    long before = hand.nic(0).polls();
    hand.advance(time);
    return hand.nic(0).polls() - before;
  }

  @Test
  void anEngineThatHadAShortDeadlineRests() {
    open();
    Probe<Write> probe = hand.probe(hand.engine().submit(write(), SHORT));
    hand.turn();
    hand.completeAll();
    probe.assertComplete();
    turnsWithin(Duration.ofSeconds(1));
    assertThat(turnsWithin(Duration.ofSeconds(60))).isLessThanOrEqualTo(2);
  }

  @Test
  void aLongOneIsNotLookedAtAsOftenAsAShortOneThatIsOver() {
    open();
    Probe<Write> lasting = hand.probe(hand.engine().submit(write(), Duration.ofSeconds(100)));
    Probe<Write> over = hand.probe(hand.engine().submit(write(), SHORT));
    hand.turn();
    hand.complete(hand.inFlight().getLast());
    over.assertComplete();
    turnsWithin(Duration.ofSeconds(1));
    assertThat(turnsWithin(Duration.ofSeconds(60))).isLessThanOrEqualTo(5);
    lasting.assertOpen();
    hand.completeAll();
    lasting.assertComplete();
  }

  @Test
  void aShortOneIsKeptThoughALongOneBeganBefore() {
    open();
    hand.nic(0).room = 0;
    Probe<Write> lasting = hand.probe(hand.engine().submit(write(), Duration.ofSeconds(100)));
    hand.turn();
    Probe<Write> brief = hand.probe(hand.engine().submit(write(), Duration.ofMillis(16)));
    hand.turn();
    hand.advance(Duration.ofMillis(15));
    brief.assertOpen();
    hand.advance(Duration.ofMillis(3));
    assertThat(brief.error()).isInstanceOf(DeadlineExceededException.class);
    lasting.assertOpen();
    hand.advance(Duration.ofSeconds(107));
    assertThat(lasting.error()).isInstanceOf(DeadlineExceededException.class);
  }

  /** Each of many that began one after another, and end so. */
  @Test
  void manyAreKeptEach() {
    open();
    hand.nic(0).room = 0;
    var probes = new ArrayList<Probe<Write>>();
    for (int i = 0; i < 20; i++) {
      probes.add(hand.probe(hand.engine().submit(write(), Duration.ofSeconds(1))));
      hand.turn();
      hand.advance(Duration.ofMillis(100));
      hand.turn();
    }
    // those of the first second are over, give or take a sixteenth
    assertThat(probes.subList(0, 9)).allMatch(probe -> probe.terminals() == 1);
    assertThat(probes.subList(11, 20)).allMatch(probe -> probe.terminals() == 0);
    hand.advance(Duration.ofSeconds(2));
    assertThat(probes).allMatch(probe -> probe.terminals() == 1);
  }

  /** Its engine is heard, and no NIC comes there: whoever has waited is told why. */
  @Test
  void whyNothingCouldBePostedIsSaid() {
    open();
    hand.nic(0).room = 0;
    Probe<Write> probe = hand.probe(hand.engine().submit(write(), Duration.ofMillis(16)));
    hand.turn();
    hand.nic(0).report(sink -> sink.peerLost(hand.peer(1).id(), 1, "Connection refused"));
    hand.turn();
    hand.advance(Duration.ofMillis(20));
    assertThat(probe.error())
        .isInstanceOf(DeadlineExceededException.class)
        .hasMessageContaining("0 of 1 pieces were done")
        .hasMessageEndingWith(": Connection refused");
  }
}
