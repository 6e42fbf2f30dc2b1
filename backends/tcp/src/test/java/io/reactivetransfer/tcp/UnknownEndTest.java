package io.reactivetransfer.tcp;

import static io.reactivetransfer.tcp.StagedWriteTest.noise;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Target;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.tck.FakeDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Copies of which their accelerator does not say whether they are over: nobody takes it for certain
 * that they are.
 */
class UnknownEndTest {

  private static final int MIB = 1 << 20;

  private final FakeDevice device = new FakeDevice(Device.of("fake", 0));
  private final StingyAccess access = new StingyAccess(device);

  private void withNic(Consumer<ConnectedNic> test) {
    Fuzz.single(
        Target.TCP_OUTBOUND,
        in -> {
          ConnectedNic it = new ConnectedNic(in, Devices.of(List.of(access)));
          it.peer.room(Integer.MAX_VALUE);
          test.accept(it);
          device.mute(false);
          it.peer.end();
        });
  }

  private LocalMemory target(ConnectedNic it) {
    return it.register(device.allocate(MIB), Access.REMOTE_WRITE);
  }

  private static void comes(ConnectedNic it, LocalMemory target, int imm, int length) {
    byte[] frames = StagedWriteTest.incoming(target, imm, noise(imm, length));
    StagedWriteTest.says(it, frames, 0, frames.length);
  }

  private static void assertIsKept(ConnectedNic it, LocalMemory memory) {
    assertThat(it.nic.domain.revoke(memory).toCompletableFuture()).satisfies(UnknownEndTest::says);
    assertThat(it.nic.domain.deregister(memory).toCompletableFuture())
        .satisfies(UnknownEndTest::says);
    assertThatThrownBy(it.nic.domain::close)
        .isInstanceOf(BackendException.class)
        .hasMessageContainingAll("copies that are over", "it does not say");
  }

  private static void says(CompletableFuture<?> ended) {
    assertThat(ended).isCompletedExceptionally();
    assertThat(ended.exceptionNow())
        .isInstanceOf(BackendException.class)
        .hasMessageContainingAll("fake:0", "it does not say");
  }

  /** Through buffers, or without. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aWriteThatMayStillBeStoredIsNotRefusedForCertain(boolean isStaged) {
    access.isRefusing = !isStaged;
    for (int length : new int[] {100, 70_000, MIB}) {
      withNic(it -> {
        int answered = it.peer.takenBytes();
        LocalMemory target = target(it);
        LocalMemory other = target(it);
        comes(it, other, 1, length);
        it.polls();
        device.mute(true);
        comes(it, target, 2, length);
        it.polls();
        device.mute(false);
        comes(it, other, 3, length);
        it.polls();
        assertThat(it.imms).containsExactly(1, 3);
        assertThat(SentFrames.of(it.peer.taken(), answered).settled)
            .as("%s bytes", length)
            .containsExactly(0, ErrorCode.UNKNOWN_END.value, 0);
        assertThat(it.nic.domain.deregister(other).toCompletableFuture())
            .isCompletedWithValue(null);
        assertIsKept(it, target);
      });
    }
  }

  /** The origin would post it again. */
  @Test
  void norIsOneWhoseMemoryIsRevokedMeanwhile() {
    withNic(it -> {
      int answered = it.peer.takenBytes();
      LocalMemory target = target(it);
      comes(it, target, 1, MIB);
      device.mute(true);
      says(it.nic.domain.revoke(target).toCompletableFuture());
      device.mute(false);
      it.polls();
      assertThat(it.imms).isEmpty();
      assertThat(SentFrames.of(it.peer.taken(), answered).settled)
          .containsExactly(ErrorCode.UNKNOWN_END.value);
      assertIsKept(it, target);
    });
  }

  @Test
  void norOneOfWhichMoreWasToCome() {
    withNic(it -> {
      int answered = it.peer.takenBytes();
      LocalMemory target = target(it);
      byte[] frames = StagedWriteTest.incoming(target, 1, noise(1, MIB));
      StagedWriteTest.says(it, frames, 0, MIB / 2);
      device.mute(true);
      says(it.nic.domain.deregister(target).toCompletableFuture());
      StagedWriteTest.says(it, frames, MIB / 2, frames.length);
      device.mute(false);
      it.polls();
      assertThat(SentFrames.of(it.peer.taken(), answered).settled)
          .containsExactly(ErrorCode.UNKNOWN_END.value);
      assertIsKept(it, target);
    });
  }

  @Test
  void whatWasComingInWhenItsConnectionEndedIsRemembered() {
    withNic(it -> {
      LocalMemory target = target(it);
      byte[] frames = StagedWriteTest.incoming(target, 1, noise(1, MIB));
      StagedWriteTest.says(it, frames, 0, MIB / 2);
      device.mute(true);
      it.peer.end();
      device.mute(false);
      assertIsKept(it, target);
    });
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 70_000, MIB})
  void aSourceThatMayStillBeReadIsNotLetGoOf(int length) {
    withNic(it -> {
      LocalMemory source = it.register(device.allocate(MIB), Access.LOCAL);
      LocalMemory other = it.register(device.allocate(MIB), Access.LOCAL);
      device.mute(true);
      assertThat(it.writes(source, length, 1)).isTrue();
      it.nic.endTurn();
      it.polls();
      assertThat(it.texts).hasSize(1).allMatch(text -> text.contains("could not be read"));
      device.mute(false);
      assertThat(it.nic.domain.deregister(other).toCompletableFuture()).isCompletedWithValue(null);
      assertIsKept(it, source);
    });
  }

  @Test
  void aWriteOfWhichThePeerDoesNotKnowTheEndMayHaveCome() {
    withNic(it -> {
      LocalMemory source = it.register(device.allocate(MIB), Access.LOCAL);
      for (int token = 1; token <= 2; token++) {
        assertThat(it.writes(source, 100, token)).isTrue();
      }
      it.nic.endTurn();
      it.says(nack(1, ErrorCode.MEMORY_GONE));
      it.says(nack(2, ErrorCode.UNKNOWN_END));
      List<String> reports = new ArrayList<>();
      it.nic.domain.poll(new Ends(reports));
      assertThat(reports).containsExactly("refused 1", "failed 2");
    });
  }

  private static byte[] nack(long number, ErrorCode code) {
    return FuzzHandshake.bytes(
        Unpooled.buffer()
            .writeByte(Wire.NACK)
            .writeLong(number)
            .writeShort(code.value)
            .writeShort(0));
  }

  private record Ends(List<String> reports) implements CompletionSink {

    @Override
    public void written(long token) {
      reports.add("written " + token);
    }

    @Override
    public void failed(long token, int code, String text) {
      reports.add("failed " + token);
    }

    @Override
    public void refused(long token, int code, String text) {
      reports.add("refused " + token);
    }

    @Override
    public void immArrived(int imm, long bytes) {
      throw new AssertionError(imm);
    }

    @Override
    public void peerLost(EngineId peer, int code, String text) {
      throw new AssertionError(text);
    }

    @Override
    public void nicFailed(int code, String text) {
      throw new AssertionError(text);
    }
  }
}
