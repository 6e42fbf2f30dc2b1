package io.reactivetransfer.staging;

import static io.reactivetransfer.staging.StagedNic.noise;
import static io.reactivetransfer.staging.StagedNic.onHost;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import org.junit.jupiter.api.Test;

/** Memory and buffers that an accelerator or a NIC refuses, or that were revoked. */
class RefusedMemoryTest extends TwoNics {

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
}
