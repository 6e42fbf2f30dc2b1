package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.HandScheduler;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import io.reactivetransfer.engine.peers.PeerLink;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rule 2, and how claims on a counter behave. */
class CounterTest {

  private static final Imm IMM = Imm.of(123_456);

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private ImmCounter counter() {
    return hand.engine().counter(IMM);
  }

  /** One write of so many pieces arrives. */
  private void arrive(Imm imm, int pieces) {
    for (int i = 0; i < pieces; i++) {
      hand.nic(0).arrive(WireImm.encode(imm.value(), pieces));
    }
    hand.turn();
  }

  private void arrivals(int writes) {
    for (int i = 0; i < writes; i++) {
      hand.nic(0).arrive(WireImm.encode(IMM.value(), 1));
    }
    hand.turn();
  }

  private Probe<Void> next(long n) {
    Probe<Void> probe = hand.probe(counter().next(n));
    hand.turn();
    return probe;
  }

  private long discarded() {
    Probe<Long> probe = hand.probe(counter().discard());
    hand.turn();
    return probe.assertComplete().items().getFirst();
  }

  @Test
  void whatCameBeforeAnyoneAskedIsKept() {
    hand.open(1);
    arrivals(3);
    assertThat(hand.stats().unclaimedImms()).isEqualTo(1);
    next(2).assertComplete();
    assertThat(hand.stats().unclaimedImms()).isEqualTo(1);
    next(1).assertComplete();
    assertThat(hand.stats().unclaimedImms()).isZero();
    next(1).assertOpen();
    assertThat(hand.stats().pendingClaims()).isEqualTo(1);
  }

  @Test
  void theSurplusCarriesOver() {
    hand.open(1);
    Probe<Void> first = next(2);
    arrivals(5);
    first.assertComplete();
    next(3).assertComplete();
    assertThat(discarded()).isZero();
  }

  @Test
  void claimsAreServedFirstComeFirstServed() {
    hand.open(1);
    Probe<Void> large = next(3);
    Probe<Void> small = next(1);
    arrivals(2);
    large.assertOpen();
    small.assertOpen(); // though two are there
    arrivals(1);
    large.assertComplete();
    small.assertOpen();
    arrivals(1);
    small.assertComplete();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void aWriteHasArrivedWithItsLastPiece(int pieces) {
    hand.open(1);
    Probe<Void> probe = next(1);
    for (int i = 1; i < pieces; i++) {
      hand.nic(0).arrive(WireImm.encode(IMM.value(), pieces));
      hand.turn();
      probe.assertOpen();
    }
    hand.nic(0).arrive(WireImm.encode(IMM.value(), pieces));
    hand.turn();
    probe.assertComplete();
    assertThat(discarded()).isZero();
    assertThat(hand.stats().unclaimedImms()).isZero();
  }

  @Test
  void writesThatWereCutDifferentlyAddUp() {
    hand.open(1);
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<Integer> wire = new ArrayList<>();
    int writes = 200;
    for (int i = 0; i < writes; i++) {
      int pieces = 1 + random.nextInt(8);
      for (int p = 0; p < pieces; p++) {
        wire.add(random.nextInt(wire.size() + 1), WireImm.encode(IMM.value(), pieces));
      }
    }
    Probe<Void> all = next(writes);
    int last = wire.removeLast();
    wire.forEach(hand.nic(0)::arrive);
    hand.turn();
    all.assertOpen();
    hand.nic(0).arrive(last);
    hand.turn();
    all.assertComplete();
    assertThat(discarded()).as("seed %d", seed).isZero();
  }

  @Test
  void otherImmediatesAreOthers() {
    hand.open(1);
    Probe<Void> probe = next(1);
    arrive(Imm.of(IMM.value() + 1), 1);
    arrive(Imm.of(0), 3);
    arrive(Imm.of(Imm.MAX_VALUE), 8);
    probe.assertOpen();
    arrive(IMM, 5);
    probe.assertComplete();
    assertThat(hand.stats().unclaimedImms()).isEqualTo(3);
  }

  @Test
  void aClaimIsOneToTwoToTheFortieth() {
    hand.open(1);
    for (long wrong : new long[] {0, -1, (1L << 40) + 1, Long.MAX_VALUE}) {
      assertThatIllegalArgumentException().isThrownBy(() -> counter().next(wrong));
      assertThatIllegalArgumentException().isThrownBy(() -> counter().every(wrong));
    }
    next(1L << 40).assertOpen();
    arrivals(1);
  }

  @Test
  void eachSubscriptionIsAClaimOfItsOwn() {
    hand.open(1);
    var mono = counter().next(1);
    Probe<Void> first = hand.probe(mono);
    Probe<Void> second = hand.probe(mono);
    arrivals(1);
    first.assertComplete();
    second.assertOpen();
    arrivals(1);
    second.assertComplete();
  }

  // ---- cancelling ----

  @Test
  void cancellingReturnsTheClaim() {
    hand.open(1);
    Probe<Void> first = next(3);
    Probe<Void> second = next(2);
    arrivals(2);
    first.cancel();
    hand.turn();
    second.assertComplete();
    assertThat(hand.stats().pendingClaims()).isZero();
    assertThat(first.terminals()).isZero();
  }

  @Test
  void cancellingAClaimThatIsMetButNotToldReturnsIt() {
    hand.signals = new HandScheduler();
    hand.open(1);
    Probe<Void> first = hand.probe(counter().next(2));
    hand.turn();
    hand.nic(0).arrive(WireImm.encode(IMM.value(), 1));
    hand.nic(0).arrive(WireImm.encode(IMM.value(), 1));
    hand.turnWorker();
    first.cancel();
    hand.turn();
    assertThat(first.terminals()).isZero();
    next(2).assertComplete();
  }

  @Test
  void cancellingFromWithinOnSubscribeLeavesNothing() {
    hand.open(1);
    Probe<Void> cancelled =
        hand.probe(counter().next(1_000), new Probe<Void>(0).onSubscription(Probe::cancel));
    hand.turn();
    assertThat(hand.stats().pendingClaims()).isZero();
    Probe<Void> other = next(1);
    arrivals(1);
    other.assertComplete();
    assertThat(cancelled.terminals()).isZero();
  }

  @Test
  void cancellingRoundsFromWithinOnSubscribeLeavesNothing() {
    hand.open(1);
    Probe<Long> cancelled =
        hand.probe(
            counter().every(1_000),
            new Probe<Long>(0)
                .onSubscription(p -> {
                  p.request(1);
                  p.cancel();
                }));
    hand.turn();
    assertThat(hand.stats().pendingClaims()).isZero();
    Probe<Void> other = next(1);
    arrivals(1);
    other.assertComplete();
    assertThat(cancelled.terminals()).isZero();
  }

  @Test
  void cancellingTwiceOrAfterTheEndIsNothing() {
    hand.open(1);
    Probe<Void> probe = next(1);
    arrivals(1);
    probe.cancel();
    probe.cancel();
    hand.turn();
    assertThat(discarded()).as("it was told, so it is not returned").isZero();
    Probe<Void> twice = next(1);
    twice.cancel();
    twice.cancel();
    hand.turn();
    assertThat(hand.stats().pendingClaims()).isZero();
  }

  // ---- again and again ----

  @Test
  void roundsAreClaimedWhenThereIsDemand() {
    hand.open(1);
    Probe<Long> every = hand.probe(counter().every(2), new Probe<>(0));
    arrivals(5);
    assertThat(every.items()).isEmpty();
    Probe<Void> other = next(1);
    other.assertComplete();
    every.request(1);
    hand.turn();
    assertThat(every.items()).containsExactly(1L);
    every.request(2);
    hand.turn();
    assertThat(every.items()).containsExactly(1L, 2L);
    arrivals(2);
    assertThat(every.items()).containsExactly(1L, 2L, 3L);
    every.assertOpen();
    arrivals(10);
    assertThat(every.count()).isEqualTo(3);
    assertThat(discarded()).isEqualTo(10);
  }

  @Test
  void roundsThatAreCancelledReturnTheirClaim() {
    hand.open(1);
    Probe<Long> every = hand.probe(counter().every(3));
    arrivals(5);
    assertThat(every.items()).containsExactly(1L);
    every.cancel();
    hand.turn();
    next(2).assertComplete();
    assertThat(hand.stats().pendingClaims()).isZero();
  }

  @Test
  void roundsThatAreCancelledFromWithinTakeNoMore() {
    hand.open(1);
    Probe<Long> every = Probe.unbounded();
    hand.probe(
        counter().every(1),
        every.onItem((p, round) -> {
          if (round == 3) {
            p.cancel();
          }
        }));
    arrivals(10);
    assertThat(every.items()).containsExactly(1L, 2L, 3L);
    assertThat(discarded()).isEqualTo(7);
  }

  @Test
  void roundsAskedForFromWithinOnNext() {
    hand.open(1);
    Probe<Long> every = new Probe<Long>(1).onItem((p, round) -> p.request(1));
    hand.probe(counter().every(1), every);
    arrivals(20);
    assertThat(every.count()).isEqualTo(20);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE})
  void askingForLessThanOneIsAnError(long n) {
    hand.open(1);
    Probe<Void> next = hand.probe(counter().next(1), new Probe<>(0));
    Probe<Long> undemanded = hand.probe(counter().every(1), new Probe<>(0));
    Probe<Long> demanded = hand.probe(counter().every(1));
    hand.turn();
    for (Probe<?> probe : List.of(next, undemanded, demanded)) {
      probe.request(n);
      hand.turn();
      assertThat(probe.error())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("rule 3.9");
    }
    assertThat(hand.stats().pendingClaims()).isZero();
    arrivals(1);
    next(1).assertComplete();
  }

  @Test
  void askingForLessThanOneFromWithinOnSubscribeIsAnError() {
    hand.open(1);
    Probe<Void> next =
        hand.probe(counter().next(1), new Probe<Void>(0).onSubscription(p -> p.request(0)));
    Probe<Long> every =
        hand.probe(counter().every(1), new Probe<Long>(0).onSubscription(p -> p.request(0)));
    hand.turn();
    assertThat(next.error()).isInstanceOf(IllegalArgumentException.class);
    assertThat(every.error()).isInstanceOf(IllegalArgumentException.class);
    assertThat(hand.stats().pendingClaims()).isZero();
    arrivals(1);
    next(1).assertComplete();
  }

  // ---- bounds ----

  @Test
  void discardDropsWhatNobodyClaimed() {
    hand.open(1);
    arrivals(4);
    hand.nic(0).arrive(WireImm.encode(IMM.value(), 2)); // half a write
    hand.turn();
    assertThat(discarded()).isEqualTo(4);
    assertThat(discarded()).isZero();
    assertThat(hand.stats().unclaimedImms()).isZero();
    Probe<Void> probe = next(1);
    probe.assertOpen();
    arrivals(1);
    probe.assertComplete();
    assertThat(discarded()).isZero();
  }

  /** With a claim waiting, everything that has arrived is claimed: by the first in the queue. */
  @Test
  void discardTakesNothingFromAClaimThatWaits() {
    hand.open(1);
    Probe<Void> waiting = next(3);
    arrivals(2);
    assertThat(discarded()).isZero();
    arrivals(1);
    waiting.assertComplete();
  }

  @Test
  void aFullTableIsAnErrorThatSomeoneSees() {
    hand.open(1, o -> o.maxUnclaimedImms(2));
    Probe<Void> known = hand.probe(hand.engine().counter(Imm.of(50)).next(1));
    hand.turn();
    arrive(Imm.of(1), 1);
    arrive(Imm.of(2), 1);
    assertThat(hand.stats().droppedImms()).isZero();
    arrive(Imm.of(3), 1);
    assertThat(hand.stats().droppedImms()).isEqualTo(1);
    assertThat(hand.stats().unclaimedImms()).isEqualTo(2);
    // those that are known go on
    arrive(Imm.of(1), 1);
    Probe<Void> one = hand.probe(hand.engine().counter(Imm.of(1)).next(2));
    arrive(Imm.of(50), 1);
    one.assertComplete();
    known.assertComplete();
    // what was lost is told to whom it concerns
    Probe<Void> lost = hand.probe(hand.engine().counter(Imm.of(3)).next(1));
    Probe<Long> every = hand.probe(hand.engine().counter(Imm.of(4)).every(1));
    hand.turn();
    assertThat(lost.error())
        .isInstanceOf(TransferFailedException.class)
        .hasMessageContaining("maxUnclaimedImms");
    every.assertOpen();
    assertThat(hand.stats().arrivals()).isEqualTo(5);
  }

  @Test
  void peersOfAnotherEngineBindNothing() {
    hand.open(1);
    PeerLink foreign = new TestParts().peer(EngineByHand.addressOf(1));
    assertThatExceptionOfType(TransferRejectedException.class)
        .isThrownBy(() -> counter().boundTo(foreign));
  }

  /** The same against a model: a queue of claims and a number. */
  @Test
  void countsAsTheModelDoes() {
    hand.open(1);
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    ArrayDeque<Probe<Void>> waiting = new ArrayDeque<>();
    ArrayDeque<Integer> sizes = new ArrayDeque<>();
    long there = 0;
    for (int step = 0; step < 5_000; step++) {
      switch (random.nextInt(5)) {
        case 0, 1 -> {
          int n = 1 + random.nextInt(4);
          waiting.add(next(n));
          sizes.add(n);
        }
        case 2 -> {
          if (!waiting.isEmpty()) {
            waiting.removeLast().cancel();
            sizes.removeLast();
            hand.turn();
          }
        }
        default -> {
          int n = random.nextInt(5);
          arrivals(n);
          there += n;
        }
      }
      while (!waiting.isEmpty() && there >= sizes.getFirst()) {
        there -= sizes.removeFirst();
        assertThat(waiting.removeFirst().terminals()).as("seed %d, %d", seed, step).isEqualTo(1);
      }
      waiting.forEach(Probe::assertOpen);
      assertThat(hand.stats().pendingClaims()).as("seed %d", seed).isEqualTo(waiting.size());
    }
  }
}
