package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.base.Probe;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;

/** A NIC that reports what it must not report is survived. */
class CompletionsTest {

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private MemoryRegion source;

  private Write write() {
    return Write.of(source.slice(0, 10), hand.remote(1).slice(0, 10));
  }

  private void report(long token) {
    hand.nic(0).report(sink -> sink.written(token));
    hand.nic(0).report(sink -> sink.failed(token, 1, "unknown"));
    hand.turn();
  }

  @Test
  void tokensThatNeverWere() {
    hand.open(1);
    source = hand.region();
    Probe<Write> probe = hand.probe(hand.engine().submit(write()));
    hand.turn();
    long token = hand.inFlight().getFirst().token();
    for (long wrong :
        new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, token + 1, token + (1L << 32), ~token}) {
      report(wrong);
    }
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      long noise = random.nextLong();
      if (noise != token) {
        report(noise);
      }
    }
    probe.assertOpen();
    assertThat(hand.stats().writesInFlight()).as("seed %d", seed).isEqualTo(1);
    hand.completeAll();
    probe.assertComplete();
  }

  @Test
  void aWriteThatIsReportedTwice() {
    hand.open(1);
    source = hand.region();
    Probe<Write> first = hand.probe(hand.engine().submit(write()));
    hand.turn();
    long token = hand.inFlight().getFirst().token();
    hand.completeAll();
    first.assertComplete();
    // the slot is reused by the next one, which the old token must not end
    Probe<Write> second = hand.probe(hand.engine().submit(write()));
    hand.turn();
    report(token);
    second.assertOpen();
    assertThat(hand.stats().writesInFlight()).isEqualTo(1);
    hand.completeAll();
    second.assertComplete();
  }

  @Test
  void aFailureThatIsReportedTwice() {
    hand.open(1);
    source = hand.region();
    Probe<Write> probe = hand.probe(hand.engine().submit(write()));
    hand.turn();
    long token = hand.inFlight().getFirst().token();
    hand.fail(hand.inFlight().getFirst());
    report(token);
    assertThat(probe.terminals()).isEqualTo(1);
    assertThat(hand.stats().writesInFlight()).isZero();
  }

  @Test
  void whatWasNotPostedCannotBeDone() {
    hand.open(1);
    source = hand.region();
    hand.nic(0).room = 0;
    Probe<Write> probe = hand.probe(hand.engine().submit(Flux.just(write(), write())));
    hand.turn();
    for (long slot = 0; slot < 64; slot++) {
      report(slot);
    }
    probe.assertOpen();
    hand.nic(0).room = 10;
    hand.turn();
    assertThat(hand.posted()).hasSize(2);
    hand.completeAll();
    assertThat(probe.assertComplete().count()).isEqualTo(2);
  }

  @Test
  void aPeerThatNobodyKnows() {
    hand.open(1);
    source = hand.region();
    Probe<Write> probe = hand.probe(hand.engine().submit(write()));
    hand.turn();
    hand.nic(0).report(sink -> sink.peerLost(EngineByHand.addressOf(99).engine(), 1, "unknown"));
    hand.turn();
    probe.assertOpen();
    hand.completeAll();
    probe.assertComplete();
  }
}
