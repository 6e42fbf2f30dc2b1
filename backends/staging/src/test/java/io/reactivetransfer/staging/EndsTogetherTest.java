package io.reactivetransfer.staging;

import static io.reactivetransfer.staging.StagedNic.noise;
import static io.reactivetransfer.staging.StagedNic.onHost;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.RemoteMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** What ends in the same turn as something else, or because of it, is told as it is, and once. */
class EndsTogetherTest {

  private static final int MOST = 2 * Lanes.MOST * Pinned.MOST_BYTES;

  private StagedNic origin = new StagedNic();
  private StagedNic target = new StagedNic();

  private void comeAll() {
    for (StagedNic nic : List.of(origin, target)) {
      List.copyOf(nic.main.onWay).forEach(ScriptedNic.OnWay::come);
      List.copyOf(nic.second.onWay).forEach(ScriptedNic.OnWay::come);
    }
  }

  private int turn() {
    return origin.turn() + target.turn();
  }

  private void rest() {
    int work = turn();
    while (work > 0) {
      work = turn();
    }
  }

  private void runUntil(BooleanSupplier done) {
    long deadline = System.nanoTime() + 10_000_000_000L;
    while (!done.getAsBoolean()) {
      turn();
      assertThat(System.nanoTime())
          .as("%s %s", origin.reports, target.reports)
          .isLessThan(deadline);
    }
  }

  private LocalMemory source(int bytes) {
    return origin.register(origin.onDevice(noise(bytes, bytes)), Access.LOCAL);
  }

  private RemoteMemory onTargetsDevice(int bytes) {
    LocalMemory there = target.register(target.device.allocate(bytes), Access.REMOTE_WRITE);
    return origin.resolve(target, there, bytes);
  }

  private RemoteMemory onTargetsHost(int bytes) {
    LocalMemory there = target.register(onHost(new byte[bytes]), Access.REMOTE_WRITE);
    return origin.resolve(target, there, bytes);
  }

  /** Has a window granted, and used. */
  private void connect() {
    origin.write(source(8), onTargetsDevice(8), 8, 99);
    runUntil(() -> {
      comeAll();
      return origin.hasReported("written 99");
    });
    origin.reports.clear();
    target.reports.clear();
  }

  private List<String> reportsOf(int token) {
    return origin.reports.stream()
        .filter(each -> each.matches("\\w+ " + token + "(:.*)?"))
        .map(each -> each.substring(0, each.indexOf(' ')))
        .toList();
  }

  @Test
  void aWriteThatIsWrittenInTheTurnOfALossIsWritten() {
    origin.write(source(8), onTargetsHost(8), 8, 5);
    runUntil(() -> !origin.main.onWay.isEmpty());
    origin.main.onWay.getFirst().come();
    origin.main.lose(target.id);
    rest();
    assertThat(reportsOf(5)).containsExactly("written");
  }

  @Test
  void aWriteThatIsAcknowledgedInTheTurnInWhichTheSecondNicEndsIsWritten() {
    connect();
    origin.write(source(8), onTargetsDevice(8), 8, 5);
    origin.write(source(MOST), onTargetsDevice(MOST), MOST, 6);
    origin.write(source(8), onTargetsDevice(8), 8, 7); // finds no slot
    runUntil(() -> !origin.second.onWay.isEmpty());
    origin.second.onWay.getFirst().come();
    while (target.second.onWay.isEmpty()) {
      target.turn();
    }
    target.second.onWay.getFirst().come(); // the acknowledgement
    origin.second.fail("it is gone");
    rest();
    assertThat(reportsOf(5)).containsExactly("written");
    assertThat(reportsOf(6)).containsExactly("failed");
    assertThat(reportsOf(7)).containsExactly("refused");
  }

  @Test
  void aSecondNicThatSaysTooMuchAtOnceHasFailed() {
    connect();
    origin.second.say(target.id, 1_015);
    rest();
    connect();
    origin.second.say(target.id, 1_016);
    rest();
    origin.write(source(8), onTargetsDevice(8), 8, 5);
    runUntil(() -> !reportsOf(5).isEmpty());
    assertThat(origin.reports)
        .anyMatch(each ->
            each.matches("(failed|refused) 5: .*at most 1015 bytes that it says .*, got 1016.*"));
  }

  @Test
  void whatLiesInAWindowThatIsGivenUpIsNotCountedBehindItsFailure() {
    connect();
    origin.write(source(8), onTargetsDevice(8), 8, 5);
    origin.write(source(8), onTargetsDevice(8), 8, 6);
    while (origin.second.onWay.size() < 2) {
      origin.turn();
    }
    ScriptedNic.OnWay first = origin.second.onWay.get(0);
    origin.second.onWay.get(1).come();
    first.fail();
    while (reportsOf(5).isEmpty() || reportsOf(6).isEmpty()) {
      origin.turn();
    }
    rest();
    assertThat(reportsOf(6)).containsExactly("failed");
    assertThat(target.reports).as("what is counted behind that").isEmpty();
    connect(); // with the buffers of a new window
  }

  @Test
  void aLossIsToldOnceThoughBothNicsTellOfBeingDisconnected() {
    origin.main.tellsOfDisconnects = true;
    origin.second.tellsOfDisconnects = true;
    connect();
    origin.main.lose(target.id);
    for (int turn = 0; turn < 20; turn++) {
      turn();
    }
    assertThat(origin.reports).containsExactly("lost " + target.id.toShortString());
    connect();
  }

  @Test
  void whoWaitsLongerThanItsPatienceForRoomIsTold() {
    target = new StagedNic(CompletionLevel.DELIVERED, StagedNic.LONG);
    LocalMemory room = target.register(target.device.allocate(8), Access.REMOTE_WRITE);
    List<StagedNic> others = new ArrayList<>();
    for (int window = 0; window < Slots.MOST / OutWindow.SLOTS; window++) {
      StagedNic other = new StagedNic();
      other.isHeard = message -> !(Messages.isOne(message) && message.get() == Messages.ASK_BACK);
      LocalMemory from = other.register(onHost(new byte[8]), Access.LOCAL);
      other.write(from, other.resolve(target, room, 8), 8, 1);
      runUntil(() -> {
        other.turn();
        List.copyOf(other.second.onWay).forEach(ScriptedNic.OnWay::come);
        comeAll();
        return other.hasReported("written 1");
      });
      others.add(other);
    }
    Duration patience = Duration.ofSeconds(1);
    origin = new StagedNic(CompletionLevel.DELIVERED, patience);
    origin.write(source(8), origin.resolve(target, room, 8), 8, 5);
    long begin = System.nanoTime();
    runUntil(() -> System.nanoTime() - begin > 2 * patience.toNanos());
    assertThat(origin.reports).as("of %s that have all windows", others.size()).isEmpty();
  }

  @Test
  void peersToWhichTheNicTakesNothingDoNotKeepTheBuffersOfOthers() {
    origin = new StagedNic(CompletionLevel.DELIVERED, StagedNic.SHORT);
    LocalMemory from = source(MOST);
    for (int token = 1; token <= Lanes.MOST / OutWindow.SLOTS; token++) {
      StagedNic stuck = new StagedNic();
      origin.main.busyPeers.add(stuck.id);
      LocalMemory there = stuck.register(onHost(new byte[MOST]), Access.REMOTE_WRITE);
      origin.write(from, origin.resolve(stuck, there, MOST), MOST, token);
    }
    rest();
    origin.write(source(8), onTargetsHost(8), 8, 100);
    runUntil(() -> {
      comeAll();
      return origin.hasReported("written 100");
    });
    assertThat(origin.reports).anyMatch(each -> each.startsWith("lost"));
  }

  /** What the second one has would be reported when that notices by itself. */
  @Test
  void whatTheSecondNicHasEndsWithTheFirst() {
    connect();
    origin.write(source(8), onTargetsDevice(8), 8, 5);
    while (origin.second.onWay.isEmpty()) {
      turn();
    }
    origin.main.fail("it is gone");
    rest();
    assertThat(reportsOf(5)).containsExactly("failed");
    assertThat(origin.reports.getFirst()).startsWith("broken");
  }

  @Test
  void whereTheNicHasEndedNoSecondOneIsOpened() {
    origin.write(source(8), onTargetsHost(8), 8, 5);
    rest();
    origin.main.fail("it is gone");
    rest();
    LocalMemory staged = origin.register(origin.device.allocate(8), Access.REMOTE_WRITE);
    rest();
    assertThat(origin.openings).as("of a second NIC, for %s", staged).isZero();
  }
}
