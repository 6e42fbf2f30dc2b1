package io.reactivetransfer.tcp;

import static io.reactivetransfer.Access.REMOTE_WRITE;
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
 * A file that is cut off although its memory is registered: nothing is there any more to be sent,
 * and nothing to be written to.
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

  private FileChannel file() throws IOException {
    return FileChannel.open(
        folder.resolve("pages"),
        StandardOpenOption.CREATE,
        StandardOpenOption.READ,
        StandardOpenOption.WRITE);
  }

  @Test
  void failsTheWritesFromItAndNoOthers() throws IOException {
    try (TestNic origin = nic();
        TestNic target = nic();
        Arena arena = Arena.ofShared();
        FileChannel file = file()) {
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

  /** Short ones, which are copied to their place. */
  @Test
  void failsTheWritesToItAndNoOthers() throws IOException {
    try (TestNic origin = nic();
        TestNic target = nic();
        Arena arena = Arena.ofShared();
        FileChannel file = file()) {
      var source = origin.register(BYTES);
      var gone = target.register(file.map(MapMode.READ_WRITE, 0, BYTES, arena), REMOTE_WRITE);
      RemoteMemory toGone = origin.remote(target, gone);
      RemoteMemory toSound = origin.remote(target, target.register(BYTES));
      origin.write(write(1).between(source.local(), toGone));
      origin.awaitWritten(1);
      file.truncate(0);
      origin.write(write(2).between(source.local(), toGone));
      origin.write(write(3).between(source.local(), toSound));
      assertThat(origin.awaitFailed().token()).isEqualTo(2);
      origin.awaitWritten(2);
    }
  }
}
