package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Target;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.tck.FakeDevice;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * Memory of an accelerator whose copies are made when they are waited for, and not before: so what
 * is done too early, too late, or twice shows in the bytes.
 */
class StagedWriteTest {

  private static final int MIB = 1 << 20;
  private static final int PART = 64 << 10;

  private final FakeDevice device = new FakeDevice(Device.of("fake", 0));

  private void withNic(Consumer<ConnectedNic> test) {
    Fuzz.single(
        Target.TCP_OUTBOUND,
        in -> {
          ConnectedNic it = new ConnectedNic(in, device.asDevices());
          it.peer.room(Integer.MAX_VALUE);
          test.accept(it);
          it.peer.end();
        });
  }

  static byte[] noise(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private DeviceMemory filled(int seed, int length) {
    DeviceMemory memory = device.allocate(length);
    device.write(memory, noise(seed, length));
    return memory;
  }

  /** As a peer sends it: its head, a first part, and more. */
  static byte[] incoming(LocalMemory target, int imm, byte[] bytes) {
    ByteBuf out = Unpooled.buffer();
    Wire.putWrite(out, true, imm, ((TcpMemory) target).memoryKey(), 0, bytes.length);
    int first = Math.min(PART, bytes.length);
    out.writeBytes(bytes, 0, first);
    if (first < bytes.length) {
      Wire.putMore(out, bytes.length - first).writeBytes(bytes, first, bytes.length - first);
    }
    return FuzzHandshake.bytes(out);
  }

  static void says(ConnectedNic it, byte[] bytes, int from, int to) {
    for (int at = from; at < to; ) {
      int read = it.peer.readFrom(bytes, at, to);
      at += read;
      if (read == 0) {
        it.nic.endTurn(); // others have their turn before it reads on
      }
    }
  }

  @Test
  void whatComesInIsThereWhenItIsReported() {
    withNic(it -> {
      for (int length : new int[] {1, 5_000, PART, PART + 1, 300_000, 3 * MIB + 7}) {
        DeviceMemory memory = filled(1, length);
        LocalMemory target = it.register(memory, Access.REMOTE_WRITE);
        byte[] bytes = noise(length, length);
        byte[] frames = incoming(target, length, bytes);
        says(it, frames, 0, frames.length);
        assertThat(it.imms).doesNotContain(length);
        it.polls();
        assertThat(it.imms).contains(length);
        assertThat(device.read(memory)).as("%s bytes", length).isEqualTo(bytes);
      }
    });
  }

  @Test
  void onlyTheWriteThatAnAcceleratorDoesNotTakeIsRefused() {
    withNic(it -> {
      int answered = it.peer.takenBytes();
      DeviceMemory gone = device.allocate(MIB);
      DeviceMemory good = device.allocate(MIB);
      LocalMemory refused = it.register(gone, Access.REMOTE_WRITE);
      LocalMemory target = it.register(good, Access.REMOTE_WRITE);
      for (int i = 1; i <= 3; i++) {
        byte[] frames = incoming(i == 2 ? refused : target, i, noise(i, MIB));
        says(it, frames, 0, frames.length);
      }
      device.free(gone);
      it.polls();
      assertThat(it.imms).containsExactly(1, 3);
      assertThat(SentFrames.of(it.peer.taken(), answered).settled)
          .containsExactly(0, ErrorCode.MEMORY_GONE.value, 0);
      assertThat(device.read(good)).isEqualTo(noise(3, MIB));
    });
  }

  /** Of a write that has come in and was not reported, of one that is half there, and of both. */
  @Test
  void afterADeregistrationNothingIsStored() {
    nothingIsStoredAfter(it ->
        target -> {
          it.nic.deregister(target);
          return null;
        });
  }

  @Test
  void norAfterARevocation() {
    nothingIsStoredAfter(it -> target -> it.nic.revoke(target));
  }

  @Test
  void norAfterTheEndOfTheConnection() {
    nothingIsStoredAfter(it ->
        target -> {
          it.peer.end();
          it.nic.deregister(target); // what had come in before may be reported until then
          return null;
        });
  }

  @Test
  void norAfterTheNicWasClosed() {
    nothingIsStoredAfter(it ->
        target -> {
          it.nic.domain.close();
          return null;
        });
  }

  private void nothingIsStoredAfter(Function<ConnectedNic, Function<LocalMemory, Object>> end) {
    byte[] bytes = noise(7, MIB);
    for (int arrived : new int[] {1_000, PART + 1_000, MIB / 2, MIB + 200}) {
      withNic(it -> {
        DeviceMemory memory = filled(1, MIB);
        LocalMemory target = it.register(memory, Access.REMOTE_WRITE);
        byte[] frames = incoming(target, 5, bytes);
        says(it, frames, 0, Math.min(arrived, frames.length));
        end.apply(it).apply(target);
        byte[] then = device.read(memory);
        if (arrived < frames.length && it.peer.isOpen()) {
          says(it, frames, arrived, frames.length);
        }
        it.polls();
        it.nic.endTurn();
        assertThat(device.read(memory))
            .as("bytes, some time after the end that came when %s were there", arrived)
            .isEqualTo(then);
      });
    }
  }

  /** Nothing was sent of it, so the peer does not count it. */
  @Test
  void whatCannotBeReadBeforeItIsSentIsNoWriteForThePeer() {
    withNic(it -> {
      DeviceMemory gone = device.allocate(MIB);
      LocalMemory refused = it.register(gone, Access.LOCAL);
      LocalMemory source = it.register(filled(3, PART), Access.LOCAL);
      assertThat(it.writes(source, PART, 1)).isTrue();
      assertThat(it.writes(refused, MIB, 2)).isTrue();
      assertThat(it.writes(source, 100, 3)).isTrue();
      assertThat(it.writes(refused, PART + 5, 4)).isTrue();
      assertThat(it.writes(source, PART, 5)).isTrue();
      device.free(gone);
      it.nic.endTurn();
      it.polls();
      assertThat(it.texts).hasSize(2).allMatch(text -> text.contains("illegal address"));
      SentFrames sent = SentFrames.afterAnswer(it.peer.taken());
      assertThat(sent.writes).isEqualTo(3);
      assertThat(sent.givenUp).isZero();
      it.says(FuzzHandshake.bytes(Wire.putAck(Unpooled.buffer(), 3)));
      it.polls();
      assertThat(it.written).containsExactly(1L, 3L, 5L);
      assertThat(it.peer.isOpen()).isTrue();
    });
  }

  /** More at once than there are buffers. */
  @Test
  void whatWaitsForAPeerThatTakesNothingIsSentWhole() {
    withNic(it -> {
      it.peer.room(0);
      int writes = FuzzNic.DEPTH;
      int length = 2 * PART + 100;
      LocalMemory source = it.register(filled(9, length), Access.LOCAL);
      int posted = 0;
      while (posted < writes && it.writes(source, length, posted + 1)) {
        posted++;
        it.nic.endTurn();
      }
      assertThat(posted).isGreaterThan(20);
      it.peer.room(Integer.MAX_VALUE);
      it.polls();
      SentFrames sent = SentFrames.afterAnswer(it.peer.taken());
      assertThat(sent.writes).isEqualTo(posted);
      for (byte[] write : sent.posted) {
        assertThat(ByteBuffer.wrap(write, Wire.WRITE_BYTES, length))
            .isEqualTo(ByteBuffer.wrap(noise(9, length)));
      }
      it.says(FuzzHandshake.bytes(Wire.putAck(Unpooled.buffer(), posted)));
      it.polls();
      assertThat(it.written).hasSize(posted);
    });
  }
}
