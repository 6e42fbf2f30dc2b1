package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A file that is cut off although its memory is registered: nothing is there any more to be sent.
 */
class TruncatedFileTest {

  private static final long BYTES = 1 << 20;

  @TempDir Path folder;

  private static TestNic nic() {
    return new TestNic(TcpBackend.builder().build(), 64, Duration.ofSeconds(10));
  }

  private static Operation write(long token) {
    return new Operation().range(BYTES / 2, 0, 100).token(token);
  }

  @Test
  void failsTheWritesFromItAndNoOthers() throws IOException {
    Path path = folder.resolve("pages");
    try (TestNic origin = nic();
        TestNic target = nic();
        Arena arena = Arena.ofShared();
        FileChannel file =
            FileChannel.open(
                path,
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
      var source = origin.register(file.map(MapMode.READ_WRITE, 0, BYTES, arena), Access.LOCAL);
      var sound = origin.register(BYTES);
      RemoteMemory remote = origin.remote(target, target.register(BYTES));
      origin.write(write(1).between(source.local(), remote));
      origin.awaitWritten(1);
      file.truncate(0);
      origin.write(write(2).between(source.local(), remote));
      assertThat(origin.awaitFailed().text()).contains("the file that it maps was cut off");
      origin.write(write(3).between(sound.local(), remote));
      origin.awaitWritten(2);
    }
  }
}
