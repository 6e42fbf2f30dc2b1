package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the target does not let in, and that the origin is told why. */
class RefusedWriteTest {

  private TestNic origin;
  private TestNic target;

  @BeforeEach
  void open() {
    origin = new TestNic();
    target = new TestNic();
  }

  @AfterEach
  void close() {
    origin.close();
    target.close();
  }

  @ParameterizedTest
  @CsvSource({
    "1, 100",
    "101, 0",
    "100, 1",
    "-1, 1",
    "9223372036854775807, 1",
    "9223372036854775807, 100",
    "-9223372036854775808, 100"
  })
  void outOfBounds(long offset, long length) {
    var source = WriteTest.filled(origin.register(100), 1);
    var sink = target.register(100);

    origin.write(
        new Operation()
            .between(source.local(), origin.remote(target, sink))
            .range(0, offset, length)
            .withImm(1)
            .token(5));

    var failed = origin.awaitFailed();
    assertThat(failed.token()).isEqualTo(5);
    assertThat(failed.code()).isEqualTo(ErrorCode.BOUNDS.value);
    assertThat(failed.text())
        .contains("100 bytes", "offset " + offset, "length " + length, target.id.toShortString());
    theConnectionGoesOnAndNothingCameIn(sink);
  }

  @Test
  void unknownKey() {
    var sink = target.register(100);

    origin.write(
        new Operation()
            .between(origin.register(100).local(), origin.remote(target, new byte[16], 100))
            .range(0, 0, 100)
            .withImm(1)
            .token(5));

    assertThat(origin.awaitFailed().code()).isEqualTo(ErrorCode.UNKNOWN_KEY.value);
    theConnectionGoesOnAndNothingCameIn(sink);
  }

  @Test
  void memoryForLocalUse() {
    var sink = target.register(100, Access.LOCAL);

    origin.write(
        new Operation()
            .between(origin.register(100).local(), origin.remote(target, sink))
            .range(0, 0, 100)
            .withImm(1)
            .token(5));

    var failed = origin.awaitFailed();
    assertThat(failed.code()).isEqualTo(ErrorCode.ACCESS.value);
    assertThat(failed.text()).contains("REMOTE_WRITE");
    theConnectionGoesOnAndNothingCameIn(sink);
  }

  @Test
  void deregistered() {
    var sink = target.register(100);
    target.run(() -> target.domain.deregister(sink.local()));

    origin.write(origin.register(100), origin.remote(target, sink), 100, 5);

    assertThat(origin.awaitFailed().code()).isEqualTo(ErrorCode.UNKNOWN_KEY.value);
    theConnectionGoesOnAndNothingCameIn(sink);
  }

  @Test
  void revokedIsRefusedUnderTheOldKeyAndTakenUnderTheNew() {
    var source = WriteTest.filled(origin.register(100), 1);
    var sink = target.register(100);
    LocalMemory renewed =
        target.call(() -> target.domain.revoke(sink.local()).toCompletableFuture().join());
    RemoteMemory old = origin.remote(target, sink);

    origin.write(source, old, 100, 5);
    assertThat(origin.awaitFailed().code()).isEqualTo(ErrorCode.UNKNOWN_KEY.value);
    assertThat(sink.segment().mismatch(source.segment())).isNotEqualTo(-1);

    origin.write(source, origin.remote(target, renewed.key(), 100), 100, 6);
    assertThat(origin.awaitWritten(1)).containsExactly(6L);
    assertThat(sink.segment().mismatch(source.segment())).isEqualTo(-1);
  }

  @Test
  void ownWritesFromRevokedMemoryGoOn() {
    var source = WriteTest.filled(origin.register(100), 1);
    var sink = target.register(100);
    origin.run(() -> origin.domain.revoke(source.local()));

    origin.write(source, origin.remote(target, sink), 100, 5);

    origin.awaitWritten(1);
    assertThat(sink.segment().mismatch(source.segment())).isEqualTo(-1);
  }

  @Test
  void revokingHalfWayStopsTheRest() {
    halfWay(memory -> target.domain.revoke(memory));
  }

  @Test
  void deregisteringHalfWayStopsTheRest() {
    halfWay(memory -> target.domain.deregister(memory));
  }

  private void halfWay(java.util.function.Consumer<LocalMemory> end) {
    var sink = target.register(1_000);
    byte[] key = sink.local().key();
    byte[] half = new byte[500];
    Arrays.fill(half, (byte) 1);
    try (RawConnection raw = RawConnection.welcomedBy(target)) {
      raw.writeHead(key, 0, 1_000, 77);
      raw.send(half);
      target.awaitUntil(() -> sink.segment().get(ValueLayout.JAVA_BYTE, 499) == 1);

      target.run(() -> end.accept(sink.local()));
      sink.segment().fill((byte) 9);
      raw.send(half);

      Failure why = raw.nack(1);
      assertThat(why.code()).isEqualTo(ErrorCode.REVOKED.value);
      assertThat(WriteTest.bytes(sink.segment())).containsOnly(9);
      assertThat(target.imms).isEmpty();
      var other = target.register(4);
      raw.writeHead(other.local().key(), 0, 4, 78);
      raw.send((byte) 1, (byte) 2, (byte) 3, (byte) 4);
      assertThat(raw.ack()).isEqualTo(2);
      assertThat(target.imms).containsExactly(78);
    }
  }

  @Test
  void anArrivalIsEitherReportedAndAcknowledgedOrRefused() {
    for (int i = 0; i < 200; i++) {
      var sink = target.register(1);
      int before = target.imms.size();
      try (RawConnection raw = RawConnection.welcomedBy(target)) {
        raw.writeHead(sink.local().key(), 0, 1, i);
        raw.send((byte) 3);
        // Comes before, between or behind taking in and reporting.
        target.run(() -> target.domain.revoke(sink.local()));

        int type = raw.read(1)[0];
        assertThat(type).isEqualTo(target.imms.size() > before ? Wire.ACK : Wire.NACK);
      }
    }
  }

  @Test
  void memoryThatIsGoneAlthoughRegistered() {
    Arena arena = Arena.ofShared();
    MemorySegment segment = arena.allocate(100);
    var sink = target.register(segment, Access.REMOTE_WRITE);
    RemoteMemory remote = origin.remote(target, sink);
    arena.close();

    origin.write(origin.register(100), remote, 100, 5);

    assertThat(origin.awaitFailed().code()).isEqualTo(ErrorCode.MEMORY_GONE.value);
    theConnectionGoesOnAndNothingCameIn(target.register(1));
  }

  @Test
  void aShortWriteFromMemoryThatIsGone() {
    Arena arena = Arena.ofShared();
    var source = origin.register(arena.allocate(100), Access.LOCAL);
    RemoteMemory remote = origin.remote(target, target.register(100));
    arena.close();

    origin.write(source, remote, 100, 5);

    assertThat(origin.awaitFailed().code()).isEqualTo(ErrorCode.MEMORY_GONE.value);
    theConnectionGoesOnAndNothingCameIn(target.register(1));
  }

  @Test
  void deviceMemoryCannotBeRegistered() {
    assertThatThrownBy(() ->
            target.call(() ->
                target.domain.register(
                    new DeviceMemory(Device.of("gpu", 0), 4_096, 8), Access.LOCAL)))
        .rootCause()
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("expected access to device gpu:0");
  }

  private void theConnectionGoesOnAndNothingCameIn(TestNic.Registered untouched) {
    assertThat(WriteTest.bytes(untouched.segment())).containsOnly(0);
    var source = WriteTest.filled(origin.register(16), 2);
    var sink = target.register(16);
    origin.write(source, origin.remote(target, sink), 16, 1_000);
    assertThat(origin.awaitWritten(1)).containsExactly(1_000L);
    assertThat(sink.segment().mismatch(source.segment())).isEqualTo(-1);
    assertThat(target.imms).isEmpty();
    assertThat(origin.lost).isEmpty();
  }
}
