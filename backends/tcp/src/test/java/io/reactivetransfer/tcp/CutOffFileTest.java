package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.spi.Devices;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory whose file was cut off is found out where it is touched, however hot that code is. */
class CutOffFileTest {

  private static final int BYTES = 1 << 16;

  /** More than it takes until that code is compiled: by both compilers where there are two. */
  private static final int ROUNDS = 25_000 * Integer.getInteger("reactivetransfer.rounds", 1);

  @TempDir Path folder;

  /** Like a link, which must not think that it has copied what it has not. */
  private static boolean copies(TcpMemory memory, ByteBuf out) {
    boolean copied = false;
    try {
      memory.copyTo(out.clear(), BYTES / 2, 100);
      copied = true;
    } catch (InternalError fault) {
      return false;
    }
    return copied;
  }

  @Test
  void isFoundOutByTheCopyItself() throws IOException {
    for (int file = 0; file < 5; file++) {
      try (Arena arena = Arena.ofShared();
          FileChannel channel =
              FileChannel.open(
                  folder.resolve("pages" + file),
                  StandardOpenOption.CREATE,
                  StandardOpenOption.READ,
                  StandardOpenOption.WRITE)) {
        MemorySegment segment = channel.map(MapMode.READ_WRITE, 0, BYTES, arena);
        TcpMemory memory = memory(segment);
        ByteBuf out = Unpooled.directBuffer(256, 256);
        int copied = 0;
        for (int round = 0; round < ROUNDS; round++) {
          copied += copies(memory, out) ? 1 : 0;
        }
        assertThat(copied).isEqualTo(ROUNDS);
        channel.truncate(0);
        assertThat(copies(memory, out)).as("copied from a file that was cut off").isFalse();
        out.release();
      }
    }
  }

  private static TcpMemory memory(MemorySegment segment) {
    return new TcpMemory(
        new MemoryKey(1, 2),
        new HostMemory(segment),
        Access.LOCAL,
        Devices.none(),
        new Staging(Devices.none(), System::nanoTime));
  }
}
