package io.reactivetransfer.staging;

import static io.reactivetransfer.staging.StagedNic.noise;
import static io.reactivetransfer.staging.StagedNic.onHost;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Writes from and to accelerators whose copies are made when they are waited for, and not before,
 * over NICs whose writes come when the test says so.
 */
class StagingTest {

  private static final int LONG = 3 * Pinned.MOST_BYTES + 1_000;

  private StagedNic origin = new StagedNic();
  private final StagedNic target = new StagedNic();

  /** Turns both, and lets all come that is on its way. */
  private void runUntil(BooleanSupplier done) {
    long deadline = System.nanoTime() + 10_000_000_000L;
    while (!done.getAsBoolean()) {
      comeAll();
      turn();
      assertThat(System.nanoTime())
          .as("%s %s", origin.reports, target.reports)
          .isLessThan(deadline);
    }
  }

  private void comeAll() {
    for (StagedNic nic : List.of(origin, target)) {
      List.copyOf(nic.main.onWay).forEach(ScriptedNic.OnWay::come);
      List.copyOf(nic.second.onWay).forEach(ScriptedNic.OnWay::come);
    }
  }

  private int turn() {
    return origin.turn() + target.turn();
  }

  /** Until neither has anything to do, and nothing comes. */
  private void rest() {
    int work = turn();
    while (work > 0) {
      work = turn();
    }
  }

  /** Has a window granted, and used. */
  private void connect() {
    DeviceMemory memory = target.device.allocate(8);
    LocalMemory to = target.register(memory, Access.REMOTE_WRITE);
    LocalMemory from = origin.register(onHost(new byte[8]), Access.LOCAL);
    origin.write(from, origin.resolve(target, to, 8), 8, 99);
    runUntil(() -> origin.hasReported("written 99"));
    origin.reports.clear();
    target.reports.clear();
  }

  private String arrived(int imm) {
    return "imm " + imm + " of " + origin.id.toShortString();
  }

  private void assertArrives(LocalMemory from, LocalMemory to, int length, int token) {
    RemoteMemory there = origin.resolve(target, to, length);
    assertThat(origin.write(from, there, length, token)).isEqualTo(PostResult.TAKEN);
    runUntil(() -> origin.hasReported("written " + token));
  }

  @Test
  void bytesGoFromAcceleratorsToAccelerators() {
    byte[] bytes = noise(1, LONG);
    DeviceMemory there = target.device.allocate(LONG);
    LocalMemory from = origin.register(origin.onDevice(bytes), Access.LOCAL);
    assertArrives(from, target.register(there, Access.REMOTE_WRITE), LONG, 5);
    assertThat(target.device.read(there)).isEqualTo(bytes);
    assertThat(target.reports).containsExactly(arrived(5));
    assertThat(target.lengths).containsExactly((long) LONG);
    assertThat(origin.reports).containsExactly("written 5");
  }

  @Test
  void bytesGoFromTheHostToAccelerators() {
    byte[] bytes = noise(2, LONG);
    DeviceMemory there = target.device.allocate(LONG);
    LocalMemory from = origin.register(onHost(bytes), Access.LOCAL);
    assertArrives(from, target.register(there, Access.REMOTE_WRITE), LONG, 6);
    assertThat(target.device.read(there)).isEqualTo(bytes);
    assertThat(target.reports).containsExactly(arrived(6));
    assertThat(target.lengths).containsExactly((long) LONG);
  }

  /** To the NIC of a peer that does not, it goes as any other. */
  @Test
  void whatTheNicReachesByItselfIsLeftToIt() {
    origin = StagedNic.thatReachesItsDevice();
    byte[] bytes = noise(7, LONG);
    DeviceMemory source = origin.onDevice(bytes);
    LocalMemory from = origin.register(source, Access.REMOTE_WRITE);
    assertThat(origin.main.registeredOfDevices).containsExactly(source);
    assertThat(StagedKey.isOne(from.key())).isFalse();
    LocalMemory renamed = origin.domain.revoke(from).toCompletableFuture().join();
    assertThat(StagedKey.isOne(renamed.key())).isFalse();
    DeviceMemory there = target.device.allocate(LONG);
    assertArrives(renamed, target.register(there, Access.REMOTE_WRITE), LONG, 8);
    assertThat(target.device.read(there)).isEqualTo(bytes);
    assertThat(target.reports).containsExactly(arrived(8));
  }

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
  void aBufferThatCouldNotBeRegisteredIsTriedAgain() {
    LocalMemory from = origin.register(origin.onDevice(noise(4, 100)), Access.LOCAL);
    LocalMemory to = target.register(onHost(new byte[100]), Access.REMOTE_WRITE);
    origin.main.refusals = 1;
    origin.write(from, origin.resolve(target, to, 100), 100, 5);
    runUntil(() -> !origin.reports.isEmpty());
    assertThat(origin.reports.getFirst()).startsWith("refused 5: ").contains("no memory may be");
    assertArrives(from, to, 100, 6);
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

  /** As a card may whose kernel does not know what lies there. */
  @Test
  void whatTheNicRefusesIsStaged() {
    origin = StagedNic.thatReachesItsDevice();
    origin.main.refusesDevices = true;
    byte[] bytes = noise(9, LONG);
    LocalMemory from = origin.register(origin.onDevice(bytes), Access.LOCAL);
    DeviceMemory there = target.device.allocate(LONG);
    assertArrives(from, target.register(there, Access.REMOTE_WRITE), LONG, 10);
    assertThat(target.device.read(there)).isEqualTo(bytes);
  }

  @Test
  void bytesGoFromAcceleratorsToTheHost() {
    byte[] bytes = noise(3, LONG);
    HostMemory there = onHost(new byte[LONG]);
    LocalMemory from = origin.register(origin.onDevice(bytes), Access.LOCAL);
    assertArrives(from, target.register(there, Access.REMOTE_WRITE), LONG, 7);
    assertThat(there.segment().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(bytes);
    assertThat(target.reports).containsExactly("imm 7");
    assertThat(target.lengths).as("what is told").containsExactly(CompletionSink.UNKNOWN_BYTES);
    assertThat(target.second.registered()).as("buffers of the second NIC").isZero();
  }

  @Test
  void ofAWriteToTheHostThatIsOnePieceTheLengthIsTold() {
    LocalMemory from = origin.register(origin.device.allocate(LONG), Access.LOCAL);
    LocalMemory to = target.register(onHost(new byte[LONG]), Access.REMOTE_WRITE);
    assertArrives(from, to, Pinned.MOST_BYTES, 7);
    assertArrives(from, to, Pinned.MOST_BYTES + 1, 8);
    assertArrives(from, to, 1, 9);
    assertThat(target.lengths)
        .containsExactly((long) Pinned.MOST_BYTES, CompletionSink.UNKNOWN_BYTES, 1L);
  }

  /** All bytes are on their way together, and the immediate behind them. */
  @Test
  void theImmediateOfAWriteToTheHostComesWhenAllPiecesAreThere() {
    HostMemory there = onHost(new byte[LONG]);
    LocalMemory from = origin.register(origin.onDevice(noise(3, LONG)), Access.LOCAL);
    LocalMemory to = target.register(there, Access.REMOTE_WRITE);
    origin.write(from, origin.resolve(target, to, LONG), LONG, 7);
    rest();
    assertThat(origin.main.onWay).hasSize(4).noneMatch(each -> each.op.hasImm());
    for (ScriptedNic.OnWay piece : List.copyOf(origin.main.onWay).reversed()) {
      piece.come();
      assertThat(origin.main.onWay).noneMatch(each -> each.op.hasImm());
      rest();
    }
    assertThat(there.segment().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(noise(3, LONG));
    assertThat(target.reports).as("what was told before its immediate came").isEmpty();
    runUntil(() -> origin.hasReported("written 7"));
    assertThat(target.reports).containsExactly("imm 7");
  }

  @Test
  void betweenHostsAllIsAsItWas() {
    HostMemory there = onHost(new byte[8]);
    LocalMemory to = target.register(there, Access.REMOTE_WRITE);
    LocalMemory from = origin.register(onHost(noise(4, 8)), Access.LOCAL);
    RemoteMemory remote = origin.resolve(target, to, 8);
    origin.write(from, remote, 8, 8);
    assertThat(origin.main.onWay.getFirst().op.local()).isSameAs(from);
    assertThat(origin.main.onWay.getFirst().op.remote()).isSameAs(remote);
    assertThat(origin.main.onWay.getFirst().op.token()).isEqualTo(8);
    assertArrives(from, to, 7, 9);
    assertThat(target.lengths).containsExactly(8L, 7L);
  }

  @Test
  void tokensThatLookLikeOwnOnesAreReportedAsTheyAre() {
    long token = 0xa57eL << 48 | 3;
    HostMemory there = onHost(new byte[8]);
    LocalMemory from = origin.register(onHost(noise(4, 8)), Access.LOCAL);
    LocalMemory device = origin.register(origin.onDevice(noise(5, 8)), Access.LOCAL);
    LocalMemory to = target.register(there, Access.REMOTE_WRITE);
    RemoteMemory remote = origin.resolve(target, to, 8);
    origin.write(device, remote, 8, 1);
    rest();
    origin.write(from, remote, 8, token);
    origin.write(from, remote, 8, token + (1L << 20));
    runUntil(() -> origin.reports.size() == 3);
    assertThat(origin.reports)
        .containsExactlyInAnyOrder(
            "written 1", "written " + token, "written " + (token + (1L << 20)));
  }

  @Test
  void piecesMayComeInAnyOrderAndTheImmediateComesWhenAllAreThere() {
    connect();
    byte[] bytes = noise(6, LONG);
    DeviceMemory there = target.device.allocate(LONG);
    LocalMemory to = target.register(there, Access.REMOTE_WRITE);
    LocalMemory from = origin.register(origin.onDevice(bytes), Access.LOCAL);
    origin.write(from, origin.resolve(target, to, LONG), LONG, 5);
    rest();
    assertThat(origin.second.onWay).as("pieces that are on their way together").hasSize(3);
    for (ScriptedNic.OnWay piece : List.copyOf(origin.second.onWay).reversed()) {
      piece.come();
      rest();
    }
    assertThat(target.reports).as("what was told before the last piece came").isEmpty();
    runUntil(() -> origin.hasReported("written 5"));
    assertThat(target.device.read(there)).isEqualTo(bytes);
    assertThat(target.reports).containsExactly(arrived(5));
  }

  @Test
  void morePiecesThanSlotsWait() {
    connect();
    int length = 10 * Pinned.MOST_BYTES;
    LocalMemory to = target.register(target.device.allocate(length), Access.REMOTE_WRITE);
    LocalMemory from = origin.register(origin.device.allocate(length), Access.LOCAL);
    RemoteMemory remote = origin.resolve(target, to, length);
    origin.write(from, remote, length, 5);
    origin.write(from, remote, length, 6);
    rest();
    assertThat(origin.second.onWay).hasSize(OutWindow.SLOTS);
    runUntil(() -> origin.hasReported("written 5") && origin.hasReported("written 6"));
  }

  @Test
  void aPeerThatTakesNothingGetsNoMoreThanSomeWrites() {
    LocalMemory to = target.register(target.device.allocate(8), Access.REMOTE_WRITE);
    LocalMemory from = origin.register(onHost(new byte[8]), Access.LOCAL);
    RemoteMemory remote = origin.resolve(target, to, 8);
    PostResult result = PostResult.TAKEN;
    int taken = 0;
    while (result.isTaken() && taken < 100) {
      result = origin.write(from, remote, 8, ++taken);
    }
    assertThat(result).isEqualTo(PostResult.PEER_BUSY);
    int last = taken - 1;
    runUntil(() -> origin.hasReported("written " + last));
    assertThat(origin.write(from, remote, 8, 200)).isEqualTo(PostResult.TAKEN);
  }

  @Test
  void whatANicRefusesIsTriedAgain() {
    connect();
    origin.second.isBusy = true;
    target.second.isBusy = true;
    LocalMemory to = target.register(target.device.allocate(8), Access.REMOTE_WRITE);
    LocalMemory from = origin.register(onHost(new byte[8]), Access.LOCAL);
    origin.write(from, origin.resolve(target, to, 8), 8, 5);
    rest();
    assertThat(origin.second.onWay).isEmpty();
    origin.second.isBusy = false;
    runUntil(() -> target.hasReported(arrived(5)));
    rest();
    assertThat(origin.reports).isEmpty();
    target.second.isBusy = false;
    runUntil(() -> origin.hasReported("written 5"));
  }

  @Test
  void aSourceThatItsDeviceRefusesFailsThatWriteOnly() {
    connect();
    DeviceMemory gone = origin.device.allocate(LONG);
    LocalMemory from = origin.register(gone, Access.LOCAL);
    origin.device.free(gone);
    LocalMemory good = origin.register(origin.onDevice(noise(7, 8)), Access.LOCAL);
    LocalMemory to = target.register(target.device.allocate(LONG), Access.REMOTE_WRITE);
    RemoteMemory remote = origin.resolve(target, to, LONG);
    origin.write(from, remote, LONG, 5);
    origin.write(good, remote, 8, 6);
    runUntil(() -> origin.hasReported("written 6") && origin.reports.size() == 2);
    assertThat(origin.reports)
        .anyMatch(each -> each.startsWith("refused 5") && each.contains("illegal address"));
    assertThat(target.reports).containsExactly(arrived(6));
    for (int token = 10; token < 10 + OutWindow.SLOTS; token++) {
      assertThat(origin.write(good, remote, 8, token)).isEqualTo(PostResult.TAKEN);
    }
    runUntil(() -> origin.reports.size() == 2 + OutWindow.SLOTS);
    assertThat(origin.reports).as("in every slot").contains("written 10", "written 13");
    assertThat(target.reports).hasSize(1 + OutWindow.SLOTS);
  }

  @Test
  void aTargetThatItsDeviceRefusesFailsThoseWritesOnly() {
    connect();
    DeviceMemory gone = target.device.allocate(8);
    LocalMemory to = target.register(gone, Access.REMOTE_WRITE);
    target.device.free(gone);
    DeviceMemory room = target.device.allocate(8);
    LocalMemory good = target.register(room, Access.REMOTE_WRITE);
    byte[] bytes = noise(8, 8);
    LocalMemory from = origin.register(onHost(bytes), Access.LOCAL);
    for (int token = 1; token <= 2 * OutWindow.SLOTS; token += 2) {
      origin.write(from, origin.resolve(target, to, 8), 8, token);
      assertArrives(from, good, 8, token + 1);
      String refused = "refused " + token;
      runUntil(() -> origin.reports.stream().anyMatch(each -> each.startsWith(refused)));
    }
    assertThat(origin.reports)
        .filteredOn(each -> each.startsWith("refused"))
        .hasSize(OutWindow.SLOTS)
        .allMatch(each -> each.contains("illegal address"));
    assertThat(target.device.read(room)).isEqualTo(bytes);
    assertThat(target.reports).allMatch(each -> each.startsWith("imm"));
    assertThat(target.reports).hasSize(OutWindow.SLOTS);
  }

  @Test
  void whatWasRevokedIsNotWritten() {
    connect();
    DeviceMemory memory = target.device.allocate(8);
    LocalMemory old = target.register(memory, Access.REMOTE_WRITE);
    LocalMemory from = origin.register(onHost(noise(9, 8)), Access.LOCAL);
    RemoteMemory remote = origin.resolve(target, old, 8);
    LocalMemory renamed = target.domain.revoke(old).toCompletableFuture().join();
    origin.write(from, remote, 8, 5);
    runUntil(() -> !origin.reports.isEmpty());
    assertThat(origin.reports.getFirst()).startsWith("refused 5").contains("was revoked");
    assertThat(target.device.read(memory)).containsOnly(0);
    assertArrives(from, renamed, 8, 6);
    assertThat(target.reports).containsExactly(arrived(6));
  }

  @Test
  void whatIsBeingStoredWhenMemoryIsRevokedIsThereAndIsNotCounted() {
    connect();
    byte[] bytes = noise(10, 8);
    DeviceMemory memory = target.device.allocate(8);
    LocalMemory to = target.register(memory, Access.REMOTE_WRITE);
    LocalMemory from = origin.register(onHost(bytes), Access.LOCAL);
    origin.write(from, origin.resolve(target, to, 8), 8, 5);
    while (origin.second.onWay.isEmpty()) {
      origin.turn();
    }
    origin.second.onWay.getFirst().come();
    target.turn(); // begins to store
    assertThat(target.device.read(memory)).containsOnly(0);
    target.domain.revoke(to).toCompletableFuture().join();
    assertThat(target.device.read(memory)).as("bytes, once that is complete").isEqualTo(bytes);
    runUntil(() -> !origin.reports.isEmpty());
    assertThat(origin.reports.getFirst()).startsWith("refused 5").contains("was revoked");
    assertThat(target.reports).isEmpty();
  }

  /** An accelerator may write there yet, whatever its owner does with it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void memoryOfWhichNobodyKnowsWhetherItIsStillWrittenIsNotLetGoOf(boolean isUnderWay) {
    connect();
    LocalMemory to = target.register(target.device.allocate(8), Access.REMOTE_WRITE);
    LocalMemory other = target.register(target.device.allocate(8), Access.REMOTE_WRITE);
    LocalMemory from = origin.register(onHost(noise(10, 8)), Access.LOCAL);
    origin.write(from, origin.resolve(target, to, 8), 8, 5);
    while (origin.second.onWay.isEmpty()) {
      origin.turn();
    }
    origin.second.onWay.getFirst().come();
    target.turn(); // begins to store
    target.access.isMute = true;
    if (!isUnderWay) {
      target.turn();
    }
    assertThat(target.domain.revoke(to).toCompletableFuture())
        .isCompletedExceptionally()
        .satisfies(ended ->
            assertThat(ended.exceptionNow())
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("it does not say"));
    assertThat(target.domain.deregister(to).toCompletableFuture()).isCompletedExceptionally();
    target.access.isMute = false;
    runUntil(() -> !origin.reports.isEmpty());
    assertThat(origin.reports.getFirst()).as("which is in doubt").startsWith("failed 5: ");
    assertThat(target.domain.deregister(other).toCompletableFuture()).isCompletedWithValue(null);
    assertThatThrownBy(target.domain::close)
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("copies that are over");
  }

  @Test
  void memoryOfWhichNobodyKnowsWhetherItIsStillReadIsNotLetGoOf() {
    connect();
    LocalMemory from = origin.register(origin.device.allocate(8), Access.LOCAL);
    LocalMemory to = target.register(onHost(new byte[8]), Access.REMOTE_WRITE);
    origin.access.isMute = true;
    origin.write(from, origin.resolve(target, to, 8), 8, 5);
    runUntil(() -> !origin.reports.isEmpty());
    assertThat(origin.reports.getFirst()).contains("the source could not be read");
    assertThat(origin.domain.deregister(from).toCompletableFuture()).isCompletedExceptionally();
    assertThatThrownBy(origin.domain::close)
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("copies that are over");
  }

  @Test
  void memoryForLocalUseAndRangesOutsideAreRefused() {
    connect();
    LocalMemory from = origin.register(onHost(new byte[8]), Access.LOCAL);
    LocalMemory local = target.register(target.device.allocate(8), Access.LOCAL);
    LocalMemory small = target.register(target.device.allocate(4), Access.REMOTE_WRITE);
    origin.write(from, origin.resolve(target, local, 8), 8, 5);
    origin.write(from, origin.resolve(target, small, 8), 8, 6);
    runUntil(() -> origin.reports.size() == 2);
    assertThat(origin.reports.get(0)).startsWith("refused 5").contains("REMOTE_WRITE");
    assertThat(origin.reports.get(1)).startsWith("refused 6").contains("within the 4 bytes");
    assertThat(target.reports).isEmpty();
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
  void whereNobodyKnowsWhatCameOfSeveralPiecesAWriteIsOne() {
    StagedNic free = new StagedNic(CompletionLevel.SOURCE_FREE, StagedNic.LONG);
    assertThat(free.domain.capabilities().maxWriteBytes()).isEqualTo(Pinned.MOST_BYTES);
    assertThat(origin.domain.capabilities().maxWriteBytes()).isEqualTo(16 << 20);
    assertThat(origin.domain.capabilities().maxRows()).isEqualTo(1);
    assertThat(origin.domain.capabilities().devices()).containsAll(origin.device.devices());
  }

  @Test
  void emptyWritesCarryTheirImmediate() {
    LocalMemory to = target.register(target.device.allocate(8), Access.REMOTE_WRITE);
    LocalMemory from = origin.register(origin.device.allocate(8), Access.LOCAL);
    assertArrives(from, to, 0, 5);
    assertThat(target.reports).containsExactly(arrived(5));
  }

  @Test
  void withoutAnImmediateNothingIsCounted() {
    LocalMemory to = target.register(target.device.allocate(LONG), Access.REMOTE_WRITE);
    LocalMemory from = origin.register(origin.device.allocate(LONG), Access.LOCAL);
    RemoteMemory there = origin.resolve(target, to, LONG);
    origin.domain.post(new Operation().between(from, there).range(0, 0, LONG).token(5));
    runUntil(() -> origin.hasReported("written 5"));
    assertThat(target.reports).isEmpty();
  }

  @Test
  void aReleasedPeerIsForgottenByBothNics() {
    connect();
    origin.domain.release(origin.peer(target));
    rest();
    assertThat(origin.main.released).hasSize(1);
    assertThat(origin.second.released).hasSize(1);
  }

  @Test
  void closingClosesBothNics() {
    connect();
    origin.domain.close();
    assertThat(List.of(origin.main.isClosed, origin.second.isClosed)).containsOnly(true);
  }

  /** Else it would go on taking what peers write. */
  @Test
  void theNicIsClosedWhateverTheOtherOneThrows() {
    connect();
    origin.second.closing = new IllegalStateException("a surprise");
    assertThatThrownBy(origin.domain::close).isSameAs(origin.second.closing);
    assertThat(origin.main.isClosed).isTrue();
    target.second.closing = new AssertionError("another one");
    target.main.closing = new IllegalStateException("and one more");
    assertThatThrownBy(target.domain::close)
        .isSameAs(target.second.closing)
        .hasSuppressedException(target.main.closing);
  }

  @Test
  void whatIsOpenedAfterClosingIsClosed() {
    CompletableFuture<Domain> late = new CompletableFuture<>();
    ScriptedNic main = new ScriptedNic(CompletionLevel.DELIVERED);
    ScriptedNic second = new ScriptedNic(CompletionLevel.DELIVERED);
    Domain domain = StagingDomain.before(main, () -> late, origin.context());
    domain.register(origin.device.allocate(8), Access.REMOTE_WRITE);
    domain.close();
    assertThat(main.isClosed).isTrue();
    late.complete(second);
    assertThat(second.isClosed).isTrue();
  }

  @Test
  void descriptorsAreThoseOfBothNicsAndTheSameArray() {
    int[] first = {3};
    int[] second = {4, 5};
    Descriptors descriptors = new Descriptors();
    int[] both = descriptors.ofBoth(first, second);
    assertThat(both).containsExactly(3, 4, 5);
    assertThat(descriptors.ofBoth(first, second)).isSameAs(both);
    assertThat(descriptors.ofBoth(new int[] {6}, second)).containsExactly(6, 4, 5);
    assertThat(descriptors.ofBoth(first, Domain.MUST_BE_POLLED)).isEmpty();
  }

  @Test
  void aCopyThatIsUnderWayKeepsTheThreadFromWaiting() {
    connect();
    assertThat(List.of(origin.domain.prepareWait(), target.domain.prepareWait()))
        .containsOnly(true);
    LocalMemory to = target.register(target.device.allocate(8), Access.REMOTE_WRITE);
    LocalMemory from = origin.register(origin.device.allocate(8), Access.LOCAL);
    origin.write(from, origin.resolve(target, to, 8), 8, 5);
    assertThat(origin.domain.prepareWait()).isFalse();
    while (origin.second.onWay.isEmpty()) {
      origin.turn();
    }
    rest();
    assertThat(origin.domain.prepareWait()).as("nothing to do but to wait").isTrue();
    origin.second.onWay.getFirst().come();
    target.turn();
    assertThat(target.domain.prepareWait()).isFalse();
    runUntil(() -> origin.hasReported("written 5"));
  }

  /** What is wrong in a frame, and whether its window ends with it. */
  private void assertHarmless(Consumer<ByteBuffer> change, String says) {
    connect();
    byte[] before = noise(13, 64);
    DeviceMemory memory = target.onDevice(before);
    LocalMemory to = target.register(memory, Access.REMOTE_WRITE);
    LocalMemory from = origin.register(onHost(noise(14, 64)), Access.LOCAL);
    origin.write(from, origin.resolve(target, to, 64), 64, 5);
    rest();
    origin.second.onWay.getFirst().tampered(change).come();
    runUntil(() -> !origin.reports.isEmpty());
    assertThat(origin.reports.getFirst()).contains(" 5: ").contains(says);
    assertThat(target.reports).isEmpty();
    assertThat(target.device.read(memory)).isEqualTo(before);
    assertArrives(from, to, 64, 6);
    assertThat(target.reports).containsExactly(arrived(6));
  }

  @Test
  void aPieceOfAnotherWindowIsNotTaken() {
    assertHarmless(bytes -> bytes.putLong(0, bytes.getLong(0) + 1), "expected piece");
  }

  @Test
  void aPieceThatCameBeforeIsNotTaken() {
    assertHarmless(bytes -> bytes.putLong(8, bytes.getLong(8) - 1), "expected piece");
  }

  @Test
  void aPieceForNobodyIsNotTaken() {
    assertHarmless(bytes -> bytes.putLong(16, bytes.getLong(16) + 1), "no memory under this key");
  }

  @Test
  void aPieceBeyondTheMemoryIsNotTaken() {
    assertHarmless(bytes -> bytes.putLong(32, 1), "within the 64 bytes");
  }

  @Test
  void aPieceBeforeTheMemoryIsNotTaken() {
    assertHarmless(bytes -> bytes.putLong(32, -1), "within the 64 bytes");
  }

  @Test
  void aPieceOfAShorterWriteIsNotTaken() {
    assertHarmless(bytes -> bytes.putLong(56, 63), "a write of 64 to 64 bytes, got 63");
  }

  @Test
  void aPieceOfAWriteThatWouldBeginBeforeTheMemoryIsNotTaken() {
    assertHarmless(bytes -> bytes.putLong(56, 65), "a write of 64 to 64 bytes, got 65");
  }

  @Test
  void aPieceOfAWriteWhoseLengthOverflowsIsNotTaken() {
    assertHarmless(bytes -> bytes.putLong(56, Long.MIN_VALUE), "a write of 64 to 64 bytes");
  }

  @Test
  void aPieceWhoseOffsetOverflowsIsNotTaken() {
    assertHarmless(bytes -> bytes.putLong(32, Long.MIN_VALUE), "within the 64 bytes");
  }

  @Test
  void aPieceOfLessThanNothingIsNotTaken() {
    assertHarmless(bytes -> bytes.putInt(40, -1), "expected piece");
  }

  @Test
  void aPieceThatIsLongerThanItsSlotIsNotTaken() {
    assertHarmless(bytes -> bytes.putInt(40, Pinned.MOST_BYTES + 1), "expected piece");
  }

  @Test
  void anImmediateWithoutAPieceCountsNothing() {
    connect();
    DeviceMemory memory = target.device.allocate(8);
    LocalMemory to = target.register(memory, Access.REMOTE_WRITE);
    LocalMemory from = origin.register(onHost(noise(15, 8)), Access.LOCAL);
    origin.write(from, origin.resolve(target, to, 8), 8, 5);
    rest();
    target.second.hear(origin.second.onWay.getFirst().op.imm()); // and its bytes are not there
    rest();
    assertThat(target.reports).isEmpty();
    assertThat(target.device.read(memory)).containsOnly(0);
    assertArrives(from, to, 8, 6);
  }

  @Test
  void aBufferOfWhichACopyHasFailedTakesNoMore() {
    connect();
    DeviceMemory gone = target.device.allocate(8);
    LocalMemory broken = target.register(gone, Access.REMOTE_WRITE);
    target.device.free(gone);
    DeviceMemory memory = target.device.allocate(8);
    LocalMemory to = target.register(memory, Access.REMOTE_WRITE);
    LocalMemory from = origin.register(onHost(noise(16, 8)), Access.LOCAL);
    origin.write(from, origin.resolve(target, broken, 8), 8, 5);
    rest();
    ScriptedNic.OnWay piece = origin.second.onWay.getFirst();
    runUntil(() -> !origin.reports.isEmpty());
    byte[] key = to.key();
    ByteBuffer bits = ByteBuffer.wrap(to.key(), 8, 16);
    piece
        .tampered(bytes ->
            bytes
                .putLong(8, bytes.getLong(8) + 1)
                .putLong(16, bits.getLong())
                .putLong(24, bits.getLong()))
        .come();
    rest();
    assertThat(target.reports).isEmpty();
    assertThat(target.device.read(memory)).containsOnly(0);
    assertArrives(from, to, 8, 6);
  }

  /** Else there would be more and more of them. */
  @Test
  void buffersThatTheNicKeepsAreNotReplacedForEver() {
    origin.main.keepsAll = true;
    LocalMemory good = origin.register(origin.onDevice(noise(17, 8)), Access.LOCAL);
    DeviceMemory gone = origin.device.allocate(8);
    LocalMemory bad = origin.register(gone, Access.LOCAL);
    origin.device.free(gone);
    RemoteMemory to =
        origin.resolve(target, target.register(onHost(new byte[8]), Access.REMOTE_WRITE), 8);
    for (int i = 0; i < Lanes.MOST; i++) {
      origin.reports.clear();
      origin.write(good, to, 8, 5);
      runUntil(() -> origin.hasReported("written 5"));
      origin.write(bad, to, 8, 6); // the buffer is of no more use
      runUntil(() -> origin.reports.size() == 2);
    }
    origin.reports.clear();
    origin.write(good, to, 8, 7);
    runUntil(() -> !origin.reports.isEmpty());
    assertThat(origin.reports.getFirst())
        .startsWith("refused 7")
        .contains("the NIC keeps " + Lanes.MOST + " of " + Lanes.MOST, "it is busy");
    assertThat(origin.main.registered()).isEqualTo(Lanes.MOST);
  }

  @Test
  void brokenBuffersThatWereBeingRegisteredAreReplaced() {
    origin.main.isSlowToRegister = true;
    LocalMemory good = origin.register(origin.onDevice(noise(18, 8)), Access.LOCAL);
    DeviceMemory gone = origin.device.allocate(8);
    LocalMemory bad = origin.register(gone, Access.LOCAL);
    origin.device.free(gone);
    RemoteMemory to =
        origin.resolve(target, target.register(onHost(new byte[8]), Access.REMOTE_WRITE), 8);
    for (int i = 0; i < Lanes.MOST; i++) {
      origin.reports.clear();
      origin.write(good, to, 8, 5);
      rest();
      origin.domain.disconnect(origin.peer(target), "it is not needed now");
      runUntil(() -> origin.reports.size() == 1);
      origin.write(bad, to, 8, 6); // by the buffer that is still being registered
      runUntil(() -> origin.reports.size() == 2);
    }
    origin.main.isSlowToRegister = false;
    origin.main.registerAll();
    origin.write(good, to, 8, 7);
    runUntil(() -> origin.hasReported("written 7"));
  }

  @Test
  void whatIsNoMessageIsDropped() {
    connect();
    byte[] mark = Messages.of((byte) 0, 0).array();
    for (int kind = -1; kind < 12; kind++) {
      for (int length : new int[] {1, 8, 9, 17, 40, 1_000}) {
        ByteBuffer message = ByteBuffer.allocate(8 + length);
        message.put(mark, 0, 8).put((byte) kind).position(0);
        origin.domain.fromPeer(origin.peer(target), message);
        message.position(0);
        target.domain.fromPeer(target.peer(origin), message);
        rest();
      }
    }
    LocalMemory to = target.register(target.device.allocate(8), Access.REMOTE_WRITE);
    LocalMemory from = origin.register(onHost(new byte[8]), Access.LOCAL);
    origin.write(from, origin.resolve(target, to, 8), 8, 5);
    runUntil(() -> origin.reports.stream().anyMatch(each -> each.contains(" 5")));
    origin.write(from, origin.resolve(target, to, 8), 8, 6);
    runUntil(() -> origin.hasReported("written 6"));
  }
}
