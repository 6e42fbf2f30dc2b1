package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.tck.driver.TwoNics;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The CPU reads the bytes of a short write, which fails where their file was cut off. */
class CutOffFileTest {

  private static final int BYTES = 1 << 16;

  @TempDir private Path folder;
  @AutoClose private final Arena arena = Arena.ofShared();

  @Test
  void andNothingElseDoes() throws IOException {
    FakeVerbs fake = new FakeVerbs(2);
    TwoNics nics = FakeNics.open(fake, fake);
    RemoteMemory target = nics.named(nics.openToOrigin(arena.allocate(BYTES)), BYTES);
    LocalMemory sound = nics.source(arena.allocate(BYTES));
    LocalMemory source;
    try (FileChannel file =
        FileChannel.open(
            folder.resolve("pages"),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      source = nics.source(file.map(MapMode.READ_WRITE, 0, BYTES, arena));
      nics.write(source, target, 1, i -> 0, 64, true);
      assertThat(nics.atOrigin().reports()).containsExactly("written 0");
      file.truncate(0);
    }
    Operation op = new Operation().withoutImm();
    assertThat(nics.origin().post(op.between(source, target).range(0, 0, 64).token(100)).isTaken())
        .isTrue();
    assertThat(nics.origin().post(op.between(sound, target).range(0, 0, 64).token(101)).isTaken())
        .isTrue();
    nics.origin().flush();
    nics.until("reports", () -> nics.atOrigin().reportsOf(101) > 0);
    assertThat(nics.atOrigin().reports()).contains("refused 100", "written 101");
    assertThat(nics.atOrigin().texts()).containsExactly(VerbsMemory.SOURCE_FREED);
    nics.close();
    assertThat(fake.open()).isEmpty();
    assertThat(fake.mistakes()).isEmpty();
  }
}
