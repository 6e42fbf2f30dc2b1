package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.TransferFailedException;
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

  private Probe<PagedWrite> fourPages() {
    hand.open(1);
    source = hand.region();
    PageList pages = PageList.range(0, 4);
    PagedWrite write =
        PagedWrite.of(2, source.slice(0, 8), pages, hand.remote(1).slice(0, 8), pages, null);
    Probe<PagedWrite> probe = hand.probe(hand.engine().submit(write));
    hand.turn();
    assertThat(hand.inFlight()).hasSize(4);
    return probe;
  }

  private void report(int page, int writes) {
    long token = hand.posted().get(page).token();
    hand.nic(0).report(sink -> sink.written(token, writes));
    hand.turn();
  }

  @Test
  void pagesThatAreReportedTogether() {
    Probe<PagedWrite> probe = fourPages();
    report(2, 3);
    probe.assertOpen();
    assertThat(hand.stats().writesInFlight()).isEqualTo(1);
    report(0, 1); // any token of the run will do
    probe.assertComplete();
    assertThat(hand.stats().writesInFlight()).isZero();
    assertThat(hand.defects()).isZero();
  }

  @Test
  void pagesThatAreReportedTogetherAfterOneAlone() {
    Probe<PagedWrite> probe = fourPages();
    long last = hand.posted().getLast().token();
    hand.nic(0)
        .report(sink -> {
          sink.written(hand.posted().getFirst().token());
          sink.written(last, 2);
          sink.failed(last, 1, "the last one");
        });
    hand.turn();
    assertThat(probe.error()).isInstanceOf(TransferFailedException.class);
    assertThat(hand.stats().writesInFlight()).isZero();
    assertThat(hand.defects()).isZero();
  }

  @Test
  void moreThanThereAreReportedTogether() {
    Probe<PagedWrite> probe = fourPages();
    report(1, 0);
    report(1, -1);
    probe.assertOpen();
    report(3, Integer.MAX_VALUE);
    probe.assertComplete();
    assertThat(hand.stats().writesInFlight()).isZero();
    assertThat(hand.defects()).isEqualTo(1);
    report(3, 1);
    assertThat(hand.defects()).isEqualTo(2);
  }
}
