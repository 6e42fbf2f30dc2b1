package io.reactivetransfer.staging;

import static io.reactivetransfer.staging.StagedNic.noise;
import static io.reactivetransfer.staging.StagedNic.onHost;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.LocalMemory;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Pieces and messages of peers that keep to nothing. */
class HostilePiecesTest extends TwoNics {

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
