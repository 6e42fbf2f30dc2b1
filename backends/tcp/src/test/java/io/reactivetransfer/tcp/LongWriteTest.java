package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Target;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.tck.FakeDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What else happens while a long write is sent. */
class LongWriteTest {

  private static final int MIB = 1 << 20;
  private static final int SENT_AT_ONCE = MIB;
  private static final int PART = 64 << 10;

  @Test
  void anAcknowledgementDoesNotWaitForWhatWaitsToBeSent() {
    Fuzz.single(
        Target.TCP_OUTBOUND,
        in -> {
          try (Arena arena = Arena.ofShared()) {
            ConnectedNic it = new ConnectedNic(in, Devices.none());
            LocalMemory source = it.register(new HostMemory(arena.allocate(MIB)), Access.LOCAL);
            LocalMemory sink = it.register(new HostMemory(arena.allocate(8)), Access.REMOTE_WRITE);
            int taken = fill(it, source);
            assertThat(taken).as("writes that wait").isBetween(4, 6);
            it.nic.endTurn();
            MemoryKey key = MemoryKey.decode(sink.key());
            byte[] write =
                FuzzHandshake.bytes(Wire.putWrite(Unpooled.buffer(), false, 0, key, 0, 0));
            for (int round = 1; round <= 5; round++) {
              int before = it.peer.takenBytes();
              it.says(write);
              it.polls();
              boolean wasAlone = round <= 2;
              it.peer.room(round == 1 ? 2 * MIB : wasAlone ? MIB + 2 * PART : 5 * PART);
              // That is behind what was given when nobody else wrote, or nobody did for a MiB.
              int most = wasAlone ? MIB + PART : PART + 100;
              assertThat(it.ends(Wire.ACK)).hasSize(round);
              assertThat(it.ends(Wire.ACK).getLast() - before)
                  .as("bytes before acknowledgement " + round)
                  .isLessThan(most);
            }
            it.peer.room(Integer.MAX_VALUE);
            assertThat(it.ends(Wire.WRITE)).hasSize(taken);
            it.peer.end();
          }
        });
  }

  /** Else a row of a kilobyte would have megabytes behind it go in many parts. */
  @ParameterizedTest
  @CsvSource({"1, 0", "2, 16"})
  void shortWritesThatComeInARowMakePartsShortForAShortWhile(int writes, int shortParts) {
    Fuzz.single(
        Target.TCP_OUTBOUND,
        in -> {
          try (Arena arena = Arena.ofShared()) {
            ConnectedNic it = new ConnectedNic(in, Devices.none());
            LocalMemory source = it.register(new HostMemory(arena.allocate(MIB)), Access.LOCAL);
            LocalMemory sink = it.register(new HostMemory(arena.allocate(8)), Access.REMOTE_WRITE);
            int taken = fill(it, source);
            it.nic.endTurn();
            MemoryKey key = MemoryKey.decode(sink.key());
            for (int i = 0; i < writes; i++) {
              it.says(FuzzHandshake.bytes(Wire.putWrite(Unpooled.buffer(), false, 0, key, 0, 0)));
              it.polls();
            }
            it.peer.room(Integer.MAX_VALUE);
            assertThat(it.ends(Wire.WRITE)).hasSize(taken);
            assertThat(it.ends(Wire.MORE))
                .as("parts of " + taken + " MiB")
                .hasSizeBetween(shortParts + taken - 1, shortParts + 3 * taken);
            assertThat(it.ends(Wire.ACK)).isNotEmpty();
            it.peer.end();
          }
        });
  }

  /** Writes of a MiB as long as there is room; how many. */
  private static int fill(ConnectedNic it, LocalMemory source) {
    int taken = 0;
    while (it.writes(source, MIB, taken)) {
      taken++;
    }
    return taken;
  }

  /** An accelerator that copies, and notes how much it has copied between two turns of the loop. */
  private static final class Counted implements DeviceAccess {

    final FakeDevice fake = new FakeDevice(Device.of("fake", 0));
    final List<Long> turns = new ArrayList<>(List.of(0L));

    void endTurn() {
      turns.add(0L);
    }

    @Override
    public Availability availability() {
      return fake.availability();
    }

    @Override
    public List<Device> devices() {
      return fake.devices();
    }

    @Override
    public void copyToHost(DeviceMemory from, long at, MemorySegment to, long toAt, long length) {
      turns.set(turns.size() - 1, turns.getLast() + length);
      MemorySegment.copy(
          MemorySegment.ofArray(fake.read(from)),
          at,
          to,
          toAt,
          length); // buffers are on the heap here
    }

    @Override
    public void copyFromHost(MemorySegment from, long at, DeviceMemory to, long toAt, long length) {
      fake.copyFromHost(from, at, to, toAt, length);
    }

    @Override
    public long peek(DeviceMemory memory, long offset) {
      return fake.peek(memory, offset);
    }
  }

  @Test
  void fromAnAcceleratorItIsCopiedInManyTurns() {
    Counted device = new Counted();
    int length = 4 * MIB;
    Fuzz.single(
        Target.TCP_OUTBOUND,
        in -> {
          ConnectedNic it = new ConnectedNic(in, Devices.of(List.of(device)));
          byte[] bytes = new byte[length];
          new Random(1).nextBytes(bytes);
          DeviceMemory memory = device.fake.allocate(length);
          device.fake.write(memory, bytes);
          it.peer.room(Integer.MAX_VALUE);

          assertThat(it.writes(it.register(memory, Access.LOCAL), length, 1)).isTrue();
          int[] left = {1_000};
          Runnable[] turn = new Runnable[1];
          turn[0] =
              () -> {
                device.endTurn();
                if (left[0]-- > 0) {
                  it.nic.domain.loop().executeAfterSockets(turn[0]);
                }
              };
          it.nic.domain.loop().executeAfterSockets(turn[0]);
          it.nic.endTurn();

          assertThat(device.turns.stream().mapToLong(each -> each).sum()).isEqualTo(length);
          // The first turn asks for two parts ahead, too.
          assertThat(device.turns).allMatch(each -> each <= SENT_AT_ONCE + 2 * Staging.BYTES);
          assertThat(device.turns.stream().skip(1)).allMatch(each -> each <= SENT_AT_ONCE);
          SentFrames sent = SentFrames.afterAnswer(it.peer.taken());
          assertThat(sent.posted).hasSize(1);
          assertThat(ByteBuffer.wrap(sent.posted.getFirst(), Wire.WRITE_BYTES, length))
              .isEqualTo(ByteBuffer.wrap(bytes));
          it.says(FuzzHandshake.bytes(Wire.putAck(Unpooled.buffer(), 1)));
          it.polls();
          assertThat(it.written).containsExactly(1L);
          it.peer.end();
        });
  }

  /** Nor does what was sent behind it: the target refuses that write, and takes the next one. */
  @Test
  void whatAnAcceleratorDoesNotGiveToItsEndEndsNothingElse() {
    Counted device = new Counted();
    Fuzz.single(
        Target.TCP_OUTBOUND,
        in -> {
          ConnectedNic it = new ConnectedNic(in, Devices.of(List.of(device)));
          DeviceMemory memory = device.fake.allocate(MIB);
          LocalMemory source = it.register(memory, Access.LOCAL);
          assertThat(it.writes(source, MIB, 1)).isTrue();
          it.nic.endTurn();

          LocalMemory good = it.register(device.fake.allocate(PART), Access.LOCAL);
          assertThat(it.writes(good, PART, 2)).isTrue();
          device.fake.free(memory);
          it.peer.room(Integer.MAX_VALUE);
          it.polls();
          assertThat(it.failed).isEmpty();
          SentFrames sent = SentFrames.afterAnswer(it.peer.taken());
          assertThat(sent.givenUp).isEqualTo(1);
          assertThat(sent.writes).isEqualTo(1);

          Failure why = ErrorCode.MEMORY_GONE.because("given up");
          it.says(FuzzHandshake.bytes(Wire.putNack(Unpooled.buffer(), 1, why)));
          it.says(FuzzHandshake.bytes(Wire.putAck(Unpooled.buffer(), 2)));
          it.polls();
          assertThat(it.failed).containsExactly(ErrorCode.MEMORY_GONE.value);
          assertThat(it.texts).singleElement().asString().contains("illegal address");
          assertThat(it.written).containsExactly(2L);
          it.peer.end();
        });
  }

  /** It would be done though its bytes never left. */
  @Test
  void whatWasGivenUpCannotBeAcknowledged() {
    Counted device = new Counted();
    Fuzz.single(
        Target.TCP_OUTBOUND,
        in -> {
          ConnectedNic it = new ConnectedNic(in, Devices.of(List.of(device)));
          DeviceMemory memory = device.fake.allocate(MIB);
          assertThat(it.writes(it.register(memory, Access.LOCAL), MIB, 1)).isTrue();
          it.nic.endTurn();
          device.fake.free(memory);
          it.peer.room(Integer.MAX_VALUE);
          it.polls();

          it.says(FuzzHandshake.bytes(Wire.putAck(Unpooled.buffer(), 1)));
          it.polls();

          assertThat(it.written).isEmpty();
          assertThat(it.failed).containsExactly(ErrorCode.MEMORY_GONE.value);
          assertThat(it.peer.isOpen()).isFalse();
        });
  }

  /** It would have the source back for free. */
  @Test
  void beforeItsEndNobodyCanAcknowledgeIt() {
    Counted device = new Counted();
    Fuzz.single(
        Target.TCP_OUTBOUND,
        in -> {
          ConnectedNic it = new ConnectedNic(in, Devices.of(List.of(device)));
          LocalMemory source = it.register(device.fake.allocate(MIB), Access.LOCAL);
          assertThat(it.writes(source, MIB, 1)).isTrue();
          it.nic.endTurn();

          it.says(FuzzHandshake.bytes(Wire.putAck(Unpooled.buffer(), 1)));
          it.polls();

          assertThat(it.failed).containsExactly(ErrorCode.PROTOCOL.value);
          assertThat(it.peer.isOpen()).isFalse();
        });
  }
}
