package io.reactivetransfer.engine.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import io.reactivetransfer.engine.peers.AbortFrame;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.engine.peers.PeerLink;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** However much an origin aborts: it costs little, and ends. */
class AbortFloodTest {

  private static final int MANY = 100_000;
  private static final String LONG = "because ".repeat(10_000);

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private Peer origin;
  private int seq;

  @BeforeEach
  void open() {
    hand.open(1);
    origin = hand.peer(1);
    hand.control().receive(origin.id(), hand.hello(1, 1, 0));
    hand.turn();
  }

  private void abort(int imm, long shares, int flags) {
    AbortFrame abort = new AbortFrame(++seq, imm, shares, flags, LONG);
    hand.control().receive(origin.id(), ControlFrame.abort(abort, 0));
  }

  private Probe<Void> claim(int imm) {
    Probe<Void> probe = hand.probe(hand.engine().counter(Imm.of(imm)).next(1));
    hand.turn();
    return probe;
  }

  private void arrive(int imm) {
    hand.nic(0).arrive(WireImm.encode(imm, 1));
    hand.turn();
  }

  @Test
  void abortsOfWhatNobodyClaimsLeaveNoMoreThanAFew() {
    for (int i = 0; i < MANY; i++) {
      abort(i, 0, ControlFrame.FAILS | ControlFrame.NOTE);
      if (i % 1_000 == 0) {
        hand.turn();
      }
    }
    hand.turn();
    assertThat(hand.stats().unclaimedImms()).as("unclaimed immediates").isZero();
    assertThat(hand.stats().droppedImms()).as("dropped immediates").isZero();
    Probe<Void> forgotten = claim(7);
    forgotten.assertOpen(); // the oldest go
    arrive(7);
    forgotten.assertComplete();
    assertThat(claim(MANY - AbortFrame.MAX_NOTES).error())
        .isInstanceOf(TransferFailedException.class);
    Probe<Void> fresh = claim(MANY + 1);
    fresh.assertOpen();
    arrive(MANY + 1);
    fresh.assertComplete();
  }

  @Test
  void notesAreAsManyAsTheyMayBeAndShort() {
    AbortNotes notes = new AbortNotes(3);
    EngineId one = new EngineId(1, 1);
    for (int imm = 0; imm < 10_000; imm++) {
      notes.add(imm, one, ControlFrame.clip(LONG));
    }
    assertThat(notes.size()).isEqualTo(AbortFrame.MAX_NOTES);
    notes.forget(one);
    assertThat(notes.isEmpty()).isTrue();
    assertThat(ControlFrame.clip(LONG).length()).isLessThanOrEqualTo(200);
  }

  @Test
  void notesOfManyOriginsAreBoundedToo() {
    AbortNotes notes = new AbortNotes(3);
    for (int origin = 0; origin < 1_000; origin++) {
      for (int imm = 0; imm < AbortFrame.MAX_NOTES; imm++) {
        notes.add(imm, new EngineId(7, origin), "because of " + origin + " and " + imm);
      }
    }
    assertThat(notes.size()).isLessThan(4 * AbortNotes.MAX_IN_ALL);
    assertThat(notes.texts()).isEqualTo(AbortNotes.MAX_TEXTS);
    for (int origin = 0; origin < 1_000; origin++) {
      notes.forget(new EngineId(7, origin));
    }
    assertThat(notes.isEmpty()).isTrue();
    assertThat(notes.texts()).isZero();
  }

  /** A table full of what nobody claims is not gone over for each such word. */
  @Test
  void aWordForAllImmediatesCostsWhatWaits() {
    long empty = costOfWordsForAll();
    for (int imm = 0; imm < 65_536; imm++) {
      hand.nic(0).arrive(WireImm.encode(imm, 1));
    }
    hand.turn();
    assertThat(hand.stats().unclaimedImms()).isEqualTo(65_536);
    long full = costOfWordsForAll();
    for (int round = 0; round < 3 && full >= 5 * empty; round++) {
      full = Math.min(full, costOfWordsForAll());
    }
    assertThat(full).as("ns of the processor; %s with an empty table", empty).isLessThan(5 * empty);
  }

  private long costOfWordsForAll() {
    var threads = ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadCpuTime();
    for (int i = 0; i < 1_000; i++) {
      abort(ControlFrame.ALL_IMMS, 0, ControlFrame.FAILS);
    }
    hand.turn();
    return threads.getCurrentThreadCpuTime() - before;
  }

  /** It can end the count under what it has named, until that is discarded, and no other one. */
  @Test
  void whoLeavesTooMuchInDoubtIsGivenUpAndNobodyElsePaysForIt() {
    for (int imm = 0; imm <= Doubts.MAX_PER_ORIGIN + 100; imm++) {
      abort(imm, 0, ControlFrame.FAILS | ControlFrame.DOUBT);
    }
    hand.turn();
    assertThat(hand.control().disconnections())
        .singleElement()
        .satisfies(each -> {
          assertThat(each.peer()).isEqualTo(origin.id());
          assertThat(each.reason()).contains("in doubt");
        });
    Probe<Void> claim = claim(1_000_000);
    claim.assertOpen();
    arrive(1_000_000);
    claim.assertComplete();
    assertThat(claim(1).error())
        .isInstanceOf(TransferFailedException.class)
        .hasMessageContaining("discard()");
    hand.probe(hand.engine().counter(Imm.of(1)).discard());
    hand.turn();
    Probe<Void> again = claim(1);
    again.assertOpen();
    arrive(1);
    again.assertComplete();
  }

  /**
   * Two that leave all that there is room for, and are lost. What was not taken of them keeps them
   * from being forgotten with those of which nothing is wanted.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void thoseThatAreLostMakeRoomBeforeAnybodyWhoIsThere(boolean isHeldByAMessage) {
    for (int number = 2; number <= 3; number++) {
      hand.receive(number, hand.hello(number));
      if (isHeldByAMessage) {
        hand.receive(number, ControlFrame.message(0, ByteBuffer.allocate(4)));
      }
      for (int i = 0; i < Doubts.MAX_PER_ORIGIN; i++) {
        int imm = number * Doubts.MAX_PER_ORIGIN + i;
        AbortFrame abort =
            new AbortFrame(i + 1, imm, 0, ControlFrame.FAILS | ControlFrame.DOUBT, "");
        hand.control().receive(hand.peer(number).id(), ControlFrame.abort(abort, 0));
      }
      hand.turn();
      hand.lose(hand.peer(number));
    }
    int before = hand.control().disconnections().size();
    int greetings = hand.control().sent(ControlFrame.HELLO).size();
    abort(1, 0, ControlFrame.FAILS | ControlFrame.DOUBT);
    hand.turn();
    assertThat(hand.control().disconnections()).hasSize(before);
    assertThat(hand.control().sent(ControlFrame.HELLO)).as("greetings").hasSize(greetings);
    assertThat(((PeerLink) origin).loss()).isNull();
    assertThat(claim(1).error()).isInstanceOf(TransferFailedException.class);
    assertThat(claim(3 * Doubts.MAX_PER_ORIGIN + 1_000).error()).as("of who is lost").isNotNull();
  }

  /** Such as one that this engine has forgotten, and that does not know it. */
  @Test
  void whomNobodyKnowsAbortsNothing() {
    Probe<Void> waiting = claim(1);
    int all = ControlFrame.FAILS | ControlFrame.NOTE | ControlFrame.DOUBT;
    long defects = hand.defects();
    for (int imm : new int[] {1, ControlFrame.ALL_IMMS}) {
      AbortFrame abort = new AbortFrame(1, imm, 0, all, LONG);
      hand.control().receive(new EngineId(100, 77), ControlFrame.abort(abort, 0));
    }
    hand.turn();
    waiting.assertOpen();
    arrive(1);
    waiting.assertComplete();
    assertThat(hand.control().sent(ControlFrame.ABORTED)).isEmpty();
    assertThat(hand.defects()).isEqualTo(defects + 2);
  }

  @Test
  void whatWasSaidToWhoWeWereBeforeIsVoid() {
    Probe<Void> waiting = claim(1);
    AbortFrame abort = new AbortFrame(1, 1, 840, ControlFrame.FAILS, "");
    hand.control().receive(origin.id(), ControlFrame.abort(abort, hand.epoch(1) + 1));
    hand.turn();
    waiting.assertOpen();
    hand.control().receive(origin.id(), ControlFrame.abort(abort, hand.epoch(1)));
    hand.turn();
    assertThat(waiting.error()).isInstanceOf(TransferFailedException.class);
  }

  @Test
  void anAbortThatIsSaidAgainIsTakenNoteOfOnce() {
    arrive(1);
    arrive(1);
    AbortFrame abort = new AbortFrame(1, 1, 840, 0, "");
    hand.control().receive(origin.id(), ControlFrame.abort(abort, 0));
    hand.control().receive(origin.id(), ControlFrame.abort(abort, 0));
    hand.turn();
    claim(1).assertComplete();
    claim(1).assertOpen();
  }

  @Test
  void whatIsTakenBackBeforeItComesIsNotCountedWhenItDoes() {
    abort(1, 420, 0);
    hand.turn();
    assertThat(hand.stats().unclaimedImms()).as("it is owed").isEqualTo(1);
    hand.nic(0).arrive(WireImm.encode(1, 2));
    hand.turn();
    assertThat(hand.stats().unclaimedImms()).isZero();
    Probe<Void> claim = claim(1);
    hand.nic(0).arrive(WireImm.encode(1, 2));
    hand.turn();
    claim.assertOpen();
    hand.nic(0).arrive(WireImm.encode(1, 2));
    hand.turn();
    claim.assertComplete();
  }

  /** A stream of claims always has one out: what is owed has to end all the same. */
  @Test
  void whoTakesBackMoreThanItSentEndsNoStreamOfClaimsForGood() {
    Probe<Long> rounds = hand.probe(hand.engine().counter(Imm.of(1)).every(1));
    hand.turn();
    arrive(1);
    long defects = hand.defects();
    abort(1, 1L << 56, 0);
    hand.turn();
    assertThat(hand.defects()).isEqualTo(defects + 1);
    arrive(1);
    assertThat(rounds.items()).containsExactly(1L);
    hand.probe(hand.engine().counter(Imm.of(1)).discard());
    hand.turn();
    arrive(1);
    assertThat(rounds.items()).containsExactly(1L, 2L);
    rounds.cancel();
  }

  @Test
  void whatAnOriginToldIsForgottenWhileOthersAreWaitedFor() {
    Probe<Void> bound = hand.probe(hand.engine().counter(Imm.of(1)).boundTo(hand.peer(2)).next(2));
    hand.turn();
    abort(1, 0, ControlFrame.FAILS | ControlFrame.NOTE);
    hand.probe(hand.engine().counter(Imm.of(1)).discard());
    hand.turn();
    Probe<Void> next = claim(1);
    arrive(1);
    arrive(1);
    arrive(1);
    bound.assertComplete();
    next.assertComplete();
  }

  @Test
  void aClaimThatIsBoundToOthersHearsOfTheirsOnly() {
    Probe<Void> bound = hand.probe(hand.engine().counter(Imm.of(1)).boundTo(hand.peer(2)).next(1));
    hand.turn();
    abort(1, 0, ControlFrame.FAILS | ControlFrame.NOTE);
    abort(ControlFrame.ALL_IMMS, 0, ControlFrame.FAILS);
    hand.turn();
    bound.assertOpen();
    arrive(1);
    bound.assertComplete();
  }

  @Test
  void oneWordForAllImmediatesFailsWhoWaits() {
    Probe<Void> one = claim(1);
    Probe<Void> two = claim(2);
    abort(ControlFrame.ALL_IMMS, 0, ControlFrame.FAILS);
    hand.turn();
    assertThat(one.error()).isInstanceOf(TransferFailedException.class);
    assertThat(two.error()).isInstanceOf(TransferFailedException.class);
    claim(1).assertOpen();
  }

  /** A peer that reads nothing asks again and again whether what it left in doubt was dropped. */
  @Test
  void whatIsToBeSaidOfOldDoubtsIsBounded() {
    abort(0, 0, ControlFrame.FAILS);
    hand.turn();
    hand.control().sendRoom = 0;
    for (int imm = 0; imm < 100_000; imm++) {
      seq = 0;
      abort(imm, 0, ControlFrame.DOUBT);
    }
    hand.turn();
    assertThat(Inbound.from((PeerLink) origin).toBeCleared()).isEqualTo(AbortFrame.MAX_DOUBTFUL);
    hand.control().sendRoom = Integer.MAX_VALUE;
  }
}
