package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import io.reactivetransfer.engine.peers.AbortFrame;
import io.reactivetransfer.engine.peers.ControlFrame;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Nothing grows for ever: after so many strangers, groups of barriers, or aborts, an engine takes
 * as much of the heap as after the first thousand, and goes on. The nightly profile has more of
 * them.
 */
@Timeout(600)
class GrowthTest {

  /** Of strangers, and of groups. */
  private static final int MANY = Integer.getInteger("reactivetransfer.growth", 2_000);

  /** Aborts for each of these. */
  private static final int ABORTS = 20;

  private static final int WARM = 1_000;

  private static final Imm FRESH = Imm.of((1 << 29) - 1);

  /** Of members for groups: these make enough groups of three. */
  private static final int MEMBERS = 90;

  /**
   * What the first thousand may leave for others to fill, such as the books of those that were lost
   * last, and what the JVM itself takes for code that has become hot.
   */
  private static final long TOLERANCE = 4L << 20;

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  /** Everything works as before. */
  @AfterEach
  void aFreshClaimIsMet() {
    Probe<Void> claim = hand.probe(hand.engine().counter(FRESH).next(1));
    hand.turn();
    claim.assertOpen();
    hand.nic(0).arrive(WireImm.encode(FRESH.value(), 1));
    hand.turn();
    claim.assertComplete();
  }

  private static long heap() {
    var memory = ManagementFactory.getMemoryMXBean();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      memory.gc();
      least = Math.min(least, memory.getHeapMemoryUsage().getUsed());
    }
    return least;
  }

  private static void assertFlat(String what, int count, IntConsumer each) {
    for (int i = 0; i < WARM; i++) {
      each.accept(i);
    }
    long before = heap();
    for (int i = WARM; i < count; i++) {
      each.accept(i);
    }
    long after = heap();
    System.out.printf(
        "%,d %s: %,d KiB of the heap after %,d, %,d KiB at the end%n",
        count, what, before >> 10, WARM, after >> 10);
    assertThat(after)
        .as("bytes of the heap after %s %s, which were %s after %s", count, what, before, WARM)
        .isLessThan(before + TOLERANCE);
  }

  @Test
  void enginesThatGreetAndLeave() {
    hand.open(1);
    assertFlat(
        "engines that greet and leave",
        MANY,
        i -> {
          int number = 1_000 + i;
          hand.receive(number, hand.hello(number, 1, 0));
          hand.control().lose(hand.address(number).engine(), 104, "it left");
          hand.turn();
          hand.control().forgetSent();
        });
  }

  @Test
  void groupsOfBarriers() {
    hand.open(1);
    Peer[] members = new Peer[MEMBERS];
    for (int i = 0; i < MEMBERS; i++) {
      members[i] = hand.peer(10 + i);
      hand.receive(10 + i, hand.hello(10 + i));
    }
    int[] next = {0, 1, 1};
    assertFlat(
        "groups",
        Math.min(MANY, 100_000),
        i -> {
          advance(next);
          pass(PeerGroup.of(members[next[0]], members[next[1]], members[next[2]]), next);
        });
    assertThat(hand.barriers().groups()).isZero();
  }

  /** The next three, each larger than the one before it. */
  private static void advance(int[] three) {
    if (++three[2] == MEMBERS) {
      if (++three[1] == MEMBERS - 1) {
        three[0]++;
        three[1] = three[0] + 1;
      }
      three[2] = three[1] + 1;
    }
  }

  private void pass(PeerGroup group, int[] members) {
    Probe<Void> probe = Probe.unbounded();
    hand.engine().barrier(group).subscribe(probe);
    hand.turn();
    for (var frame : hand.control().sent(ControlFrame.BARRIER)) {
      ByteBuffer content = ByteBuffer.wrap(frame.content());
      EngineId id = new EngineId(content.getLong(), content.getLong());
      int round = content.getInt(EngineId.BYTES + Integer.BYTES);
      for (int member : members) {
        if (hand.address(10 + member).engine().equals(frame.to())) {
          int number = 10 + member;
          hand.receive(number, ControlFrame.barrier(id, hand.epoch(number), round, round));
        }
      }
    }
    probe.assertComplete();
    hand.control().forgetSent();
  }

  @Test
  void abortsOfWhatNobodyClaims() {
    hand.open(1);
    Peer origin = hand.peer(1);
    hand.receive(1, hand.hello(1, 1, 0));
    String text = "because ".repeat(100);
    assertFlat(
        "aborts",
        MANY * ABORTS,
        i -> {
          AbortFrame abort =
              new AbortFrame(i + 1, i, 0, ControlFrame.FAILS | ControlFrame.NOTE, text);
          hand.control().receive(origin.id(), ControlFrame.abort(abort, 0));
          if (i % 100 == 0) {
            hand.turn();
            hand.control().forgetSent();
          }
        });
  }
}
