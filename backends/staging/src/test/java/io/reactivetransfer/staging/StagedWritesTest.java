package io.reactivetransfer.staging;

import static io.reactivetransfer.staging.StagedNic.noise;
import static io.reactivetransfer.staging.StagedNic.onHost;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bytes of accelerators come where they belong, and their immediates behind them. */
class StagedWritesTest extends TwoNics {

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
}
