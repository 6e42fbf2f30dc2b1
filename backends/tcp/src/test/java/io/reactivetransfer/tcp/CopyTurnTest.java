package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.reactivetransfer.Access;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Target;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How much accelerators are asked for before others have their turn. */
class CopyTurnTest {

  private static final int MIB = 1 << 20;
  private static final int PART = 64 << 10;
  private static final int ROWS = 4_096;

  /** Eight, of those that are waited for. */
  private static final int MOST_WAITED_FOR = 8;

  private CountedDevice counted = new CountedDevice(true);

  private void withNic(Consumer<ConnectedNic> test) {
    Fuzz.single(
        Target.TCP_OUTBOUND,
        in -> {
          ConnectedNic it = new ConnectedNic(in, counted.asDevices());
          it.peer.room(Integer.MAX_VALUE);
          test.accept(it);
          it.peer.end();
        });
  }

  private static byte[] noise(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private DeviceMemory filled(int seed, int length) {
    DeviceMemory memory = counted.device.allocate(length);
    counted.device.write(memory, noise(seed, length));
    return memory;
  }

  private int cost() {
    return counted.begun + CopyTurn.MOST / MOST_WAITED_FOR * counted.waitedFor;
  }

  /** Turns the loop until nothing more happens; the most that was asked for in one turn. */
  private int mostInATurn(ConnectedNic it, Runnable first) {
    int[] most = {0};
    int[] last = {cost()};
    TcpLoop loop = it.nic.domain.loop();
    Runnable others =
        new Runnable() {
          @Override
          public void run() {
            int now = cost();
            most[0] = Math.max(most[0], now - last[0]);
            if (now > last[0]) {
              last[0] = now;
              loop.executeAfterSockets(this);
            }
          }
        };
    loop.executeAfterSockets(others);
    first.run();
    for (int before = -1; before < cost() + it.peer.takenBytes(); ) {
      before = cost() + it.peer.takenBytes();
      it.nic.endTurn();
      loop.executeAfterSockets(others);
      it.peer.room(Integer.MAX_VALUE);
    }
    it.nic.endTurn();
    return most[0];
  }

  private static byte[] rowsOf(byte[] bytes, int rows, int length, int stride) {
    byte[] all = new byte[rows * length];
    for (int row = 0; row < rows; row++) {
      System.arraycopy(bytes, row * stride, all, row * length, length);
    }
    return all;
  }

  private static Operation rows(ConnectedNic it, LocalMemory source, int rows, int length) {
    return new Operation()
        .between(source, it.remote)
        .range(0, 0, (long) rows * length)
        .inRows(rows, 2 * length, length)
        .token(1)
        .withoutImm();
  }

  private static byte[] onlyWrite(ConnectedNic it) {
    SentFrames sent = SentFrames.afterAnswer(it.peer.taken());
    assertThat(sent.writes).isEqualTo(1);
    byte[] write = sent.posted.getFirst();
    int head = write[0] == Wire.ROWS ? Wire.ROWS_BYTES : Wire.WRITE_BYTES;
    return Arrays.copyOfRange(write, head, write.length);
  }

  /** Also those of which all are as long as what is copied at once. */
  @ParameterizedTest
  @CsvSource({
    "4096, 1, true",
    "4096, 16, true",
    "4096, 100, true",
    "4096, 1, false",
    "4096, 40, false"
  })
  void rowsThatGoOutAreAskedForAFewAtATime(int rows, int length, boolean hasBuffers) {
    counted = new CountedDevice(hasBuffers);
    withNic(it -> {
      DeviceMemory memory = filled(3, 2 * rows * length);
      LocalMemory source = it.register(memory, Access.LOCAL);
      Operation op = rows(it, source, rows, length);
      int most = mostInATurn(it, () -> assertThat(it.nic.domain.post(op).isTaken()).isTrue());
      assertThat(most).isLessThanOrEqualTo(CopyTurn.MOST);
      assertThat(counted.begun + counted.waitedFor).isGreaterThanOrEqualTo(rows);
      assertThat(onlyWrite(it))
          .isEqualTo(rowsOf(noise(3, 2 * rows * length), rows, length, 2 * length));
    });
  }

  @Test
  void rowsWithoutGapsAreOne() {
    withNic(it -> {
      for (int length : new int[] {1, 16}) {
        counted.begun = 0;
        counted.waitedFor = 0;
        LocalMemory source = it.register(filled(3, ROWS * length), Access.LOCAL);
        Operation op = rows(it, source, ROWS, length).inRows(ROWS, length, 3 * length);
        mostInATurn(it, () -> assertThat(it.nic.domain.post(op).isTaken()).isTrue());
        assertThat(counted.begun + counted.waitedFor).isEqualTo(1);
      }
      byte[] all = SentFrames.afterAnswer(it.peer.taken()).posted.get(1);
      assertThat(ByteBuffer.wrap(all, Wire.ROWS_BYTES, 16 * ROWS))
          .isEqualTo(ByteBuffer.wrap(noise(3, 16 * ROWS)));
    });
  }

  @Test
  void shortWritesAreTakenAFewAtATime() {
    withNic(it -> {
      LocalMemory source = it.register(filled(4, 100), Access.LOCAL);
      int[] posted = {0};
      Runnable posts =
          () -> {
            while (posted[0] < 40 && it.writes(source, 100, posted[0] + 1)) {
              posted[0]++;
            }
          };
      while (posted[0] < 40) {
        int before = posted[0];
        assertThat(mostInATurn(it, posts)).isLessThanOrEqualTo(CopyTurn.MOST);
        assertThat(posted[0]).isGreaterThan(before);
      }
      SentFrames sent = SentFrames.afterAnswer(it.peer.taken());
      assertThat(sent.posted.size()).isEqualTo(40);
      for (byte[] write : sent.posted) {
        assertThat(ByteBuffer.wrap(write, Wire.WRITE_BYTES, 100))
            .isEqualTo(ByteBuffer.wrap(noise(4, 100)));
      }
    });
  }

  private static byte[] incoming(LocalMemory target, int imm, byte[] bytes, int rows, int stride) {
    ByteBuf out = Unpooled.buffer();
    Wire.putWrite(out, true, imm, ((TcpMemory) target).memoryKey(), 0, bytes.length);
    if (rows > 1) {
      out.setByte(0, Wire.ROWS).writeInt(rows).writeLong(stride);
    }
    int first = Math.min(PART, bytes.length);
    out.writeBytes(bytes, 0, first);
    if (first < bytes.length) {
      Wire.putMore(out, bytes.length - first).writeBytes(bytes, first, bytes.length - first);
    }
    return FuzzHandshake.bytes(out);
  }

  /** The most that was asked for in a turn. */
  private int says(ConnectedNic it, byte[] bytes) {
    int most = 0;
    for (int at = 0; at < bytes.length; ) {
      int from = at;
      int[] read = {0};
      most =
          Math.max(
              most, mostInATurn(it, () -> read[0] = it.peer.readFrom(bytes, from, bytes.length)));
      assertThat(read[0]).as("at %s, %s", from, it.peer.isOpen()).isPositive();
      at += read[0];
    }
    return most;
  }

  @ParameterizedTest
  @CsvSource({
    "4096, 1, true",
    "4096, 16, true",
    "4096, 100, true",
    "4096, 1, false",
    "500, 40, false"
  })
  void rowsThatComeInAreStoredAFewAtATime(int rows, int length, boolean hasBuffers) {
    counted = new CountedDevice(hasBuffers);
    withNic(it -> {
      int stride = length + 3;
      DeviceMemory memory = filled(1, rows * stride);
      LocalMemory target = it.register(memory, Access.REMOTE_WRITE);
      byte[] bytes = noise(2, rows * length);
      ByteBuf frames = Unpooled.buffer();
      for (int imm = 1; imm <= 3; imm++) {
        frames.writeBytes(incoming(target, imm, bytes, rows, stride));
      }
      int most = says(it, FuzzHandshake.bytes(frames));
      assertThat(most).isLessThanOrEqualTo(CopyTurn.MOST);
      assertThat(counted.begun + counted.waitedFor).isGreaterThanOrEqualTo(3 * rows);
      it.polls();
      assertThat(it.imms).containsExactly(1, 2, 3);
      assertThat(rowsOf(counted.device.read(memory), rows - 1, length, stride))
          .isEqualTo(Arrays.copyOf(bytes, (rows - 1) * length));
      assertThat(counted.device.read(memory)[length]).isEqualTo(noise(1, length + 1)[length]);
    });
  }

  @Test
  void rowsThatComeInWithoutGapsAreOne() {
    withNic(it -> {
      DeviceMemory memory = filled(1, ROWS);
      LocalMemory target = it.register(memory, Access.REMOTE_WRITE);
      says(it, incoming(target, 1, noise(2, ROWS), ROWS, 1));
      it.polls();
      assertThat(counted.begun).isEqualTo(1);
      assertThat(counted.device.read(memory)).isEqualTo(noise(2, ROWS));
    });
  }

  @Test
  void whatWaitsForItsTurnIsDroppedWhenItsMemoryIsRevoked() {
    withNic(it -> {
      DeviceMemory memory = filled(1, 4 * ROWS);
      LocalMemory target = it.register(memory, Access.REMOTE_WRITE);
      it.says(incoming(target, 1, noise(2, ROWS), ROWS, 4));
      assertThat(it.peer.config().isAutoRead()).isFalse();
      it.nic.domain.deregister(target);
      byte[] then = counted.device.read(memory);
      it.nic.endTurn();
      it.polls();
      assertThat(it.imms).isEmpty();
      assertThat(counted.begun).isEqualTo(CopyTurn.MOST);
      assertThat(counted.device.read(memory)).isEqualTo(then);
      assertThat(it.peer.isOpen()).isTrue();
      assertThat(it.peer.config().isAutoRead()).isTrue();
    });
  }

  /** Of a peer that was given up nothing comes any more. */
  @Test
  void whatWaitsForItsTurnIsDroppedWhenThisSideEndsTheConnection() {
    withNic(it -> {
      DeviceMemory memory = filled(1, 4 * ROWS);
      LocalMemory target = it.register(memory, Access.REMOTE_WRITE);
      it.says(incoming(target, 1, noise(2, ROWS), ROWS, 4));
      it.nic.domain.disconnect(it.remote.peer(), "a test");
      it.nic.endTurn();
      it.polls();
      assertThat(it.imms).isEmpty();
      assertThat(counted.begun).isEqualTo(CopyTurn.MOST);
      assertThat(it.peer.isOpen()).isFalse();
    });
  }

  /** All of it was read when the other side ended the connection. */
  @Test
  void whatWaitsForItsTurnIsTakenBeforeItsConnectionEnds() {
    withNic(it -> {
      DeviceMemory memory = filled(1, 4 * ROWS);
      LocalMemory target = it.register(memory, Access.REMOTE_WRITE);
      int most =
          mostInATurn(
              it,
              () -> {
                it.says(incoming(target, 1, noise(2, ROWS), ROWS, 4));
                it.peer.end();
              });
      assertThat(most).isLessThanOrEqualTo(CopyTurn.MOST);
      it.polls();
      assertThat(it.imms).containsExactly(1);
      assertThat(rowsOf(counted.device.read(memory), ROWS, 1, 4)).isEqualTo(noise(2, ROWS));
      assertThat(it.peer.config().isAutoRead()).isFalse();
    });
  }

  /** Else writes that are done have failed, and a peer that closes is one that has broken. */
  @Test
  void whatAPeerSaidBeforeItEndedTheConnectionIsHeard() {
    withNic(it -> {
      LocalMemory source = it.register(filled(3, 100), Access.LOCAL);
      LocalMemory target = it.register(filled(1, 4 * ROWS), Access.REMOTE_WRITE);
      assertThat(it.writes(source, 100, 7)).isTrue();
      it.nic.endTurn();
      ByteBuf frames = Unpooled.buffer();
      frames.writeBytes(incoming(target, 1, noise(2, ROWS), ROWS, 4));
      Wire.putAck(frames, 1);
      Wire.putGoodbye(frames, ErrorCode.CLOSED.because("its engine was closed"));
      it.says(FuzzHandshake.bytes(frames));
      assertThat(it.peer.config().isAutoRead()).isFalse();
      it.peer.end();
      assertThat(it.writes(source, 100, 8)).as("a write behind the end").isFalse();
      it.nic.endTurn();
      it.polls();
      assertThat(it.imms).containsExactly(1);
      assertThat(it.written).containsExactly(7L);
      assertThat(it.failed).isEmpty();
      assertThat(it.lost).containsExactly(ErrorCode.CLOSED.value);
    });
  }

  /** Or two that write to each other would wait for one another. */
  @Test
  void whatIsSettledIsSaidWhileMoreWaitsForItsTurn() {
    withNic(it -> {
      LocalMemory target = it.register(filled(1, 4 * ROWS), Access.REMOTE_WRITE);
      ByteBuf frames = Unpooled.buffer();
      frames.writeBytes(incoming(target, 1, noise(2, 100), 1, 0));
      frames.writeBytes(incoming(target, 2, noise(3, ROWS), ROWS, 4));
      it.says(FuzzHandshake.bytes(frames));
      it.nic.domain.poll(it);
      assertThat(it.imms).containsExactly(1);
      List<Integer> said = new ArrayList<>();
      boolean[] isMoreKept = {false};
      TcpLoop loop = it.nic.domain.loop();
      loop.executeAfterSockets(() -> {
        said.addAll(SentFrames.afterAnswer(it.peer.taken()).settled);
        isMoreKept[0] = !it.peer.config().isAutoRead();
      });
      it.nic.endTurn();
      assertThat(isMoreKept[0]).isTrue();
      assertThat(said).containsExactly(0);
      it.polls();
      assertThat(it.imms).containsExactly(1, 2);
    });
  }

  /** Its origin would not know that it was counted. */
  @Test
  void whatIsSettledIsSaidBeforeAGoodbyeThoughOthersHaveTheirTurn() {
    withNic(it -> {
      LocalMemory source = it.register(filled(3, 2 * 16 * ROWS), Access.LOCAL);
      LocalMemory target = it.register(filled(1, 100), Access.REMOTE_WRITE);
      it.says(incoming(target, 1, noise(2, 100), 1, 0));
      it.nic.domain.poll(it);
      assertThat(it.imms).containsExactly(1);
      counted.begun = 0;
      assertThat(it.nic.domain.post(rows(it, source, ROWS, 16)).isTaken()).isTrue();
      assertThat(counted.begun).isEqualTo(CopyTurn.MOST);
      it.nic.domain.close();
      SentFrames sent = SentFrames.afterAnswer(it.peer.taken());
      assertThat(sent.settled).containsExactly(0);
      assertThat(sent.goodbye).isEqualTo(ErrorCode.CLOSED.value);
    });
  }

  @Test
  void shortWritesThatComeInShareABuffer() {
    withNic(it -> {
      int writes = 300;
      List<DeviceMemory> memories = IntStream.range(0, 2).mapToObj(i -> filled(i, 100)).toList();
      List<LocalMemory> targets =
          memories.stream().map(memory -> it.register(memory, Access.REMOTE_WRITE)).toList();
      ByteBuf frames = Unpooled.buffer();
      for (int imm = 1; imm <= writes; imm++) {
        frames.writeBytes(
            incoming(targets.get(2 * (imm - 1) / writes), imm, noise(imm, 100), 1, 0));
      }
      says(it, FuzzHandshake.bytes(frames));
      assertThat(counted.buffers).isEqualTo(2);
      assertThat(counted.waitedFor).isZero();
      it.polls();
      it.polls();
      assertThat(it.imms).isEqualTo(IntStream.rangeClosed(1, writes).boxed().toList());
      assertThat(counted.device.read(memories.get(1))).isEqualTo(noise(writes, 100));
      // And what they were in is free for others.
      says(it, incoming(targets.get(0), 1, noise(7, 100), 1, 0));
      it.polls();
      assertThat(counted.buffers).isEqualTo(2);
      assertThat(counted.device.read(memories.get(0))).isEqualTo(noise(7, 100));
    });
  }

  @Test
  void oneThatIsRefusedAtOnceTakesNoOtherOfItsBufferAlong() {
    withNic(it -> {
      DeviceMemory memory = filled(1, 100);
      LocalMemory target = it.register(memory, Access.REMOTE_WRITE);
      ByteBuf frames = Unpooled.buffer();
      for (int imm = 1; imm <= 3; imm++) {
        frames.writeBytes(incoming(target, imm, noise(imm + 1, 100), 1, 0));
      }
      counted.refused = 2;
      says(it, FuzzHandshake.bytes(frames));
      it.polls();
      assertThat(it.imms).containsExactly(1, 3);
      assertThat(SentFrames.afterAnswer(it.peer.taken()).settled)
          .containsExactly(0, ErrorCode.MEMORY_GONE.value, 0);
      assertThat(counted.buffers).isEqualTo(1);
      assertThat(counted.device.read(memory)).isEqualTo(noise(4, 100));
    });
  }

  /** What the socket reads to its place in a buffer, too. */
  @Test
  void aLongOneThatIsRefusedInItsMiddleIsReadToItsEnd() {
    withNic(it -> {
      DeviceMemory memory = filled(1, MIB);
      LocalMemory target = it.register(memory, Access.REMOTE_WRITE);
      says(it, incoming(target, 1, noise(2, MIB), 1, 0)); // so that it knows of long writes
      counted.refused = counted.begun + 2;
      says(it, incoming(target, 2, noise(3, MIB), 1, 0));
      says(it, incoming(target, 3, noise(4, MIB), 1, 0));
      it.polls();
      assertThat(it.imms).containsExactly(1, 3);
      assertThat(SentFrames.afterAnswer(it.peer.taken()).settled)
          .containsExactly(0, ErrorCode.MEMORY_GONE.value, 0);
      assertThat(counted.device.read(memory)).isEqualTo(noise(4, MIB));
    });
  }

  @Test
  void twoPartsAreAskedForAhead() {
    withNic(it -> {
      it.peer.room(0);
      LocalMemory source = it.register(filled(5, MIB), Access.LOCAL);
      assertThat(it.writes(source, MIB, 1)).isTrue();
      assertThat(counted.begun).isEqualTo(2);
      mostInATurn(it, () -> {});
      assertThat(counted.begun).isEqualTo(5);
    });
  }

  /** The parts of an accelerator's memory fill the buffers of the other side. */
  @Test
  void aMebibyteIsStoredByFiveCopies() {
    withNic(it -> {
      LocalMemory source = it.register(filled(5, MIB), Access.LOCAL);
      mostInATurn(it, () -> assertThat(it.writes(source, MIB, 1)).isTrue());
      byte[] taken = it.peer.taken();
      byte[] sent = Arrays.copyOfRange(taken, it.begin, taken.length);
      DeviceMemory memory = filled(6, MIB);
      TcpMemory target = (TcpMemory) it.register(memory, Access.REMOTE_WRITE);
      counted.begun = 0;
      ByteBuf head = Unpooled.buffer();
      Wire.putWrite(head, true, 1, target.memoryKey(), 0, MIB);
      head.getBytes(0, sent, 0, Wire.WRITE_BYTES);
      says(it, incoming(target, 1, noise(1, MIB), 1, 0)); // so that it knows of long writes
      counted.begun = 0;
      says(it, sent);
      assertThat(counted.begun).isEqualTo(5);
      it.polls();
      assertThat(it.imms).containsExactly(1, 1);
      assertThat(counted.device.read(memory)).isEqualTo(noise(5, MIB));
    });
  }

  /** Or it would be no turn: tasks that follow each other at once run for up to a second. */
  @Test
  void betweenTwoTurnsTheSocketsAreAsked() throws Exception {
    int most = 1_000;
    try (TestNic nic = new TestNic()) {
      AtomicBoolean isConnected = new AtomicBoolean();
      CompletableFuture<Integer> seen = new CompletableFuture<>();
      Runnable turn =
          new Runnable() {
            private int turns;

            @Override
            public void run() {
              while (!isConnected.get()) {
                // nobody asks the sockets before
              }
              if (((TcpDomain) nic.domain).known() > 0 || ++turns == most) {
                seen.complete(turns);
              } else {
                nic.loop.executeAfterSockets(this);
              }
            }
          };
      nic.loop.execute(turn);
      NicAddress address = NicAddress.decode(nic.address);
      try (Socket _ = new Socket(address.host(), address.port())) {
        isConnected.set(true);
        assertThat(seen.get(40, TimeUnit.SECONDS)).isLessThan(most);
      }
    }
  }

  @Test
  void toLetOthersHaveTheirTurnAllocatesNothing() throws Exception {
    int turns = 10_000;
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (TestNic nic = new TestNic()) {
      CompletableFuture<Long> allocated = new CompletableFuture<>();
      Runnable turn =
          new Runnable() {
            private int left = 2 * turns; // the first ones are to warm up
            private long before;

            @Override
            public void run() {
              if (left == turns) {
                before = threads.getCurrentThreadAllocatedBytes();
              }
              if (left-- > 0) {
                nic.loop.executeAfterSockets(this);
              } else {
                allocated.complete(threads.getCurrentThreadAllocatedBytes() - before);
              }
            }
          };
      nic.loop.execute(turn);
      assertThat(allocated.get(40, TimeUnit.SECONDS)).isLessThan(turns);
    }
  }
}
