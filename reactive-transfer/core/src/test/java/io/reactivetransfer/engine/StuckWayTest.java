package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.ScriptedNic.Piece;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.peers.ControlFrame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One of two NICs reports nothing any more: it is given up for that, and the other one is not. */
class StuckWayTest {

  private static final Duration GRACE = Duration.ofSeconds(1);
  private static final Duration DEADLINE = Duration.ofMillis(250);
  private static final Duration STEP = Duration.ofMillis(50);

  /** Until what begins now is past its deadline and the time of grace, and the looks for that. */
  private static final int STEPS_TO_GIVE_UP = 33;

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private MemoryRegion source;

  /** How often each NIC was told to give something up before. */
  private int[] before;

  @BeforeEach
  void open() {
    hand.open(2, o -> o.minPieceBytes(1).livenessDeadline(GRACE));
    source = hand.region();
    hand.receive(1, hand.hello(1));
    before = new int[] {hand.nic(0).fences.size(), hand.nic(1).fences.size()};
  }

  /** Of one piece. */
  private Probe<Write> submit(Duration deadline) {
    Write write = Write.of(source.slice(0, 1), hand.remote(1).slice(0, 1));
    Probe<Write> probe = hand.probe(hand.engine().submit(write, deadline));
    hand.turn();
    return probe;
  }

  /** Two, over one NIC each, in the order of the NICs. */
  private List<Probe<Write>> submitOverEach() {
    List<Probe<Write>> both = List.of(submit(DEADLINE), submit(DEADLINE));
    assertThat(hand.nic(0).posted().size()).isEqualTo(hand.nic(1).posted().size());
    return both;
  }

  /** A time passes in which the peer is heard. */
  private void step() {
    hand.receive(1, ControlFrame.alive());
    hand.advance(STEP);
    hand.turn();
  }

  private void steps(int count) {
    for (int i = 0; i < count; i++) {
      step();
    }
  }

  private boolean isGivenUp(int nic) {
    return hand.nic(nic).fences.size() > before[nic];
  }

  /** The eldest of what the second one has. */
  private void completeOne() {
    List<Piece> pieces = hand.nic(1).inFlight();
    if (!pieces.isEmpty()) {
      hand.complete(pieces.getFirst());
    }
  }

  @Test
  void theOneThatIsSilentIsGivenUpAlone() {
    List<Probe<Write>> first = submitOverEach();
    hand.nic(1).completeAll();
    hand.turn();
    first.get(1).assertComplete();
    for (int i = 0; i < STEPS_TO_GIVE_UP && !isGivenUp(0); i++) {
      hand.nic(1).completeAll();
      submit(DEADLINE); // over that one, as soon as the first is silent
      step();
    }
    assertThat(isGivenUp(0)).as("the silent one was given up").isTrue();
    assertThat(isGivenUp(1)).as("the other one was given up").isFalse();
    assertThat(hand.control().sent(ControlFrame.FENCE))
        .singleElement()
        .satisfies(frame -> assertThat(frame.content()).containsExactly(0, 0));
    first.get(0).assertOpen(); // it may still arrive
    Probe<Write> other = submit(DEADLINE);
    assertThat(hand.nic(1).inFlight()).isNotEmpty();
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertThat(first.get(0).error()).isInstanceOf(DeadlineExceededException.class);
    hand.nic(1).completeAll();
    hand.turn();
    other.assertComplete();
  }

  /** It goes on, though what it has is past its deadline, too. */
  @Test
  void oneThatIsSlowIsNotGivenUpForIt() {
    Probe<Write> lost = submitOverEach().getFirst();
    List<Probe<Write>> late = new ArrayList<>();
    for (int i = 0; i < STEPS_TO_GIVE_UP && !isGivenUp(0); i++) {
      boolean goesOn = i >= 12;
      late.add(goesOn ? submit(DEADLINE) : submitOverEach().get(1));
      step();
      if (goesOn) {
        completeOne(); // it was posted 600 ms ago
      }
    }
    assertThat(isGivenUp(0)).as("the silent one was given up").isTrue();
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertThat(lost.error()).isInstanceOf(DeadlineExceededException.class);
    assertThat(hand.nic(1).inFlight()).hasSizeGreaterThan(8);
    while (!hand.nic(1).inFlight().isEmpty()) {
      step();
      completeOne();
      completeOne();
    }
    assertThat(isGivenUp(1)).as("the slow one was given up").isFalse();
    assertThat(late).allMatch(probe -> probe.terminals() == 1);
  }

  /** What was given up comes back in a while: the other one is not given up meanwhile. */
  @Test
  void whatWasGivenUpIsWaitedFor() {
    hand.nic(0).failsWhatIsGivenUp = false;
    Probe<Write> one = submitOverEach().getFirst();
    Probe<Write> another = submitOverEach().getFirst();
    hand.nic(1).completeAll();
    for (int i = 0; i < STEPS_TO_GIVE_UP && !isGivenUp(0); i++) {
      step();
    }
    assertThat(isGivenUp(0)).as("the silent one was given up").isTrue();
    hand.fail(hand.nic(0).inFlight().getFirst());
    for (int i = 0; i < 12; i++) {
      step();
      submit(DEADLINE);
      hand.nic(1).completeAll();
      hand.turn();
    }
    assertThat(isGivenUp(1)).as("the other one was given up").isFalse();
    hand.fail(hand.nic(0).inFlight().getFirst());
    submit(Duration.ofSeconds(9));
    steps(6);
    one.assertOpen(); // until the way is shut
    assertThat(isGivenUp(1)).as("the other one was given up").isFalse();
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertThat(one.terminals()).isEqualTo(1);
    assertThat(another.terminals()).isEqualTo(1);
  }

  /** Nobody can tell which way it is, or it is none: nothing waits for longer because of that. */
  @Test
  void aWriteThatIsLostThoughItsNicGoesOnHasAllGivenUp() {
    Probe<Write> lost = submitOverEach().getFirst();
    Piece piece = hand.nic(0).inFlight().getFirst();
    for (int i = 0; i < STEPS_TO_GIVE_UP && !isGivenUp(0); i++) {
      hand.inFlight().stream().filter(each -> each != piece).forEach(hand::complete);
      submitOverEach();
      step();
    }
    assertThat(isGivenUp(0)).as("its NIC was given up").isTrue();
    assertThat(isGivenUp(1)).as("the other one was given up").isTrue();
    hand.receive(1, ControlFrame.fenced(0, 0));
    hand.receive(1, ControlFrame.fenced(1, 1));
    assertThat(lost.error()).isInstanceOf(DeadlineExceededException.class);
  }

  @Test
  void bothAreGivenUpIfBothAreSilent() {
    submitOverEach();
    steps(STEPS_TO_GIVE_UP);
    assertThat(isGivenUp(0)).isTrue();
    assertThat(isGivenUp(1)).isTrue();
    hand.receive(1, ControlFrame.fenced(0, 0));
    hand.receive(1, ControlFrame.fenced(1, 1));
  }

  /** What was posted after a pause is not as old as what was seen before it. */
  @Test
  void aPauseIsNoSilence() {
    submitOverEach();
    hand.completeAll();
    steps(40);
    Probe<Write> lost = submitOverEach().getFirst();
    hand.nic(1).completeAll();
    steps(20);
    submit(Duration.ofSeconds(9)); // over NIC 0
    Probe<Write> other = submit(Duration.ofSeconds(9));
    for (int i = 0; i < STEPS_TO_GIVE_UP && !isGivenUp(0); i++) {
      step();
    }
    assertThat(isGivenUp(0)).as("the silent one was given up").isTrue();
    assertThat(isGivenUp(1)).as("the other one was given up").isFalse();
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertThat(lost.error()).isInstanceOf(DeadlineExceededException.class);
    hand.completeAll();
    other.assertComplete();
  }
}
