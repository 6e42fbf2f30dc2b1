package io.reactivetransfer.staging;

import static io.reactivetransfer.staging.StagedNic.noise;
import static io.reactivetransfer.staging.StagedNic.onHost;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.RemoteMemory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** More peers than there are buffers for, and NICs that fail. */
class WindowsTest {

  private static final int WINDOWS = Slots.MOST / OutWindow.SLOTS;

  private final List<StagedNic> origins = new ArrayList<>();
  private StagedNic target = new StagedNic();

  private void runUntil(BooleanSupplier done) {
    long deadline = System.nanoTime() + 20_000_000_000L;
    while (!done.getAsBoolean()) {
      turn();
      assertThat(System.nanoTime()).as("%s", target.reports).isLessThan(deadline);
    }
  }

  private int turn() {
    int work = target.turn();
    List.copyOf(target.second.onWay).forEach(ScriptedNic.OnWay::come);
    for (StagedNic origin : origins) {
      work += origin.turn();
      List.copyOf(origin.second.onWay).forEach(ScriptedNic.OnWay::come);
    }
    return work;
  }

  private StagedNic origin() {
    StagedNic origin = new StagedNic();
    origins.add(origin);
    return origin;
  }

  /** One more that has written something. */
  private StagedNic connected(LocalMemory to, int token) {
    StagedNic origin = origin();
    post(origin, to, token);
    runUntil(() -> origin.hasReported("written " + token));
    return origin;
  }

  private void post(StagedNic origin, LocalMemory to, int token) {
    LocalMemory from = origin.register(onHost(noise(token, 8)), Access.LOCAL);
    origin.write(from, origin.resolve(target, to, 8), 8, token);
  }

  private LocalMemory room() {
    return target.register(target.device.allocate(8), Access.REMOTE_WRITE);
  }

  @Test
  void whoCameFirstGivesBackWhatOthersNeed() {
    LocalMemory to = room();
    for (int token = 1; token <= 2 * WINDOWS + 1; token++) {
      connected(to, token);
    }
    assertThat(target.second.registered())
        .as("buffers, and one place for acknowledgements")
        .isEqualTo(Slots.MOST + 1);
    StagedNic first = origins.getFirst();
    post(first, to, 100);
    runUntil(() -> first.hasReported("written 100"));
  }

  @Test
  void allThatWriteAtOnceHaveTheirTurn() {
    LocalMemory to = room();
    int writes = 5;
    for (int i = 0; i < 2 * WINDOWS; i++) {
      StagedNic origin = origin();
      for (int token = 1; token <= writes; token++) {
        post(origin, to, token);
      }
    }
    runUntil(() -> origins.stream().allMatch(each -> each.reports.size() == writes));
    assertThat(origins)
        .allSatisfy(each -> assertThat(each.reports).allMatch(said -> said.startsWith("written")));
    assertThat(target.reports).hasSize(writes * 2 * WINDOWS);
  }

  /** Others have pieces come in the turn in which one is granted, so each was used later. */
  @Test
  void whoeverWritesWithoutAPauseWritesAsMuchAsAllOthers() {
    LocalMemory to = room();
    List<Writer> writers = new ArrayList<>();
    for (int token = 1; token <= WINDOWS + 2; token++) {
      writers.add(new Writer(token <= WINDOWS ? connected(to, token) : origin(), to));
    }
    for (int round = 0; round < 200; round++) {
      writers.forEach(Writer::writeIntoAllSlots);
      target.turn();
      target.turn();
      come(target);
      origins.forEach(StagedNic::turn);
      target.turn();
    }
    List<Integer> written = origins.stream().map(each -> each.reports.size()).toList();
    assertThat(Collections.min(written))
        .as("the least of %s", written)
        .isGreaterThan(Collections.max(written) / 2);
  }

  private static void come(StagedNic nic) {
    List.copyOf(nic.second.onWay).forEach(ScriptedNic.OnWay::come);
  }

  /** Writes again when all that it wrote is written. */
  private final class Writer {
    private final StagedNic origin;
    private final LocalMemory from;
    private final RemoteMemory there;
    private int begun;

    Writer(StagedNic origin, LocalMemory to) {
      this.origin = origin;
      from = origin.register(onHost(noise(1, 8)), Access.LOCAL);
      there = origin.resolve(target, to, 8);
      begun = origin.reports.size();
    }

    void writeIntoAllSlots() {
      boolean isIdle = begun == origin.reports.size();
      for (int i = 0; isIdle && i < OutWindow.SLOTS; i++) {
        origin.write(from, there, 8, ++begun);
      }
      origin.turn();
      origin.turn();
      come(origin);
    }
  }

  @Test
  void whoGivesNothingBackLosesIt() {
    target = new StagedNic(CompletionLevel.DELIVERED, StagedNic.SHORT);
    LocalMemory to = room();
    for (int token = 1; token <= WINDOWS; token++) {
      StagedNic deaf = connected(to, token);
      deaf.isHeard = message -> !(Messages.isOne(message) && message.get() == Messages.ASK_BACK);
    }
    connected(to, 100);
    StagedNic first = origins.getFirst();
    runUntil(() -> turn() == 0);
    post(first, to, 200);
    runUntil(() -> first.hasReported("written 200"));
  }

  /** A second NIC that is slow is none that is lost. */
  @Test
  void whoWaitsForTheSecondNicOfATargetIsToldSo() {
    target = new StagedNic(CompletionLevel.DELIVERED, StagedNic.SHORT);
    target.second.isSlowToRegister = true; // so that it does not open
    isToldAndServed(origin(), room());
  }

  @Test
  void whoWaitsForBuffersToBeRegisteredIsToldSo() {
    target = new StagedNic(CompletionLevel.DELIVERED, StagedNic.SHORT);
    LocalMemory to = room();
    connected(to, 1);
    target.second.isSlowToRegister = true;
    isToldAndServed(origin(), to);
  }

  private void isToldAndServed(StagedNic waiting, LocalMemory to) {
    AtomicInteger told = new AtomicInteger();
    waiting.isHeard =
        message -> {
          if (Messages.isOne(message) && message.get() == Messages.QUEUED) {
            told.incrementAndGet();
          }
          return true;
        };
    post(waiting, to, 200);
    runUntil(() -> told.get() >= 5);
    runUntil(() -> {
      target.second.registerAll();
      return waiting.hasReported("written 200");
    });
  }

  @Test
  void aPeerThatTakesNoPieceDoesNotKeepTheBuffersOfOthers() {
    StagedNic origin = new StagedNic(CompletionLevel.DELIVERED, StagedNic.SHORT);
    List<StagedNic> stuck = new ArrayList<>();
    int most = Lanes.MOST * Pinned.MOST_BYTES;
    LocalMemory from = origin.register(origin.device.allocate(most), Access.LOCAL);
    int peers = Lanes.MOST / OutWindow.SLOTS;
    for (int token = 1; token <= peers; token++) {
      StagedNic peer = new StagedNic();
      stuck.add(peer);
      LocalMemory there = peer.register(onHost(new byte[most]), Access.REMOTE_WRITE);
      origin.write(from, origin.resolve(peer, there, most), most, token);
    }
    LocalMemory there = target.register(onHost(new byte[8]), Access.REMOTE_WRITE);
    runUntil(() -> {
      origin.turn();
      return origin.main.onWay.size() == Lanes.MOST;
    });
    origin.write(from, origin.resolve(target, there, 8), 8, 100);
    runUntil(() -> {
      origin.turn();
      List.copyOf(origin.main.onWay).stream()
          .filter(each -> each.op.length() == 8)
          .forEach(ScriptedNic.OnWay::come);
      return origin.hasReported("written 100");
    });
    assertThat(origin.reports)
        .as("who is lost")
        .anyMatch(each -> each.startsWith("lost"))
        .contains("written 100");
  }

  @Test
  void aSecondNicThatCannotBeOpenedRefusesWritesAndNothingElse() {
    StagedNic origin = new StagedNic(CompletionLevel.DELIVERED, StagedNic.LONG, "no more NICs");
    origins.add(origin);
    LocalMemory to = room();
    post(origin, to, 5);
    runUntil(() -> !origin.reports.isEmpty());
    assertThat(origin.reports.getFirst()).startsWith("refused 5").contains("no more NICs");
    LocalMemory host = target.register(onHost(new byte[8]), Access.REMOTE_WRITE);
    LocalMemory from = origin.register(origin.device.allocate(8), Access.LOCAL);
    origin.write(from, origin.resolve(target, host, 8), 8, 6);
    runUntil(() -> {
      List.copyOf(origin.main.onWay).forEach(ScriptedNic.OnWay::come);
      return origin.hasReported("written 6");
    });
  }

  @Test
  void aTargetThatCannotOpenOneDeniesItAndSaysWhy() {
    target = new StagedNic(CompletionLevel.DELIVERED, StagedNic.LONG, "no more NICs");
    StagedNic origin = origin();
    post(origin, room(), 5);
    runUntil(() -> !origin.reports.isEmpty());
    assertThat(origin.reports.getFirst()).startsWith("refused 5").contains("no more NICs");
  }

  /** As long as there is room for one more, it is granted. */
  @Test
  void whoWaitsForBuffersThatTheNicKeepsIsToldSo() {
    LocalMemory to = room();
    for (int token = 1; token <= WINDOWS - 1; token++) {
      connected(to, token);
    }
    target.second.keepsAll = true;
    for (StagedNic origin : origins) {
      origin.reports.clear();
      target.domain.release(target.peer(origin));
    }
    StagedNic last = connected(to, 100);
    StagedNic next = origin();
    post(next, to, 101);
    runUntil(() -> !next.reports.isEmpty());
    assertThat(next.reports.getFirst())
        .startsWith("refused 101")
        .contains("the NIC keeps " + Slots.MOST + " of " + Slots.MOST, "it is busy");
    assertThat(last.reports).containsExactly("written 100");
  }

  @Test
  void aNicThatFailsIsToldOnceAndBeforeWhatItHad() {
    StagedNic origin = connected(room(), 1);
    origin.reports.clear();
    post(origin, room(), 5);
    while (origin.second.onWay.isEmpty()) {
      origin.turn();
    }
    origin.second.fail("it is broken");
    origin.main.fail("it is broken, too");
    runUntil(() -> origin.reports.size() >= 2);
    assertThat(origin.reports).hasSize(2);
    assertThat(origin.reports.getFirst()).startsWith("broken");
    assertThat(origin.reports.get(1)).startsWith("failed 5");
  }

  @Test
  void whatIsOverLeavesNothingRegistered() {
    DeviceMemory memory = target.device.allocate(8);
    StagedNic origin = connected(target.register(memory, Access.REMOTE_WRITE), 1);
    target.domain.release(target.peer(origin));
    runUntil(() -> target.second.registered() == 1 && target.second.released.size() == 1);
  }
}
