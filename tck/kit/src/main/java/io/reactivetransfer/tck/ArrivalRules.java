package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineStats;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferRejectedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Chapter 2: arrivals are never lost. */
abstract class ArrivalRules extends RuleGroup {

  /** No number of claims. */
  private static final long FAILED = 1L << 62;

  ArrivalRules(TransferConformance kit) {
    super(kit);
  }

  private void signal(Duo duo, Imm imm, int times) {
    stage().complete(duo.origin().submit(Flux.just(duo.signal(imm)).repeat(times - 1)).then());
  }

  @Test
  final void r2_1_arrivalsBeforeAnyClaimAreKept() {
    Duo duo = Duo.open(stage(), 1);
    Imm imm = stage().imm();
    signal(duo, imm, 3);
    stage().awaitArrivals(duo.target(), 3);
    stage().complete(duo.target().counter(imm).next(3));
  }

  @Test
  final void r2_2_theSurplusCarriesOver() {
    Duo duo = Duo.open(stage(), 1);
    Imm imm = stage().imm();
    Probe<Void> first = stage().claim(duo.target(), imm, 2);
    signal(duo, imm, 5);
    first.awaitCompletion();
    stage().awaitArrivals(duo.target(), 5);
    stage().complete(duo.target().counter(imm).next(1));
    stage().complete(duo.target().counter(imm).next(2));
  }

  @Test
  final void r2_3_claimsAreServedFirstComeFirstServed() {
    Duo duo = Duo.open(stage(), 1);
    Imm imm = stage().imm();
    Probe<Void> first = stage().claim(duo.target(), imm, 2);
    Probe<Void> second = stage().claim(duo.target(), imm, 1);
    signal(duo, imm, 1);
    stage().awaitArrivals(duo.target(), 1);
    second.assertSilent();
    first.assertPending();
    signal(duo, imm, 1);
    first.awaitCompletion();
    second.assertPending();
    signal(duo, imm, 1);
    second.awaitCompletion();
  }

  @Test
  final void r2_4_aCancelledClaimReturnsWhatItHad() {
    Duo duo = Duo.open(stage(), 1);
    Imm imm = stage().imm();
    Probe<Void> first = stage().claim(duo.target(), imm, 3);
    signal(duo, imm, 2);
    stage().awaitArrivals(duo.target(), 2);
    Probe<Void> second = stage().probe("a claim of 2", duo.target().counter(imm).next(2));
    first.cancel();
    second.awaitCompletion();
  }

  @Test
  final void r2_5_repeatedClaimsFollowDemand() {
    Duo duo = Duo.open(stage(), 1);
    Imm imm = stage().imm();
    Probe<Long> rounds = stage().probe("rounds of 2", duo.target().counter(imm).every(2), 1);
    stage().patience().until("a claim", () -> duo.target().stats().pendingClaims() == 1);
    signal(duo, imm, 4);
    assertThat(rounds.awaitValues(1)).containsExactly(1L);
    rounds.assertSilent();
    stage().complete(duo.target().counter(imm).next(2));
    rounds.request(2);
    signal(duo, imm, 4);
    assertThat(rounds.awaitValues(3)).containsExactly(1L, 2L, 3L);
    rounds.request(1);
    signal(duo, imm, 1);
    stage().awaitArrivals(duo.target(), 9);
    rounds.cancel();
    stage().complete(duo.target().counter(imm).next(1));
  }

  @Test
  final void r2_6_discardDropsAndSaysHowMany() {
    Duo duo = Duo.open(stage(), 1);
    Imm imm = stage().imm();
    signal(duo, imm, 3);
    stage().awaitArrivals(duo.target(), 3);
    assertThat(stage().get(duo.target().counter(imm).discard())).isEqualTo(3);
    Probe<Void> claim = stage().claim(duo.target(), imm, 1);
    signal(duo, imm, 1);
    claim.awaitCompletion();
    assertThat(stage().get(duo.target().counter(imm).discard())).isZero();
  }

  @Test
  final void r2_7_immediatesAreCountedApart() {
    Duo duo = Duo.open(stage(), 1);
    int[] values = {0, 1, 2, 0x0AAA_AAAA, 1 << (Imm.BITS - 1), Imm.MAX_VALUE - 1, Imm.MAX_VALUE};
    List<Probe<Void>> claims = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      claims.add(stage().claim(duo.target(), Imm.of(values[i]), i + 1));
    }
    for (int i = 0; i < values.length; i++) {
      for (int j = i; j < values.length; j++) {
        signal(duo, Imm.of(values[j]), 1);
      }
    }
    claims.forEach(Probe::awaitCompletion);
    for (int value : values) {
      assertThat(stage().get(duo.target().counter(Imm.of(value)).discard())).isZero();
    }
  }

  @Test
  final void r2_8_aFullTableLosesLoudly() {
    TransferEngine target = stage().open(1, options -> options.maxUnclaimedImms(4));
    Duo duo = Duo.of(stage(), stage().open(1), target);
    List<Imm> imms = IntStream.range(0, 6).mapToObj(i -> stage().imm()).toList();
    imms.forEach(imm -> signal(duo, imm, 1));
    stage().awaitArrivals(target, 6);
    // An arrival is counted before what becomes of it; what is asked now is done after both.
    stage().get(target.counter(stage().imm()).discard());
    EngineStats stats = target.stats();
    assertThat(stats.droppedImms()).as("arrivals that were lost").isEqualTo(2);
    assertThat(stats.unclaimedImms()).as("immediates that were kept").isEqualTo(4);
    stage()
        .probe("a claim", target.counter(imms.getLast()).next(1))
        .awaitError(TransferException.class);
    long kept = 0;
    for (Imm imm : imms) {
      kept += stage().get(target.counter(imm).discard());
    }
    assertThat(kept).isEqualTo(4);
  }

  @Test
  final void r2_11_onlyClaimsOnWhatWasLostFailAndOnce() {
    TransferEngine target = stage().open(1, options -> options.maxUnclaimedImms(4));
    Duo duo = Duo.of(stage(), stage().open(1), target);
    List<Imm> imms = IntStream.range(0, 6).mapToObj(i -> stage().imm()).toList();
    imms.forEach(imm -> signal(duo, imm, 1));
    stage().awaitArrivals(target, 6);
    Imm fresh = stage().imm();
    Probe<Void> other = stage().claim(target, fresh, 1);
    Imm lost = imms.getLast();
    stage()
        .probe("a claim on what was lost", target.counter(lost).next(1))
        .awaitError(TransferException.class);
    Probe<Void> again = stage().claim(target, lost, 1);
    other.assertPending();
    again.assertPending();
    signal(duo, fresh, 1);
    signal(duo, lost, 1);
    other.awaitCompletion();
    again.awaitCompletion();
  }

  @Test
  final void r2_9_arrivalsFromSeveralOriginsAllCount() {
    TransferEngine target = stage().open(1);
    List<Duo> duos =
        IntStream.range(0, 3)
            .mapToObj(i -> Duo.of(stage(), stage().open(1, options -> options.window(64)), target))
            .toList();
    Imm imm = stage().imm();
    Probe<Void> claim = stage().claim(target, imm, 1_200);
    List<Probe<?>> streams = new ArrayList<>();
    for (Duo duo : duos) {
      streams.add(
          stage()
              .probe("400 writes", duo.origin().submit(Flux.fromIterable(duo.writes(400, imm)))));
    }
    streams.forEach(Probe::awaitCompletion);
    claim.awaitCompletion();
    assertThat(stage().get(target.counter(imm).discard())).isZero();
  }

  @Test
  final void r2_12_immediatesOfLeasesAreApartAndEndWithThem() {
    Duo duo = Duo.open(stage(), 1);
    ImmLease lease = duo.target().lease(3);
    ImmLease other = duo.target().lease(3);
    assertThat(Math.abs(lease.imm().value() - other.imm().value())).isGreaterThanOrEqualTo(3);
    Probe<Void> waiting = stage().probe("a claim", lease.counter(1).next(2));
    stage().patience().until("a claim", () -> duo.target().stats().pendingClaims() == 1);
    signal(duo, lease.imm(1), 1);
    signal(duo, lease.imm(2), 1);
    signal(duo, other.imm(2), 1);
    stage().awaitArrivals(duo.target(), 3);
    lease.close();
    waiting.awaitError(TransferRejectedException.class);
    for (Mono<?> late :
        List.of(
            lease.counter(2).next(1), lease.counter().every(1).next(), lease.counter().discard())) {
      stage().probe("after the lease", late).awaitError(TransferRejectedException.class);
    }
    assertThat(stage().get(duo.target().counter(lease.imm(2)).discard())).isZero();
    stage().complete(other.counter(2).next(1));
  }

  @Test
  final void r2_13_aStreamOfClaimsMakesOneAfterTheOther() {
    Duo duo = Duo.open(stage(), 1);
    Imm imm = stage().imm();
    Probe<Integer> met =
        stage()
            .probe(
                "claims of 2, 0, 3, 1",
                duo.target().counter(imm).claims(Flux.just(2, 0, 3, 1), Integer::longValue));
    signal(duo, imm, 4);
    stage().awaitArrivals(duo.target(), 4);
    assertThat(met.awaitValues(2)).containsExactly(2, 0);
    met.assertSilent();
    signal(duo, imm, 2);
    met.awaitCompletion();
    assertThat(met.awaitValues(4)).containsExactly(2, 0, 3, 1);
    Probe<Integer> cancelled =
        stage()
            .probe(
                "a claim of 2", duo.target().counter(imm).claims(Flux.just(2), Integer::longValue));
    signal(duo, imm, 1);
    stage().awaitArrivals(duo.target(), 7);
    cancelled.cancel();
    stage().complete(duo.target().counter(imm).next(1));
  }

  @Test
  final void r2_14_aClaimThatIsMetRaisesItsWordFirst() {
    Duo duo = Duo.open(stage(), 1);
    Imm imm = stage().imm();
    MemorySegment word = stage().memory(Long.BYTES).fill((byte) 0);
    ImmCounter raising = duo.target().counter(imm).raising(word);
    Probe<Integer> met =
        stage()
            .probe(
                "claims of 1, 2",
                raising.claims(Flux.just(1, 2), Integer::longValue).doOnNext(n -> read(word, n)));
    signal(duo, imm, 2);
    assertThat(met.awaitValues(1)).containsExactly(1);
    stage().awaitArrivals(duo.target(), 2);
    read(word, 1);
    signal(duo, imm, 1);
    met.awaitCompletion();
    read(word, 2);
  }

  @Test
  final void r2_15_aClaimThatFailsWritesToItsWordFirst() {
    Duo duo = Duo.open(stage(), 1);
    ImmLease lease = duo.target().lease();
    MemorySegment word = stage().memory(Long.BYTES).fill((byte) 0);
    AtomicLong told = new AtomicLong();
    Probe<Void> failing =
        stage()
            .probe(
                "a claim of 1",
                duo.target()
                    .counter(lease.imm())
                    .raising(new HostMemory(word), FAILED)
                    .next(1)
                    .doOnError(_ -> told.set(in(word))));
    stage().patience().until("a claim", () -> duo.target().stats().pendingClaims() == 1);
    lease.close();
    failing.awaitError(TransferRejectedException.class);
    assertThat(told).as("the word when the failure was told").hasValue(FAILED);
  }

  private static void read(MemorySegment word, long expected) {
    assertThat(in(word)).isEqualTo(expected);
  }

  private static long in(MemorySegment word) {
    return (long) ValueLayout.JAVA_LONG.varHandle().getAcquire(word, 0L);
  }
}
