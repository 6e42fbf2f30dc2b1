package io.reactivetransfer.staging;

import static io.reactivetransfer.staging.StagedNic.noise;
import static io.reactivetransfer.staging.StagedNic.onHost;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.RemoteMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers and NICs that are lost, and what becomes of the writes that they had. */
class LostPiecesTest extends TwoNics {

  /** Whoever takes it for certain that nothing comes any more posts it again elsewhere. */
  @Test
  void whatMayStillComeIsInDoubtAlsoBeforeItsImmediateWasSent() {
    connect();
    DeviceMemory there = target.device.allocate(LONG);
    LocalMemory from = origin.register(origin.onDevice(noise(4, LONG)), Access.LOCAL);
    LocalMemory to = target.register(there, Access.REMOTE_WRITE);
    origin.write(from, origin.resolve(target, to, LONG), LONG, 5);
    while (origin.second.onWay.isEmpty()) {
      turn();
    }
    origin.second.lose(target.id);
    runUntil(() -> origin.reports.stream().anyMatch(each -> each.contains(" 5: ")));
    assertThat(origin.reports).anyMatch(each -> each.startsWith("failed 5: "));
  }

  @Test
  void aPieceThatTheNicHasLostIsInDoubtWhateverItCarries() {
    LocalMemory from = origin.register(origin.onDevice(noise(4, LONG)), Access.LOCAL);
    LocalMemory to = target.register(onHost(new byte[LONG]), Access.REMOTE_WRITE);
    origin.write(from, origin.resolve(target, to, LONG), LONG, 5);
    while (origin.main.onWay.isEmpty()) {
      turn();
    }
    origin.main.onWay.getFirst().fail();
    runUntil(() -> origin.reports.stream().anyMatch(each -> each.contains(" 5: ")));
    assertThat(origin.reports).containsExactly("failed 5: it was lost on its way");
  }

  @Test
  void theEndOfTheSecondNicLeavesTheFirstAsItIs() {
    connect();
    DeviceMemory there = target.device.allocate(100);
    LocalMemory toDevice = target.register(there, Access.REMOTE_WRITE);
    LocalMemory fromDevice = origin.register(origin.onDevice(noise(4, 100)), Access.LOCAL);
    LocalMemory toHost = target.register(onHost(new byte[100]), Access.REMOTE_WRITE);
    origin.write(fromDevice, origin.resolve(target, toDevice, 100), 100, 5);
    while (origin.second.onWay.isEmpty()) {
      turn();
    }
    origin.second.fail("it is gone");
    runUntil(() -> origin.reports.stream().anyMatch(each -> each.startsWith("failed 5: ")));
    assertArrives(fromDevice, toHost, 100, 6);
    assertArrives(origin.register(onHost(new byte[100]), Access.LOCAL), toHost, 100, 7);
    origin.write(fromDevice, origin.resolve(target, toDevice, 100), 100, 8);
    runUntil(() -> origin.reports.stream().anyMatch(each -> each.startsWith("refused 8: ")));
    assertThat(origin.reports).noneMatch(each -> each.startsWith("broken"));
    assertThat(origin.reports.getLast()).contains("it is gone");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theEndOfThePeersSecondNicLeavesTheFirstAsItIs(boolean isGranted) {
    if (isGranted) {
      connect();
    }
    DeviceMemory there = target.device.allocate(100);
    LocalMemory toDevice = target.register(there, Access.REMOTE_WRITE);
    LocalMemory from = origin.register(origin.onDevice(noise(4, 100)), Access.LOCAL);
    RemoteMemory deviceThere = origin.resolve(target, toDevice, 100);
    if (!isGranted) {
      origin.write(from, deviceThere, 100, 4);
      origin.turn();
    }
    target.second.fail("it is gone");
    for (int token = 5; token < 7; token++) {
      String end = "refused " + token + ": ";
      origin.write(from, deviceThere, 100, token);
      runUntil(() -> origin.reports.stream().anyMatch(each -> each.startsWith(end)));
    }
    LocalMemory toHost = target.register(onHost(new byte[100]), Access.REMOTE_WRITE);
    assertArrives(from, toHost, 100, 8);
    assertThat(origin.reports).noneMatch(each -> each.startsWith("lost"));
    assertThat(origin.reports)
        .filteredOn(each -> each.contains(": "))
        .allMatch(each -> each.contains("it is gone"));
  }

  @Test
  void theEndOfTheNicEndsWhatComesInByTheSecond() {
    connect();
    DeviceMemory there = target.device.allocate(100);
    LocalMemory to = target.register(there, Access.REMOTE_WRITE);
    LocalMemory from = origin.register(origin.onDevice(noise(4, 100)), Access.LOCAL);
    origin.write(from, origin.resolve(target, to, 100), 100, 5);
    while (origin.second.onWay.isEmpty()) {
      turn();
    }
    target.main.fail("it is gone");
    target.turn();
    origin.second.onWay.getFirst().come();
    rest();
    assertThat(target.reports).containsExactly("broken it is gone");
    assertThat(target.device.read(there)).isEqualTo(new byte[100]);
  }

  @Test
  void aWriteThatIsLostOnItsWayFailsAndALaterOneComes() {
    connect();
    DeviceMemory memory = target.device.allocate(8);
    LocalMemory to = target.register(memory, Access.REMOTE_WRITE);
    byte[] bytes = noise(11, 8);
    LocalMemory from = origin.register(onHost(bytes), Access.LOCAL);
    origin.write(from, origin.resolve(target, to, 8), 8, 5);
    rest();
    origin.second.onWay.getFirst().fail();
    rest();
    assertThat(origin.reports.getFirst()).startsWith("failed 5").contains("lost on its way");
    assertArrives(from, to, 8, 6);
    assertThat(target.device.read(memory)).isEqualTo(bytes);
  }

  @Test
  void aLostPeerIsToldBeforeTheFailures() {
    connect();
    LocalMemory to = target.register(target.device.allocate(8), Access.REMOTE_WRITE);
    LocalMemory from = origin.register(onHost(new byte[8]), Access.LOCAL);
    origin.write(from, origin.resolve(target, to, 8), 8, 5);
    rest();
    origin.second.lose(target.id);
    rest();
    assertThat(origin.reports).hasSize(2);
    assertThat(origin.reports.get(0)).isEqualTo("lost " + target.id.toShortString());
    assertThat(origin.reports.get(1)).startsWith("failed 5");
    assertArrives(from, to, 8, 6);
  }

  @Test
  void whatTheNicOfALostPeerWasNotGivenFailsToo() {
    HostMemory there = onHost(new byte[8]);
    LocalMemory to = target.register(there, Access.REMOTE_WRITE);
    LocalMemory from = origin.register(origin.device.allocate(8), Access.LOCAL);
    origin.main.isBusy = true;
    origin.write(from, origin.resolve(target, to, 8), 8, 5);
    rest();
    origin.main.lose(target.id);
    rest();
    assertThat(origin.reports).hasSize(2);
    assertThat(origin.reports.get(0)).isEqualTo("lost " + target.id.toShortString());
    assertThat(origin.reports.get(1)).startsWith("refused 5").contains("the way is gone");
  }

  @Test
  void whatTheSecondNicOfALostPeerWasNotGivenFailsToo() {
    connect();
    LocalMemory to = target.register(target.device.allocate(8), Access.REMOTE_WRITE);
    LocalMemory from = origin.register(onHost(new byte[8]), Access.LOCAL);
    origin.second.isBusy = true;
    origin.write(from, origin.resolve(target, to, 8), 8, 5);
    rest();
    origin.second.lose(target.id);
    rest();
    assertThat(origin.reports).hasSize(2);
    assertThat(origin.reports.get(1)).startsWith("refused 5").contains("the way is gone");
    origin.second.isBusy = false;
    assertArrives(from, to, 8, 6);
  }

  @Test
  void behindAFenceNothingOfBeforeComes() {
    connect();
    DeviceMemory memory = target.device.allocate(8);
    LocalMemory to = target.register(memory, Access.REMOTE_WRITE);
    LocalMemory from = origin.register(onHost(noise(12, 8)), Access.LOCAL);
    origin.write(from, origin.resolve(target, to, 8), 8, 5);
    rest();
    ScriptedNic.OnWay late = origin.second.onWay.getFirst();
    target.domain.disconnect(target.peer(origin), "a test");
    origin.domain.disconnect(origin.peer(target), "a test");
    origin.second.onWay.add(late);
    late.come();
    rest();
    assertThat(target.reports).isEmpty();
    assertThat(target.device.read(memory)).containsOnly(0);
    assertThat(origin.reports).hasSize(1);
    assertThat(origin.reports.getFirst()).startsWith("failed 5").contains("given up: a test");
    assertArrives(from, to, 8, 6);
    assertThat(target.reports).containsExactly(arrived(6));
  }

  @Test
  void whatHadComeWhenItsPeerWasGivenUpIsInDoubt() {
    LocalMemory to = target.register(onHost(new byte[8]), Access.REMOTE_WRITE);
    LocalMemory from = origin.register(origin.device.allocate(8), Access.LOCAL);
    origin.write(from, origin.resolve(target, to, 8), 8, 5);
    rest();
    origin.main.onWay.getFirst().come();
    origin.domain.disconnect(origin.peer(target), "a test");
    rest();
    assertThat(target.reports).containsExactly("imm 5");
    assertThat(origin.reports).hasSize(1);
    assertThat(origin.reports.getFirst()).startsWith("failed 5");
  }

  @Test
  void aPeerThatSaysNothingOfWhatItGotIsLost() {
    origin = new StagedNic(CompletionLevel.DELIVERED, StagedNic.SHORT);
    LocalMemory to = target.register(target.device.allocate(8), Access.REMOTE_WRITE);
    LocalMemory from = origin.register(onHost(new byte[8]), Access.LOCAL);
    origin.write(from, origin.resolve(target, to, 8), 8, 5);
    while (origin.second.onWay.isEmpty()) {
      turn();
    }
    origin.second.onWay.getFirst().come();
    untilLost();
    assertThat(origin.reports.get(1)).startsWith("failed 5").contains("took nothing");
  }

  @Test
  void aPeerThatGrantsNothingIsLost() {
    origin = new StagedNic(CompletionLevel.DELIVERED, StagedNic.SHORT);
    LocalMemory to = target.register(target.device.allocate(8), Access.REMOTE_WRITE);
    LocalMemory from = origin.register(onHost(new byte[8]), Access.LOCAL);
    origin.write(from, origin.resolve(target, to, 8), 8, 5);
    untilLost();
    assertThat(origin.reports.get(1)).startsWith("refused 5").contains("took nothing");
  }

  /** Only the origin goes on. */
  private void untilLost() {
    String lost = "lost " + target.id.toShortString();
    long deadline = System.nanoTime() + 10_000_000_000L;
    while (origin.reports.size() < 2 && System.nanoTime() < deadline) {
      origin.turn();
    }
    assertThat(origin.reports).hasSize(2);
    assertThat(origin.reports.getFirst()).isEqualTo(lost);
  }

  @Test
  void aReleasedPeerIsForgottenByBothNics() {
    connect();
    origin.domain.release(origin.peer(target));
    rest();
    assertThat(origin.main.released).hasSize(1);
    assertThat(origin.second.released).hasSize(1);
  }
}
